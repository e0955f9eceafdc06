"""Calls ws_load and reads the server's meters at the moments that it names."""

from __future__ import annotations

import contextlib
import json
import select
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from httpbench import proc
from httpbench.model import Sample

GRACE = 150.0
_WARM_UP = "connections=200"


class LoadError(Exception):
    """The generator failed; the text says why."""


@dataclass(frozen=True)
class Bench:
    """The generator, how long one round lasts and where the load runs."""

    program: Path
    seconds: float
    core: int


class Generator:
    """A ws_load: ready(), run(), and until the block ends its connections are there."""

    def __init__(self, process: subprocess.Popen[str], patience: float) -> None:
        self._process = process
        self._patience = patience

    def ready(self) -> None:
        if self._line() != "ready":
            raise LoadError(self._complaint())

    def run(self) -> dict[str, float]:
        self._say()
        line = self._line()
        if not line.startswith("{"):
            raise LoadError(self._complaint())
        result = json.loads(line)
        if result["errors"] and not result["messages"]:
            raise LoadError(result["error"])
        return result

    def end(self) -> None:
        with contextlib.suppress(OSError):
            self._say()

    def _say(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()

    def _line(self) -> str:
        assert self._process.stdout is not None
        readable, _, _ = select.select([self._process.stdout], [], [], self._patience)
        if not readable:
            raise LoadError("ws_load did not answer in time")
        return self._process.stdout.readline().strip()

    def _complaint(self) -> str:
        assert self._process.stderr is not None
        return self._process.stderr.read().strip()[-300:] or "ws_load has ended"


@contextlib.contextmanager
def generator(
    bench: Bench, scenario: str, port: int, path: str, arguments: Sequence[str]
) -> Iterator[Generator]:
    """Started on the load's core, its connections open."""
    command = [str(bench.program), scenario, f"port={port}", f"path={path}",
               f"seconds={bench.seconds}", *arguments]  # fmt: skip
    pipe = subprocess.PIPE
    with proc.pinned(bench.core):
        process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
    try:
        made = Generator(process, bench.seconds + GRACE)
        made.ready()
        yield made
        made.end()
        process.wait(GRACE)
    except subprocess.TimeoutExpired:
        raise LoadError("ws_load did not end in time") from None
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def measure(
    bench: Bench, scenario: str, port: int, pid: int, path: str, arguments: Sequence[str]
) -> Sample:
    """One round: the server's CPU time per message, and the most memory that it had."""
    with generator(bench, scenario, port, path, arguments) as load:
        forget_peak(pid)
        before = proc.scheduled_seconds(pid)
        result = load.run()
        used = proc.scheduled_seconds(pid) - before
        resident = peak_bytes(pid)
    return sample_of(result, used, resident)


def sample_of(result: dict[str, float], cpu: float, resident: int) -> Sample:
    messages = result["messages"]
    if messages < 1:
        raise LoadError("not one message was answered")
    return Sample(
        value=1e6 * cpu / messages,
        rate=messages / result["seconds"],
        errors=int(result["errors"]),
        p50_us=result["latency_p50_us"],
        p99_us=result["latency_p99_us"],
        resident=resident,
    )


def idle_memory(bench: Bench, port: int, pid: int, path: str, arguments: Sequence[str]) -> Sample:
    """Resident growth per open connection that has echoed once."""
    with generator(bench, "idle", port, path, [*arguments, _WARM_UP]) as load:
        load.run()  # tables, caches and the allocator's first pages are not a connection's cost
    before = proc.resident_bytes(pid)
    with generator(bench, "idle", port, path, arguments) as load:
        result = load.run()
        after = proc.resident_bytes(pid)
    return Sample((after - before) / result["messages"], resident=after)


def forget_peak(pid: int) -> None:
    with contextlib.suppress(OSError):
        Path(f"/proc/{pid}/clear_refs").write_text("5")


def peak_bytes(pid: int) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return 1024 * int(line.split()[1])
    return 0
