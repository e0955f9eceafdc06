"""Measures curves: all servers up, each point by each of them in turn, and so again and again."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from httpbench import checks, rows, servers
from httpbench.client import HttpError
from httpbench.generator import Generator, GeneratorError
from httpbench.runner import Site, rotated
from httpbench.server import Server
from httpbench.starting import ServerError

from . import load
from .model import Album, Curve, Line

Progress = Callable[[str], None]
_TROUBLE = (OSError, ServerError, HttpError, GeneratorError)
# What a process has open beside its connections, and what a server keeps free for newcomers.
_FILES_BESIDE = 1_500
_ONE_RUN = ("throughput", "growth")  # a point of both comes out of one run
# Tables, caches and the allocator's first pages are not a connection's cost.
_HELD_BEFORE = 200


@dataclass(frozen=True)
class Plan:
    curves: Sequence[Curve]
    servers: Sequence[Server]
    bench: Generator
    rounds: int
    server_core: int
    files: int  # that a process may have open

    def points(self, curve: Curve) -> list[int]:
        """Connections that do not fit into the limit of open files become as many as do."""
        if curve.key == "latency":
            return list(curve.points)
        most = self.files - _FILES_BESIDE
        return sorted({min(point, most) for point in curve.points})


class Runner:
    """Fills an Album by a Plan."""

    def __init__(self, plan: Plan, site: Site, album: Album, progress: Progress) -> None:
        self._plan = plan
        self._site = site
        self._album = album
        self._progress = progress

    def run_all(self) -> None:
        wanted = {curve.key: curve for curve in self._plan.curves}
        loops = [wanted[key] for key in _ONE_RUN if key in wanted][:1]
        for curve in (*loops, *(c for c in self._plan.curves if c.key in ("latency", "memory"))):
            self._progress(curve.title)
            points = self._plan.points(curve)
            if curve.key == "memory":
                for point in points:
                    self._measure(curve, [point], 1)  # by servers that have held nothing before
            else:
                self._measure(curve, points, self._plan.rounds)

    def _measure(self, curve: Curve, points: Sequence[int], rounds: int) -> None:
        with contextlib.ExitStack() as stack:
            up = self._bring_up(stack, curve)
            for point in points:
                for turn in range(rounds):
                    for server in rotated(up, turn):
                        self._look(curve, point, server)

    def _bring_up(self, stack: contextlib.ExitStack, curve: Curve) -> list[servers.Running]:
        row = rows.select(["hello"])[0]
        up = []
        for server in self._plan.servers:
            if server.missing() or not rows.serves(server.name, row):
                continue
            try:
                running = stack.enter_context(servers.running(
                    server, row, self._site.work, self._site.root,
                    self._plan.server_core))  # fmt: skip
            except _TROUBLE as error:
                self._note(curve, server.name, str(error))
                continue
            fault = checks.problem(running.port, row, rows.HELLO)
            if fault:
                self._note(curve, server.name, f"wrong answer: {fault}")
            else:
                up.append(running)
        return up

    def _look(self, curve: Curve, point: int, up: servers.Running) -> None:
        """One round. A server whose line has ended is asked no more."""
        line = self._album.picture(curve.key).line(up.server.name)
        end = line.end()
        if end is not None and end < point:
            return
        bench, port, pid = self._plan.bench, up.port, up.pid
        try:
            if curve.key == "latency":
                line.add(point, load.at_rate(bench, port, pid, point))
            elif curve.key == "memory":
                load.held(bench, port, pid, _HELD_BEFORE)
                line.add(point, load.held(bench, port, pid, point))
            else:
                for key, value in load.closed_loop(bench, port, pid, point).items():
                    self._album.picture(key).line(up.server.name).add(point, value)
        except _TROUBLE as error:
            for line in self._lines(curve, up.server.name):
                line.fail(point, str(error))

    def _note(self, curve: Curve, server: str, text: str) -> None:
        for line in self._lines(curve, server):
            line.note = text

    def _lines(self, curve: Curve, server: str) -> list[Line]:
        """That a run of this curve is a point of."""
        keys = _ONE_RUN if curve.key in _ONE_RUN else (curve.key,)
        return [self._album.picture(key).line(server) for key in keys]
