"""What is measured (rows, targets) and what came out (samples, cells, the table). Plain values."""

from __future__ import annotations

import dataclasses
import enum
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FLOOR = "floor"
NGINX = "nginx"
H2O = "h2o"
LIGHTTPD = "lighttpd"
APACHE = "apache"
UWEBSOCKETS = "uwebsockets"
BUN = "bun"
REUSEPORT = "ssxrver-reuseport"
THREAD = "ssxrver-thread"
APP = "ssxrver-app"
BEAST = "beast"
DROGON = "drogon"
OURS = (REUSEPORT, THREAD, APP)
PEERS = (NGINX, H2O, LIGHTTPD, APACHE, UWEBSOCKETS, BUN, BEAST, DROGON)
BEST_PEER = "best peer"  # as a reference: whoever of them is best in the row


class Kind(enum.Enum):
    """How a row is measured."""

    WRK = "wrk"
    EACH = "each"
    WEB = "web"
    WEBBENCH = "webbench"
    GROWTH = "growth"
    IDLE = "idle"
    START = "start"
    INSTRUCTIONS = "instructions"
    SYSCALLS = "syscalls"
    SYSCALLS_CONNECT = "syscalls_connect"

    @property
    def is_load(self) -> bool:
        return self in (Kind.WRK, Kind.EACH, Kind.WEB, Kind.WEBBENCH)

    @property
    def connects(self) -> bool:
        """Each request has a connection of its own."""
        return self in (Kind.EACH, Kind.WEB, Kind.WEBBENCH)

    @property
    def has_rounds(self) -> bool:
        """Memory and system calls hardly vary, and a second look at memory sees used pages."""
        return self.is_load or self is Kind.GROWTH


@dataclass(frozen=True)
class Target:
    """At most `limit`: times the reference server's figure, or absolute without a reference."""

    limit: float
    reference: str = ""
    servers: tuple[str, ...] = OURS

    def describe(self) -> str:
        times = f" x {self.reference}" if self.reference else ""
        return f"<= {self.limit:g}{times}"


@dataclass(frozen=True)
class Row:
    """One line of the table. `size` is the length of the right answer's body; with more than one
    worker the server and the load share all cores."""

    key: str
    title: str
    kind: Kind
    path: str
    size: int
    targets: tuple[Target, ...] = ()
    depth: int = 1
    varied: bool = False  # no two requests are alike
    deferred: bool = False  # who connects is accepted when it has spoken (TCP_DEFER_ACCEPT)
    by_bytes: bool = False
    unit: str = "CPU us/request"
    workers: int = 1
    servers: tuple[str, ...] = ()  # that are asked; all that can without names


@dataclass(frozen=True)
class Sample:
    """One round of one server: `value` in the row's unit, requests/s where there are requests."""

    value: float
    rate: float = 0.0
    errors: int = 0
    p50_us: float = 0.0
    p99_us: float = 0.0
    resident: float = 0.0  # bytes, right after the load
    wakeups: float = 0.0  # of the server's threads for each request, where connections come and go


@dataclass
class Cell:
    """One server in one row: its samples, run by run, or the reason why there are none."""

    row: str
    server: str
    runs: list[list[Sample]] = field(default_factory=list)
    note: str = ""

    def samples(self, run: int) -> list[Sample]:
        return self.runs[run] if run < len(self.runs) else []


@dataclass
class Table:
    """Everything of one invocation."""

    environment: dict[str, str] = field(default_factory=dict)
    cells: list[Cell] = field(default_factory=list)

    def cell(self, row: str, server: str) -> Cell:
        for cell in self.cells:
            if (cell.row, cell.server) == (row, server):
                return cell
        cell = Cell(row, server)
        self.cells.append(cell)
        return cell

    def has(self, row: str, run: int) -> bool:
        """Whether the row has begun in this run."""
        return any(cell.row == row and len(cell.runs) > run for cell in self.cells)

    def samples(self, row: str, server: str, run: int) -> list[Sample]:
        """None where nothing was measured."""
        found = (cell for cell in self.cells if (cell.row, cell.server) == (row, server))
        return next((cell.samples(run) for cell in found), [])

    def values(self, row: str, server: str, run: int) -> list[float]:
        return [sample.value for sample in self.samples(row, server, run)]

    def answers_all(self, row: str, server: str, run: int) -> bool:
        """Who fails requests does not do what the row asks for."""
        return not any(sample.errors for sample in self.samples(row, server, run))

    def append(self, later: Table) -> None:
        """The runs of another invocation behind those of this one."""
        for cell in later.cells:
            own = self.cell(cell.row, cell.server)
            own.runs.extend(cell.runs)
            own.note = own.note or cell.note

    @staticmethod
    def of_files(files: Sequence[Path]) -> Table:
        """What --json has saved, perhaps in several calls."""
        table, *later = (Table.from_json(json.loads(file.read_text())) for file in files)
        for runs in later:
            table.append(runs)
        return table

    def rows(self) -> list[str]:
        return list(dict.fromkeys(cell.row for cell in self.cells))

    def servers(self) -> list[str]:
        return list(dict.fromkeys(cell.server for cell in self.cells))

    def run_count(self) -> int:
        return max((len(cell.runs) for cell in self.cells), default=0)

    def to_json(self) -> dict[str, Any]:
        return dataclasses.asdict(self)

    @staticmethod
    def from_json(document: dict[str, Any]) -> Table:
        cells = [
            Cell(
                cell["row"],
                cell["server"],
                [[Sample(**sample) for sample in run] for run in cell["runs"]],
                cell["note"],
            )
            for cell in document["cells"]
        ]
        return Table(dict(document["environment"]), cells)
