"""Loads each way in turn, in one server that stays up; then counts each under callgrind."""

from __future__ import annotations

import contextlib
import dataclasses
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from httpbench import checks, client, instructions, load, proc
from httpbench.model import Row, Sample, Table
from httpbench.rows import HELLO
from httpbench.runner import rotated
from httpbench.starting import wait_until_accepts

from . import ways

Progress = Callable[[str], None]


class RunError(Exception):
    """What cannot be measured, and why."""


@dataclass(frozen=True)
class Plan:
    """How long, how often, where."""

    programs: Path
    rows: Sequence[Row]
    rounds: int
    seconds: int
    requests: int  # counted per way; 0: none
    server_core: int
    load_core: int


def count_key(row: Row) -> str:
    """The row of a Table in which the instructions of `row` are."""
    return f"{row.key}_instructions"


def run(plan: Plan, work: Path, table: Table, progress: Progress) -> None:
    if plan.rounds:
        _load(plan, work, table, progress)
    if not plan.requests:
        return
    if not shutil.which("valgrind"):
        return progress("instructions are left out: valgrind is not installed")
    _count(plan, work, table, progress)


def _load(plan: Plan, work: Path, table: Table, progress: Progress) -> None:
    bench = load.Bench(plan.seconds, (plan.load_core,))
    with _server(plan, work) as (port, pid):
        for row in plan.rows:
            progress(f"{row.title}: {plan.rounds} rounds")
            _check(port, row)
            for turn in range(plan.rounds):
                for way in rotated(ways.WAYS, turn):
                    sample = _sample(bench, port, pid, row, way)
                    cell = table.cell(row.key, way.key)
                    cell.runs = [[*cell.samples(0), sample]]


@contextlib.contextmanager
def _server(plan: Plan, work: Path) -> Iterator[tuple[int, int]]:
    port, output = client.free_port(), work / "output"
    with proc.pinned(plan.server_core):
        process = proc.start(ways.command(plan.programs, port), output)
    try:
        wait_until_accepts(process, port, output)
        yield port, process.pid
    finally:
        proc.stop(process)


def _check(port: int, row: Row) -> None:
    for way in ways.WAYS:
        fault = checks.problem(port, dataclasses.replace(row, path=way.path), HELLO)
        if fault:
            raise RunError(f"{way.title}, {row.title}: {fault}")


def _sample(bench: load.Bench, port: int, pid: int, row: Row, way: ways.Way) -> Sample:
    before = proc.scheduled_seconds(pid)
    asked = dataclasses.replace(row, path=way.path)
    result = load.generate(bench, port, pid, row.kind, asked)
    used = proc.scheduled_seconds(pid) - before
    if result.requests < 1 or result.errors:
        raise RunError(f"{way.title}: {result.requests} requests, {result.errors} errors")
    return Sample(1e6 * used / result.requests, result.requests / result.seconds)


def _count(plan: Plan, work: Path, table: Table, progress: Progress) -> None:
    for row in plan.rows:
        progress(f"{row.title}: instructions of {plan.requests} requests")
        for way in ways.WAYS:
            port = client.free_port()
            argv = ways.command(plan.programs, port)
            counted = instructions.per_request(
                argv, port, way.path, row.depth, plan.requests, work
            )
            table.cell(count_key(row), way.key).runs = [[Sample(counted)]]
