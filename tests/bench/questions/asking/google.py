"""Runs a program of Google Benchmark and reads what it prints; tables out of the figures."""

from __future__ import annotations

import contextlib
import json
import statistics
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from httpbench import proc

from .model import AskError, Grid, Plan

_PATIENCE = 300.0
_ROUND_SECONDS = 0.05  # of one benchmark; the clock is good for that
_UNITS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}
_COUNTERS = ("all", "heap", "held")
_TIME_SUFFIXES = ("/manual_time", "/real_time")


@dataclass(frozen=True)
class Figure:
    """Medians over the repetitions: ns for one item, and the program's own counters."""

    ns: float
    counters: Mapping[str, float]


Figures = Mapping[str, Figure]


def run(plan: Plan, program: Path, environment: Mapping[str, str] | None = None,
        core: int | None = None) -> Figures:  # fmt: skip
    """All benchmarks of a program, in an order that changes from round to round."""
    plan.progress(f"{program.name} {' '.join((environment or {}).values())}".rstrip())
    command = [
        str(program),
        f"--benchmark_min_time={_ROUND_SECONDS}",
        f"--benchmark_repetitions={plan.rounds}",
        "--benchmark_enable_random_interleaving=true",
        "--benchmark_format=json",
    ]
    before = {"PATH": "/usr/bin:/bin", "LC_ALL": "C"}
    place = contextlib.nullcontext() if core is None else proc.pinned(core)
    with place:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE,
                              check=False, env={**before, **(environment or {})})  # fmt: skip
    if done.returncode != 0 or "cannot be preloaded" in done.stderr:
        raise AskError(f"{program.name} ended with {done.returncode}: {done.stderr[-300:]}")
    return figures(done.stdout)


def figures(printed: str) -> Figures:
    """By name; what Google appends to the name of a benchmark with its own clock is taken off."""
    rounds: dict[str, list[tuple[float, dict[str, float]]]] = {}
    for entry in json.loads(printed)["benchmarks"]:
        if entry.get("run_type") != "iteration":
            continue
        name = entry["run_name"]
        suffix = next((end for end in _TIME_SUFFIXES if name.endswith(end)), "")
        clock = "real_time" if suffix else "cpu_time"
        per_second = entry.get("items_per_second")
        ns = 1e9 / per_second if per_second else entry[clock] * _UNITS[entry["time_unit"]]
        counters = {key: float(entry[key]) for key in _COUNTERS if key in entry}
        rounds.setdefault(name.removesuffix(suffix), []).append((ns, counters))
    return {name: _median(seen) for name, seen in rounds.items()}


def _median(seen: Sequence[tuple[float, Mapping[str, float]]]) -> Figure:
    counters = {key: statistics.median(one[key] for _, one in seen) for key in seen[0][1]}
    return Figure(statistics.median(ns for ns, _ in seen), counters)


def pivot(measured: Figures, corner: str, rows: Mapping[str, str],
          columns: Mapping[str, str]) -> Grid:  # fmt: skip
    """The benchmarks named "row/column", by title; one that was not run is "-"."""
    present = {key: title for key, title in columns.items()
               if any(f"{row}/{key}" in measured for row in rows)}  # fmt: skip
    lines = tuple(
        (title, *(_cell(measured, f"{row}/{column}") for column in present))
        for row, title in rows.items()
    )
    return Grid((corner, *present.values()), lines)


def _cell(measured: Figures, name: str) -> str:
    return number(measured[name].ns) if name in measured else "-"


def number(value: float) -> str:
    """Three digits that count, and thousands apart."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"
