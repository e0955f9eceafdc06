"""Which figures have moved, and which only seem to. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from httpbench.stats import Spread

from .model import CALIBRATION, Figure, Program, Run

_CYCLE = 0.4  # ns, at 2.5 GHz: how a loop happens to be aligned makes so much


class Verdict(str, Enum):
    FASTER = "faster"
    SLOWER = "SLOWER"
    SAME = "same"
    NEW = "new"
    GONE = "gone"


@dataclass(frozen=True)
class Machine:
    """How long the work that never changes takes now, as a multiple of then: of its kinds, the
    least and the most. What lies between the two, the machine alone may do to any other work, as
    nobody knows how much of which kind is in it."""

    least: float = 1.0
    most: float = 1.0

    def without(self, ratio: float) -> float:
        """What is left of a ratio when the machine explains as much of it as it can."""
        return ratio / min(max(ratio, self.least), self.most)


@dataclass(frozen=True)
class Line:
    """One benchmark then and now. The ratio is what the machine does not explain; below 1 is
    faster."""

    program: str
    name: str
    before: Figure | None
    now: Figure | None
    ratio: float | None
    verdict: Verdict


def machine_change(before: Program, now: Program) -> Machine:
    """Of one program; nothing where one side has no calibration."""
    ratios = [
        now[name].time.median / before[name].time.median
        for name in now
        if name.startswith(CALIBRATION) and name in before
    ]
    return Machine(min(ratios), max(ratios)) if ratios else Machine()


def judge(before: Spread, now: Spread, machine: Machine, tolerance: float) -> Verdict:
    """Moved is what moved by more than the tolerance, than both spreads together and than a cycle,
    whichever way the machine has changed."""
    if _exceeds(_scaled(now, 1 / machine.most), before, tolerance):
        return Verdict.SLOWER
    if _exceeds(before, _scaled(now, 1 / machine.least), tolerance):
        return Verdict.FASTER
    return Verdict.SAME


def compare(before: Run, now: Run, tolerance: float) -> list[Line]:
    """In the order of this run, then what is gone."""
    lines = [
        _line(program, name, before.programs.get(program, {}), now.programs[program], tolerance)
        for program, name, _ in now.figures()
    ]
    gone = [
        Line(program, name, figure, None, None, Verdict.GONE)
        for program, name, figure in before.figures()
        if name not in now.programs.get(program, {})
    ]
    return lines + gone


def is_worse(lines: Sequence[Line]) -> bool:
    return any(line.verdict is Verdict.SLOWER for line in lines)


def _line(program: str, name: str, before: Program, now: Program, tolerance: float) -> Line:
    then, figure = before.get(name), now[name]
    if then is None:
        return Line(program, name, None, figure, None, Verdict.NEW)
    machine = machine_change(before, now)
    ratio = machine.without(figure.time.median / then.time.median)
    verdict = judge(then.time, figure.time, machine, tolerance)
    return Line(program, name, then, figure, ratio, verdict)


def _exceeds(longer: Spread, shorter: Spread, tolerance: float) -> bool:
    difference = longer.median - shorter.median
    spread = (longer.high - longer.low) + (shorter.high - shorter.low)
    return difference > max(tolerance * shorter.median, spread, _CYCLE)


def _scaled(spread: Spread, factor: float) -> Spread:
    low, median, high = (value * factor for value in (spread.low, spread.median, spread.high))
    return Spread(low, median, high, spread.count)
