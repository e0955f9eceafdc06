"""Level against edge triggering: rounds of trigger_question, its manners in turn."""

from __future__ import annotations

import json
import statistics
import subprocess
from collections.abc import Mapping, Sequence

from httpbench.runner import rotated

from .google import number
from .model import Answer, AskError, Grid, Plan

_MANNERS = {
    "level": "level",
    "edge": "edge, until EAGAIN",
    "short": "edge, until a short read",
    "oneshot": "one shot",
}
_ROWS = {
    "keepalive": "keep-alive, 100 connections",
    "crowd": "keep-alive, 8,000 connections",
    "upload": "1 MiB received",
    "download": "1 MiB sent through a small socket",
}
_CALLS = ("wait", "receive", "send", "control")
_PATIENCE = 30.0


def ask(plan: Plan) -> Answer:
    lines = []
    for row, title in _ROWS.items():
        plan.progress(f"trigger: {title}")
        rounds: dict[str, list[Mapping[str, float]]] = {manner: [] for manner in _MANNERS}
        for turn in range(plan.rounds):
            for manner in rotated(list(_MANNERS), turn):
                rounds[manner].append(_round(plan, manner, row))
        lines += [_line(title, manner, seen) for manner, seen in rounds.items()]
    headings = ("", "manner", "CPU us/request", "calls", "`epoll_wait`", "`recv`", "`send`",
                "`epoll_ctl`")  # fmt: skip
    return Answer("trigger", (Grid(headings, tuple(lines)),))


def _round(plan: Plan, manner: str, row: str) -> Mapping[str, float]:
    cores = [str(plan.server_core), str(plan.load_core)]
    command = [str(plan.program("trigger_question")), manner, row, str(plan.seconds / 2), *cores]
    done = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE, check=False)
    if done.returncode != 0:
        raise AskError(f"trigger_question ended with {done.returncode}: {done.stderr[-300:]}")
    return dict(json.loads(done.stdout))


def _line(title: str, manner: str, rounds: Sequence[Mapping[str, float]]) -> tuple[str, ...]:
    middle = {key: statistics.median(one[key] for one in rounds) for key in (*_CALLS, "cpu_us")}
    calls = [f"{middle[key]:.2f}" for key in _CALLS]
    total = sum(middle[key] for key in _CALLS)
    return (title, _MANNERS[manner], number(middle["cpu_us"]), f"{total:.2f}", *calls)
