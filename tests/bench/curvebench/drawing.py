"""A curve as SVG: lines of medians on logarithmic axes. Pure functions."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from html import escape

from .model import Curve, Line, Picture

_WIDTH, _HEIGHT = 640, 340
_LEFT, _RIGHT, _TOP, _BOTTOM = 80, 170, 44, 50
_COLOURS = ("#1f6f8b", "#e07a5f", "#3d9970", "#8e6bbf", "#c9a227", "#7f8c8d", "#b0413e", "#34495e",
            "#d35400", "#16a085")  # fmt: skip


class Axis:
    """Value -> place, logarithmic; it begins and ends at 1, 2 or 5 times a power of ten.

    What is 0, memory that was there already, has its place at the beginning.
    """

    def __init__(self, values: Sequence[float], start: float, end: float) -> None:
        self._low = _step_below(min((value for value in values if value > 0), default=1.0))
        self._high = max(_step_above(max(*values, self._low)), self._low * 2)
        self._start = start
        self._end = end

    def place(self, value: float) -> float:
        share = math.log(max(value, self._low) / self._low) / math.log(self._high / self._low)
        return self._start + share * (self._end - self._start)

    def ticks(self) -> list[float]:
        wide = self._high / self._low > 1000
        out, power = [], 10.0 ** math.floor(math.log10(self._low))
        while power <= self._high:
            for factor in (1,) if wide else (1, 2, 5):
                if self._low <= factor * power <= self._high * 1.0001:
                    out.append(factor * power)
            power *= 10
        return out


def as_svg(curve: Curve, picture: Picture) -> str:
    lines = [line for line in picture.lines if line.samples]
    if not lines:
        raise ValueError(f"nothing was measured of {curve.key}")
    across = Axis([point for line in lines for point in line.samples], _LEFT, _WIDTH - _RIGHT)
    up = Axis([v for line in lines for v in medians(line).values()], _HEIGHT - _BOTTOM, _TOP)
    body = []
    for index, line in enumerate(lines):
        body.extend(_draw(line, _COLOURS[index % len(_COLOURS)], across, up, index))
    return "\n".join([*_frame(curve), *_grid(across, up), *body, "</svg>", ""])


def medians(line: Line) -> dict[int, float]:
    return {point: statistics.median(line.samples[point]) for point in sorted(line.samples)}


def _step_below(value: float) -> float:
    power = 10.0 ** math.floor(math.log10(value))
    return max(step * power for step in (1, 2, 5) if step * power <= value * 1.0001)


def _step_above(value: float) -> float:
    power = 10.0 ** math.floor(math.log10(value))
    return min(step * power for step in (1, 2, 5, 10) if step * power >= value * 0.9999)


def _frame(curve: Curve) -> list[str]:
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}" '
        f'viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>',
        f'<text x="{_LEFT}" y="20" font-size="14">{escape(curve.title)}</text>',
        f'<text x="{middle:.0f}" y="{_HEIGHT - 12}" text-anchor="middle">{escape(curve.x)}</text>',
        f'<text x="{_LEFT}" y="36" fill="#555">{escape(curve.y)}</text>',
    ]


def _grid(across: Axis, up: Axis) -> list[str]:
    out = []
    for tick in across.ticks():
        x, below = across.place(tick), _HEIGHT - _BOTTOM + 16
        out.append(_rule(x, _TOP, x, _HEIGHT - _BOTTOM))
        out.append(f'<text x="{x:.1f}" y="{below}" text-anchor="middle">{tick:,.0f}</text>')
    for tick in up.ticks():
        y = up.place(tick)
        out.append(_rule(_LEFT, y, _WIDTH - _RIGHT, y))
        out.append(
            f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{_tick_text(tick)}</text>'
        )
    return out


def _tick_text(tick: float) -> str:
    return f"{tick:,.0f}" if tick >= 1 else f"{tick:g}"


def _rule(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="#e4e4e4"/>'


def _draw(line: Line, colour: str, across: Axis, up: Axis, index: int) -> list[str]:
    dots = [(across.place(point), up.place(value)) for point, value in medians(line).items()]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in dots)
    out = [f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>']
    out.extend(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{colour}"/>' for x, y in dots)
    place = _TOP + 6 + 18 * index
    edge = _WIDTH - _RIGHT + 14
    out.append(f'<rect x="{edge}" y="{place}" width="10" height="10" fill="{colour}"/>')
    out.append(f'<text x="{edge + 16}" y="{place + 9}">{escape(line.server)}</text>')
    return out
