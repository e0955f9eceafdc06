"""The daemon's three manners of accepting: what a connection costs, and which worker gets it."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import re
import socket
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from httpbench import client, load, proc, rows, runner, servers
from httpbench.model import Row
from httpbench.server import Place

from .google import number
from .model import Answer, AskError, Grid, Plan

_MODES = {
    "thread": "accept thread, eventfd",
    "reuseport": "`SO_REUSEPORT`",
    "exclusive": "`EPOLLEXCLUSIVE`",
}
_HELD = 1000
_TARGET = re.compile(r"^tfd:\s+(\d+)", re.MULTILINE)


Arrive = Callable[[int], "list[socket.socket]"]


class Accepting(servers.Ssxrver):
    """The daemon in one mode, with so many workers."""

    def __init__(self, program: Path, mode: str, workers: int) -> None:
        super().__init__(f"{mode}-{workers}", program, mode)
        self.workers = workers

    def config(self, place: Place, row: Row) -> dict[str, object]:
        return super().config(place, dataclasses.replace(row, workers=self.workers))


@dataclass(frozen=True)
class Round:
    """Of one connection: CPU time, and how often a thread slept."""

    cpu_us: float
    sleeps: float


def ask(plan: Plan) -> Answer:
    row = rows.select(["connect"])[0]
    with proc.pinned(plan.load_core), runner.make_site() as site:
        costs = _costs(plan, site, row)
        shares = {mode: _shares(plan, site, row, mode) for mode in _MODES}
    return Answer("accept", (_cost_grid(costs), _share_grid(shares)))


# ---- what a connection costs


def _costs(plan: Plan, site: runner.Site, row: Row) -> Mapping[tuple[str, int], Sequence[Round]]:
    costs: dict[tuple[str, int], list[Round]] = {}
    cores = (plan.server_core,)
    for workers in (1, 2):
        plan.progress(f"accept: connection per request, {workers} worker(s)")
        with contextlib.ExitStack() as stack:
            up = [
                (mode, stack.enter_context(_running(plan, site, row, mode, workers, cores)))
                for mode in _MODES
            ]
            for turn in range(plan.rounds):
                for mode, running in runner.rotated(up, turn):
                    costs.setdefault((mode, workers), []).append(_round(plan, running, row))
    return costs


def _round(plan: Plan, running: servers.Running, row: Row) -> Round:
    seconds, own = max(1, round(plan.seconds)), plan.program("ssxrver-bench")
    bench = load.Bench(seconds, (plan.load_core,), own)
    cpu, slept = proc.scheduled_seconds(running.pid), proc.sleeps(running.pid)
    result = load.generate(bench, running.port, running.pid, row.kind, row)
    cpu = proc.scheduled_seconds(running.pid) - cpu
    slept = proc.sleeps(running.pid) - slept
    if result.requests < 1 or result.errors:
        raise AskError(f"{result.requests} requests, {result.errors} errors")
    return Round(1e6 * cpu / result.requests, slept / result.requests)


def _cost_grid(costs: Mapping[tuple[str, int], Sequence[Round]]) -> Grid:
    lines = []
    for mode, title in _MODES.items():
        cells = []
        for workers in (1, 2):
            rounds = costs[mode, workers]
            cells += [number(statistics.median(one.cpu_us for one in rounds)),
                      f"{statistics.median(one.sleeps for one in rounds):.2f}"]  # fmt: skip
        lines.append((title, *cells))
    headings = ("", "CPU us/connection, 1 worker", "wake-ups", "CPU us/connection, 2 workers",
                "wake-ups")  # fmt: skip
    return Grid(headings, tuple(lines))


# ---- which worker gets it


def _shares(plan: Plan, site: runner.Site, row: Row, mode: str) -> Mapping[str, float]:
    """How many of the held connections the busier of two workers has, by how they came."""
    plan.progress(f"accept: {_HELD} held connections, {mode}")
    arrivals = {"burst": _burst, "one by one": _one_by_one}
    cores = tuple(sorted({plan.server_core, plan.load_core}))
    held = {}
    for name, arrive in arrivals.items():
        seen = []
        for _ in range(3):
            with _running(plan, site, row, mode, 2, cores) as running:
                seen.append(_busiest(running, arrive))
        held[name] = statistics.median(seen)
    return held


def _busiest(running: servers.Running, arrive: Arrive) -> float:
    first = _one_by_one(running.port, 1)  # so that everything is up
    before = polled(running.pid)
    peers = arrive(running.port)
    after = polled(running.pid)
    for peer in (*first, *peers):
        peer.close()
    gained = sorted(after[fd] - before.get(fd, 0) for fd in after)
    if sum(gained) != _HELD:
        raise AskError(f"{sum(gained)} of {_HELD} connections are there")
    return gained[-1]


def polled(pid: int) -> Mapping[int, int]:
    """How many sockets each epoll descriptor of a process watches."""
    open_files = {link.name: _pointed_to(link) for link in Path(f"/proc/{pid}/fd").iterdir()}
    sockets = {name for name, what in open_files.items() if what.startswith("socket:")}
    return {
        int(name): len(sockets.intersection(watched(Path(f"/proc/{pid}/fdinfo/{name}"))))
        for name, what in open_files.items()
        if "eventpoll" in what
    }


def watched(info: Path) -> Sequence[str]:
    return _TARGET.findall(info.read_text())


def _pointed_to(link: Path) -> str:
    try:
        return os.readlink(link)
    except FileNotFoundError:  # closed meanwhile
        return ""


def _burst(port: int) -> list[socket.socket]:
    """All connect before any asks: the workers find many at once."""
    peers = [client.connect(port) for _ in range(_HELD)]
    for peer in peers:
        peer.sendall(client.request_bytes(rows.HELLO_PATH))
    for peer in peers:
        client.Reader(peer).answer()
    return peers


def _one_by_one(port: int, count: int = _HELD) -> list[socket.socket]:
    """The next connects when the one before has its answer."""
    peers = []
    for _ in range(count):
        peer = client.connect(port)
        peer.sendall(client.request_bytes(rows.HELLO_PATH))
        client.Reader(peer).answer()
        peers.append(peer)
    return peers


def _share_grid(shares: Mapping[str, Mapping[str, float]]) -> Grid:
    names = list(next(iter(shares.values())))
    lines = tuple(
        (title, *(f"{shares[mode][name]:.0f}" for name in names))
        for mode, title in _MODES.items()
    )  # fmt: skip
    headings = (f"of {_HELD:,} held, the busier of 2 workers has", *names)
    return Grid(headings, lines)


# ---- the daemon


@contextlib.contextmanager
def _running(plan: Plan, site: runner.Site, row: Row, mode: str, workers: int,
             cores: Sequence[int]) -> Iterator[servers.Running]:  # fmt: skip
    server = Accepting(plan.program("ssxrver"), mode, workers)
    with servers.running(server, row, site.work, site.root, cores[0]) as running:
        for task in Path(f"/proc/{running.pid}/task").iterdir():
            os.sched_setaffinity(int(task.name), set(cores))
        yield running
