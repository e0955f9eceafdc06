"""The rows of the table and their targets."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from httpbench.model import BEST_PEER, FLOOR, REUSEPORT, THREAD, UWEBSOCKETS

KIB = 1024
MIB = 1024 * KIB
FILE_BYTES = 526_400_992
_SIZE = 64  # of ssxrver-bench ws, when it is told none
OURS = (THREAD, REUSEPORT)
QUICKWS = "quickws"


class Figure(enum.Enum):
    """What a target speaks of: the fields of a model.Sample."""

    COST = "value"
    RATE = "rate"
    P50 = "p50_us"
    P99 = "p99_us"
    RESIDENT = "resident"


@dataclass(frozen=True)
class Target:
    """At most `limit` times the reference's figure, or absolute without one; or at least."""

    limit: float
    reference: str = ""
    figure: Figure = Figure.COST
    at_least: bool = False

    def is_met(self, value: float) -> bool:
        return value >= self.limit if self.at_least else value <= self.limit

    def describe(self) -> str:
        what = "" if self.figure is Figure.COST else f"{self.figure.name.lower()} "
        times = f" x {self.reference}" if self.reference else ""
        return f"{what}{'>=' if self.at_least else '<='} {self.limit:g}{times}"


class Kind(enum.Enum):
    """What the figure of a row is counted by."""

    MESSAGE = "message"
    MEGABYTE = "MB"
    CONNECTION = "connection that says nothing"
    SYSTEM_CALL = "message, in system calls"

    @property
    def is_load(self) -> bool:
        return self in (Kind.MESSAGE, Kind.MEGABYTE)


@dataclass(frozen=True)
class Row:
    """`arguments`: those of ssxrver-bench ws."""

    key: str
    title: str
    kind: Kind
    path: str
    arguments: tuple[str, ...]
    targets: tuple[Target, ...] = ()
    unit: str = "CPU us/message"

    @property
    def size(self) -> int:
        """Bytes of a message, or of a frame of a long one."""
        return self._number("--size", _SIZE)

    @property
    def depth(self) -> int:
        """Messages that are sent at once."""
        return self._number("-p", 1)

    def _number(self, option: str, otherwise: int) -> int:
        if option not in self.arguments:
            return otherwise
        return int(self.arguments[self.arguments.index(option) + 1])


_FIRST = Target(1.0, BEST_PEER)


def _calls(key: str, title: str, *arguments: str) -> Row:
    return Row(key, title, Kind.SYSTEM_CALL, "/echo", ("--size", "64", *arguments),
               (Target(1.05, FLOOR),), "calls/message")  # fmt: skip


def _echo(key: str, title: str, limit: float, *arguments: str, latency: bool = False) -> Row:
    times = (Target(1.1, FLOOR, Figure.P50), Target(1.1, FLOOR, Figure.P99)) if latency else ()
    costs = (Target(limit, FLOOR), _FIRST)
    return Row(key, title, Kind.MESSAGE, "/echo", arguments, (*costs, *times))


def all_rows() -> list[Row]:
    file = ("-c", "1", "--size", str(MIB), "--bytes", str(FILE_BYTES))
    return [
        _echo("echo64", "echo 64 B, 100 connections", 1.05, "--size", "64", latency=True),
        _echo("echo64x16", "echo 64 B, 16 deep", 1.19, "--size", "64", "-p", "16"),
        _echo("echo1k", "echo 1 KB", 1.06, "--size", "1024"),
        _echo("echo64k", "echo 64 KB, 50 connections", 1.12, "--size", "65536", "-c", "50"),
        Row("connect", "connect + echo + close", Kind.MESSAGE, "/echo", ("--each",),
            (Target(1.13, FLOOR), _FIRST), "CPU us/connection"),
        Row("file", "526,400,992 bytes in 1 MB frames, streamed", Kind.MEGABYTE, "/sink", file,
            (Target(0.95, FLOOR), _FIRST, Target(10e6, figure=Figure.RESIDENT)), "CPU us/MB"),
        Row("whole", "the same as one whole message", Kind.MEGABYTE, "/whole", file,
            (_FIRST, Target(3, UWEBSOCKETS, Figure.RATE, at_least=True)), "CPU us/MB"),
        Row("broadcast", "1 KB to 1,000 subscribers", Kind.MESSAGE, "/broadcast",
            ("--broadcast", "--size", "1024", "-c", "1000"), (_FIRST,), "CPU us/delivery"),
        Row("idle", "idle connection, of 10,000", Kind.CONNECTION, "/echo", ("-c", "10000"),
            (_FIRST, Target(240)), "bytes each"),
        Row("many", "echo 1 KiB, 10,000 connections", Kind.MESSAGE, "/echo",
            ("--size", "1024", "-c", "10000"),
            (_FIRST, Target(1.0, QUICKWS, Figure.RATE, at_least=True),
             Target(1 / 3, QUICKWS, Figure.RESIDENT))),
        _calls("syscalls", "system calls, echo 64 B (least: 2 and a share)"),
        _calls("syscalls16", "system calls, 16 deep (least: 2/16 and a share)", "-p", "16"),
    ]  # fmt: skip


def select(names: Sequence[str]) -> list[Row]:
    """The named rows in table order; every row without names."""
    rows = all_rows()
    unknown = set(names) - {row.key for row in rows}
    if unknown:
        known = ", ".join(row.key for row in rows)
        raise ValueError(f"no row {', '.join(sorted(unknown))}; there are {known}")
    return [row for row in rows if not names or row.key in names]
