"""Runs rows: servers side by side, interleaved rounds, and a second run of all rows afterwards."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from httpbench import again
from httpbench.generator import Generator, GeneratorError
from httpbench.model import Sample, Table
from httpbench.runner import Keep, Progress, StopNoted, rotated
from httpbench.tracing import TraceError

from . import checks, load, servers
from .rows import Row

_TROUBLE = (
    OSError,
    servers.ServerError,
    GeneratorError,
    TraceError,
    ValueError,
    subprocess.TimeoutExpired,
)


@dataclass(frozen=True)
class Plan:
    rows: Sequence[Row]
    servers: Sequence[servers.Server]
    bench: Generator
    rounds: int
    runs: int
    server_core: int


class Runner:
    """Fills a Table by a Plan; rows that it has already are left as they are."""

    def __init__(
        self, plan: Plan, work: Path, table: Table, progress: Progress, keep: Keep
    ) -> None:
        self._plan = plan
        self._work = work
        self._table = table
        self._progress = progress
        self._keep = keep

    def run_all(self) -> None:
        for run in range(self._plan.runs):
            for row in self._plan.rows:
                if self._table.has(row.key, run):
                    continue
                self._progress(f"run {run + 1}: {row.title}")
                self._run_row(row, run)
                self._keep(self._table)

    def _run_row(self, row: Row, run: int) -> None:
        able = [s for s in self._plan.servers if s.path(row.path)]
        if run > 0:
            references = [target.reference for target in row.targets]
            able = again.of(able, self._table, row.key, references)
        with contextlib.ExitStack() as stack:
            up = [r for s in able if (r := self._bring_up(stack, row, s, run)) is not None]
            for turn in range(self._plan.rounds if row.kind.is_load else 1):
                for server in rotated(up, turn):
                    self._record(row, server, run)

    def _bring_up(
        self, stack: contextlib.ExitStack, row: Row, server: servers.Server, run: int
    ) -> servers.Running | None:
        cell = self._table.cell(row.key, server.name)
        cell.runs.extend([] for _ in range(run + 1 - len(cell.runs)))
        if server.missing():
            cell.note = server.missing()
            return None
        stack.enter_context(StopNoted(cell))
        try:
            up = stack.enter_context(
                servers.running(server, self._work, self._plan.server_core)
            )
        except _TROUBLE as error:
            cell.note = str(error)
            return None
        fault = checks.problem(up.port, row, server.path(row.path))
        if fault:
            cell.note = f"wrong answer: {fault}"
            return None
        return up

    def _record(self, row: Row, up: servers.Running, run: int) -> None:
        """Adds one sample; trouble becomes the cell's note and the row goes on without it."""
        cell = self._table.cell(row.key, up.server.name)
        if cell.note:
            return
        try:
            cell.runs[run].append(self._sample(row, up))
        except _TROUBLE as error:
            cell.note = str(error) or type(error).__name__

    def _sample(self, row: Row, up: servers.Running) -> Sample:
        path = up.server.path(row.path)
        return load.measure(self._plan.bench, row, up.port, up.pid, path)
