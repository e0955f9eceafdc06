"""Runs the programs of Google Benchmark, and reads what they say."""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from httpbench import environment
from httpbench.runner import rotated
from httpbench.stats import spread

from .model import CALIBRATION, Figure, Run, RunError

_SUFFIX = "_bench"
_PATIENCE = 600.0
_NANOSECONDS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}
_SETTINGS = re.compile(r"/(min_time|min_warmup_time|iterations|repeats):[^/]*")


@dataclass(frozen=True)
class Plan:
    """Each program is started in every round: where its memory lies differs from start to start,
    and that is a part of the spread."""

    rounds: int
    repetitions: int
    seconds: float  # of each benchmark in each repetition
    filter: str = ""

    def options(self) -> list[str]:
        chosen = f"({self.filter})|^{CALIBRATION}" if self.filter else "."
        return [
            "--benchmark_format=json",
            "--benchmark_enable_random_interleaving=true",
            f"--benchmark_repetitions={self.repetitions}",
            f"--benchmark_min_time={self.seconds}",
            f"--benchmark_filter={chosen}",
        ]

    def text(self) -> str:
        return f"{self.rounds} rounds of {self.repetitions} repetitions of {self.seconds:g} s"


@dataclass
class Series:
    """What was seen of one benchmark so far."""

    times: list[float] = field(default_factory=list)
    bytes: int = 0

    def figure(self) -> Figure:
        return Figure(spread(self.times), self.bytes)


def program_name(text: str) -> str:
    return text if text.endswith(_SUFFIX) else text + _SUFFIX


def find(folder: Path, only: Sequence[str]) -> list[Path]:
    """The programs of a folder, or those named of them, by program_name()."""
    known = {path.name: path for path in sorted(folder.glob(f"*{_SUFFIX}"))}
    if not known:
        raise RunError(f"no program *{_SUFFIX} in {folder}; ./build.sh bench --compare builds them")
    wanted = [program_name(name) for name in only]
    unknown = sorted(set(wanted) - set(known))
    if unknown:
        raise RunError(f"no program {', '.join(unknown)}; there are {', '.join(known)}")
    return [path for name, path in known.items() if not wanted or name in wanted]


def measure(programs: Sequence[Path], plan: Plan, progress: Callable[[str], None]) -> Run:
    series: dict[str, dict[str, Series]] = {path.name: {} for path in programs}
    context: Mapping[str, Any] = {}
    for number in range(plan.rounds):
        for path in rotated(programs, number):
            progress(f"round {number + 1} of {plan.rounds}: {path.name}")
            report = _run(path, plan)
            context = report.get("context", {})
            _collect(report, series[path.name])
    figures = {
        program: {name: seen.figure() for name, seen in benchmarks.items()}
        for program, benchmarks in series.items()
    }
    # A filter may leave a program with nothing but its calibration.
    chosen = {
        program: benchmarks
        for program, benchmarks in figures.items()
        if any(not name.startswith(CALIBRATION) for name in benchmarks)
    }
    if not chosen:
        raise RunError(f"no benchmark is like {plan.filter!r}")
    return Run(_facts(context, plan), chosen)


def seen_in(report: Mapping[str, Any]) -> dict[str, Series]:
    """What one start of a program has measured, by name."""
    series: dict[str, Series] = {}
    _collect(report, series)
    return series


def _run(path: Path, plan: Plan) -> Mapping[str, Any]:
    try:
        done = subprocess.run(
            [str(path), *plan.options()],
            capture_output=True,
            text=True,
            timeout=_PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise RunError(f"{path.name}: {error}") from error
    if done.returncode != 0:
        raise RunError(f"{path.name} ended with {done.returncode}: {done.stderr.strip()[-500:]}")
    if not done.stdout.strip():  # the filter fits nothing
        return {"benchmarks": []}
    try:
        report: Mapping[str, Any] = json.loads(done.stdout)
    except ValueError as error:
        raise RunError(f"{path.name} wrote no JSON: {error}") from error
    return report


def _collect(report: Mapping[str, Any], series: dict[str, Series]) -> None:
    # Interleaved at random: back in the order of the source.
    for entry in sorted(report["benchmarks"], key=_place):
        if entry.get("error_occurred"):
            raise RunError(f"{entry['name']}: {entry.get('error_message', 'failed')}")
        if entry["run_type"] != "iteration":
            continue
        name = _SETTINGS.sub("", entry["run_name"])
        # Who waits for another thread has to be measured by the wall, who works by the processor.
        clock = "real_time" if name.endswith("/real_time") else "cpu_time"
        nanoseconds = entry[clock] * _NANOSECONDS[entry["time_unit"]]
        seen = series.setdefault(name, Series())
        seen.times.append(nanoseconds)
        seen.bytes = round(entry.get("bytes_per_second", 0) * nanoseconds / 1e9)


def _place(entry: Mapping[str, Any]) -> tuple[int, int]:
    return entry.get("family_index", 0), entry.get("per_family_instance_index", 0)


def _facts(context: Mapping[str, Any], plan: Plan) -> dict[str, str]:
    kernel = ".".join(platform.release().split(".")[:2])
    cores = os.cpu_count()
    return {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "machine": f"{environment.processor()}, {cores} cores, Linux {kernel}",
        "build": f"{context.get('compiler', 'compiler unknown')}, {context.get('build', '?')}",
        "commit": environment.commit(),
        "plan": plan.text(),
    }
