"""Runs rows: servers side by side, interleaved rounds, and a second run of all rows afterwards."""

from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from . import again, checks, client, instructions, load, meters, parse, rows, servers, tracing
from .model import Cell, Kind, Row, Sample, Table
from .server import Server, make_place
from .starting import ServerError

Progress = Callable[[str], None]
Keep = Callable[[Table], None]  # after each row
_Item = TypeVar("_Item")
_COUNTED_REQUESTS = 1_600
_TROUBLE = (
    OSError,
    ServerError,
    instructions.CountError,
    load.LoadError,
    meters.MeterError,
    client.HttpError,
    parse.ParseError,
    tracing.TraceError,
)


@dataclass(frozen=True)
class Plan:
    """What to run and how long."""

    rows: Sequence[Row]
    servers: Sequence[Server]
    rounds: int
    seconds: int
    runs: int
    server_core: int
    load_core: int
    load_program: Path  # ssxrver-bench
    idle_connections: int = rows.IDLE_CONNECTIONS

    def server_cores(self, row: Row) -> tuple[int, ...]:
        return self._cores(row, self.server_core)

    def load_cores(self, row: Row) -> tuple[int, ...]:
        return self._cores(row, self.load_core)

    def _cores(self, row: Row, alone: int) -> tuple[int, ...]:
        """Several workers share with the load what there is."""
        return (alone,) if row.workers == 1 else (self.server_core, self.load_core)


@dataclass(frozen=True)
class Site:
    """Where the files and the servers' folders are."""

    work: Path
    root: Path

    def expected(self, row: Row) -> bytes:
        if row.path == rows.HELLO_PATH:
            return rows.HELLO
        if row.path == rows.JSON_PATH:
            return rows.JSON
        return (self.root / row.path[1:]).read_bytes()


class StopNoted:
    """A server that does not end in time is its cell's note; the plan goes on."""

    def __init__(self, cell: Cell) -> None:
        self._cell = cell

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if not isinstance(error, subprocess.TimeoutExpired):
            return False
        self._cell.note = "; ".join(part for part in (self._cell.note, str(error)) if part)
        return True


@contextlib.contextmanager
def make_site() -> Iterator[Site]:
    """The files to serve, random so that nothing can cheat, in a folder that goes away."""
    with tempfile.TemporaryDirectory(prefix="httpbench-") as name:
        work = Path(name)
        work.chmod(0o755)
        root = work / "root"
        root.mkdir(mode=0o755)
        for path, size in rows.FILES.items():
            (root / path[1:]).write_bytes(os.urandom(size))
        (root / "index.html").write_bytes(rows.HELLO)  # for who cannot answer from memory
        yield Site(work, root)


class Runner:
    """Fills a Table by a Plan; rows that it has already are left as they are."""

    def __init__(
        self, plan: Plan, site: Site, table: Table, progress: Progress, keep: Keep
    ) -> None:
        self._plan = plan
        self._site = site
        self._table = table
        self._progress = progress
        self._keep = keep

    def run_all(self) -> None:
        for run in range(self._plan.runs):
            for row in self._plan.rows:
                if self._table.has(row.key, run):
                    continue
                lacking = load.missing(row.kind, self._plan.load_program)
                self._progress(f"run {run + 1}: {row.title}{lacking and f': left out, {lacking}'}")
                if not lacking:
                    self._run_row(row, run)
                    self._keep(self._table)

    def _run_row(self, row: Row, run: int) -> None:
        able = [s for s in self._plan.servers if rows.serves(s.name, row) and not s.missing()]
        if run > 0:
            references = [target.reference for target in row.targets]
            able = again.of(able, self._table, row.key, references)
        for server in able:
            cell = self._table.cell(row.key, server.name)
            cell.runs.extend([] for _ in range(run + 1 - len(cell.runs)))
        if row.kind is Kind.START:
            self._start_rounds(row, able, run)
        elif row.kind is Kind.INSTRUCTIONS:
            for server in able:
                self._record(row, server.name, run, partial(self._instructions, row, server))
        else:
            self._served_rounds(row, able, run)

    def _record(self, row: Row, server: str, run: int, take: Callable[[], Sample]) -> None:
        """Adds one sample; trouble becomes the cell's note and the row goes on without it."""
        cell = self._table.cell(row.key, server)
        if cell.note:
            return
        try:
            cell.runs[run].append(take())
        except _TROUBLE as error:
            cell.note = str(error) or type(error).__name__

    def _start_rounds(self, row: Row, able: Sequence[Server], run: int) -> None:
        for turn in range(self._plan.rounds):
            for server in rotated(able, turn):
                self._record(row, server.name, run, partial(self._first_answer, row, server))

    def _first_answer(self, row: Row, server: Server) -> Sample:
        place = make_place(self._site.work, self._site.root, server.name)
        argv = server.command(place, row)
        output = place.folder / "output"
        expected = self._site.expected(row)
        return Sample(meters.first_answer_ms(
            argv, place.port, row.path, output, self._plan.server_core, expected))  # fmt: skip

    def _instructions(self, row: Row, server: Server) -> Sample:
        place = make_place(self._site.work, self._site.root, server.name)
        argv = server.command(place, row)
        return Sample(instructions.per_request(
            argv, place.port, row.path, row.depth, _COUNTED_REQUESTS, place.folder))  # fmt: skip

    def _served_rounds(self, row: Row, able: Sequence[Server], run: int) -> None:
        """All servers up at once, one loaded at a time: each round sees the same machine."""
        with contextlib.ExitStack() as stack:
            up = [r for s in able if (r := self._bring_up(stack, row, s)) is not None]
            for turn in range(self._plan.rounds if row.kind.has_rounds else 1):
                for server in rotated(up, turn):
                    self._record(row, server.server.name, run, partial(self._sample, row, server))

    def _bring_up(
        self, stack: contextlib.ExitStack, row: Row, server: Server
    ) -> servers.Running | None:
        """A server that runs and answers right, or a note why it is left out."""
        cell = self._table.cell(row.key, server.name)
        stack.enter_context(StopNoted(cell))
        try:
            up = stack.enter_context(servers.running(
                server, row, self._site.work, self._site.root,
                *self._plan.server_cores(row)))  # fmt: skip
        except _TROUBLE as error:
            cell.note = str(error)
            return None
        fault = checks.problem(up.port, row, self._site.expected(row))
        if fault:
            cell.note = f"wrong answer: {fault}"
            return None
        return up

    def _sample(self, row: Row, up: servers.Running) -> Sample:
        plan = self._plan
        bench = load.Bench(plan.seconds, plan.load_cores(row), plan.load_program)
        if row.kind is Kind.IDLE:
            count = plan.idle_connections
            return Sample(meters.idle_memory(up.port, up.pid, row.path, count).bytes_each)
        if row.kind is Kind.GROWTH:
            return load.growth(bench, up.port, up.pid, row)
        if row.kind in (Kind.SYSCALLS, Kind.SYSCALLS_CONNECT):
            return load.system_calls(bench, up.port, up.pid, row, up.place.folder / "strace")
        return load.measure(bench, up.port, up.pid, row, checks.wire_size(up.port, row))


def rotated(items: Sequence[_Item], turn: int) -> list[_Item]:
    """Another one begins in every round, so that none is always the first."""
    if not items:
        return []
    first = turn % len(items)
    return [*items[first:], *items[:first]]
