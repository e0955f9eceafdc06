"""Pools against malloc: the same program, and the same daemon, under each allocator of Debian."""

from __future__ import annotations

import contextlib
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from httpbench import load, proc, rows, runner, servers
from httpbench.model import Row, Sample
from httpbench.server import Place

from . import google
from .model import Answer, AskError, Grid, Plan

_LIBRARIES = {
    "jemalloc": "libjemalloc.so.2",  # libjemalloc2
    "tcmalloc": "libtcmalloc_minimal.so.4",  # libtcmalloc-minimal4
}
_GLIBC = "glibc"
_PATTERNS = {
    "frames": "frames of coroutines, last in, first out",
    "connections": "448 bytes, any one of 4,096 replaced",
    "mixed": "64 to 1,023 bytes, any one of 4,096 replaced",
    "handed_over": "320 bytes, given back by another thread",
}
_ROWS = ("hello", "connect")


@dataclass(frozen=True)
class Allocator:
    """What LD_PRELOAD has to say for it; nothing for the C library's own."""

    name: str
    library: str = ""

    @property
    def environment(self) -> Mapping[str, str]:
        return {"LD_PRELOAD": self.library} if self.library else {}


class Preloaded(servers.Ssxrver):
    """The daemon under one allocator."""

    def __init__(self, program: Path, allocator: Allocator) -> None:
        super().__init__(allocator.name, program, "reuseport")
        self.allocator = allocator

    def command(self, place: Place, row: Row) -> list[str]:
        setting = [f"{name}={value}" for name, value in self.allocator.environment.items()]
        return ["env", *setting, *super().command(place, row)]


def ask(plan: Plan) -> Answer:
    allocators = _here(plan)
    measured = {
        one.name: google.run(plan, plan.program("memory_question"), one.environment)
        for one in allocators
    }
    return Answer("memory", (_patterns(measured), _daemon(plan, allocators)))


def _here(plan: Plan) -> Sequence[Allocator]:
    found = [Allocator(_GLIBC)]
    for name, file in _LIBRARIES.items():
        paths = sorted(Path("/usr/lib").glob(f"*/{file}"))
        if paths:
            found.append(Allocator(name, str(paths[0])))
        else:
            plan.progress(f"{name} is left out: no {file}")
    return found


def _patterns(measured: Mapping[str, google.Figures]) -> Grid:
    """The pool on the C library's malloc, then each malloc without a pool."""
    lines = tuple(
        (title, google.number(measured[_GLIBC][f"{key}/pool"].ns),
         *(google.number(figures[f"{key}/malloc"].ns) for figures in measured.values()))
        for key, title in _PATTERNS.items()
    )  # fmt: skip
    return Grid(("ns to take, write and give back", "pool of frames", *measured), lines)


def _daemon(plan: Plan, allocators: Sequence[Allocator]) -> Grid:
    """CPU per request, and memory after the load of all rounds."""
    lines: dict[str, list[str]] = {one.name: [one.name] for one in allocators}
    headings = ["the daemon under"]
    with proc.pinned(plan.load_core), runner.make_site() as site:
        for row in rows.select(_ROWS):
            plan.progress(f"daemon: {row.title}")
            headings += [f"CPU us/request, {row.title}", "resident MiB"]
            for name, (cpu, resident) in _row(plan, site, row, allocators).items():
                lines[name] += [google.number(cpu), f"{resident / 2**20:.1f}"]
    return Grid(tuple(headings), tuple(tuple(line) for line in lines.values()))


def _row(plan: Plan, site: runner.Site, row: Row,
         allocators: Sequence[Allocator]) -> Mapping[str, tuple[float, int]]:  # fmt: skip
    samples: dict[str, list[Sample]] = {one.name: [] for one in allocators}
    resident: dict[str, int] = {}
    seconds, own = max(1, round(plan.seconds)), plan.program("ssxrver-bench")
    bench = load.Bench(seconds, (plan.load_core,), own)
    with contextlib.ExitStack() as stack:
        up = []
        for one in allocators:
            server = Preloaded(plan.program("ssxrver"), one)
            running = stack.enter_context(
                servers.running(server, row, site.work, site.root, plan.server_core)
            )
            _check_preloaded(running.pid, one)
            up.append(running)
        for turn in range(plan.rounds):
            for running in runner.rotated(up, turn):
                sample = load.measure(bench, running.port, running.pid, row, 1)
                samples[running.server.name].append(sample)
        for running in up:
            resident[running.server.name] = proc.resident_bytes(running.pid)
    return {
        name: (statistics.median(sample.value for sample in seen), resident[name])
        for name, seen in samples.items()
    }


def _check_preloaded(pid: int, allocator: Allocator) -> None:
    if allocator.library and allocator.library not in Path(f"/proc/{pid}/maps").read_text():
        raise AskError(f"{allocator.library} is not in the daemon")
