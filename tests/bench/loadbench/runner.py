"""Has each generator load the floor in turn, and reads what that has cost the generator."""

from __future__ import annotations

import resource
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from httpbench import checks, load, servers
from httpbench.model import FLOOR, Row, Sample, Table
from httpbench.rows import HELLO
from httpbench.runner import rotated

from . import loads

Progress = Callable[[str], None]


class RunError(Exception):
    """What cannot be measured, and why."""


@dataclass(frozen=True)
class Plan:
    """How often, how long, where."""

    programs: Path
    rounds: int
    seconds: int
    server_core: int
    load_core: int

    @property
    def bench(self) -> load.Bench:
        return load.Bench(self.seconds, (self.load_core,), self.programs / loads.OWN)


def run(plan: Plan, work: Path, table: Table, progress: Progress) -> None:
    floor = servers.Floor(FLOOR, plan.programs / "epoll_http")
    lacking = floor.missing() or _lacking(plan.bench.own)
    if lacking:
        raise RunError(lacking)
    for row in loads.rows():
        progress(f"{row.title}: {plan.rounds} rounds")
        with servers.running(floor, row, work, work, plan.server_core) as up:
            fault = checks.problem(up.port, row, HELLO)
            if fault:
                raise RunError(f"the floor's answer is wrong: {fault}")
            for turn in range(plan.rounds):
                for name in rotated(loads.LOADS, turn):
                    cell = table.cell(row.key, name)
                    cell.runs = [[*cell.samples(0), _sample(plan.bench, up, row, name)]]


def _lacking(own: Path) -> str:
    names = [name for name in (loads.WRK, str(own)) if not shutil.which(name)]
    return f"{', '.join(names)} not installed" if names else ""


def _sample(bench: load.Bench, up: servers.Running, row: Row, name: str) -> Sample:
    before = _children_seconds()
    result = loads.generate(name, bench, up.port, up.pid, row)
    used = _children_seconds() - before
    if result.requests < 1:
        raise RunError(f"{name}, {row.title}: not one request was answered")
    return Sample(
        value=1e6 * used / result.requests,
        rate=result.requests / result.seconds,
        errors=result.errors,
        p50_us=result.p50_us,
        p99_us=result.p99_us,
    )


def _children_seconds() -> float:
    """CPU time of the children that have ended: the server is not among them."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
