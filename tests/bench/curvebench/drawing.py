"""A curve as SVG: lines of medians on logarithmic axes. Pure functions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from httpbench.model import FLOOR, OURS

from .model import Curve, Line, Picture

_WIDTH, _HEIGHT = 760, 400
_LEFT, _RIGHT, _TOP, _BOTTOM = 80, 180, 44, 50
_OUR_COLOURS = ("#0b5fa5", "#3d9bc4", "#7a4fb5")
_COLOURS = ("#3d9970", "#e07a5f", "#c9a227", "#b0413e", "#7f8c8d", "#d35400", "#16a085", "#c2569b",
            "#8a6d3b")  # fmt: skip


@dataclass(frozen=True)
class _Stroke:
    colour: str
    width: float
    dashes: str = "none"


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
    lines = [line for line in picture.lines if line.medians()]
    if not lines:
        raise ValueError(f"nothing was measured of {curve.key}")
    across = Axis([point for line in lines for point in line.medians()], _LEFT, _WIDTH - _RIGHT)
    up = Axis([v for line in lines for v in line.medians().values()], _HEIGHT - _BOTTOM, _TOP)
    strokes = _strokes(line.server for line in lines)
    body = []
    for line in sorted(lines, key=lambda line: line.server in OURS):  # ours over the others
        body.extend(_draw(line, strokes[line.server], across, up))
    for index, (server, stroke) in enumerate(strokes.items()):
        body.extend(_name(server, stroke, index))
    return "\n".join([*_frame(curve), *_grid(across, up), *body, "</svg>", ""])


def _strokes(servers: Iterable[str]) -> dict[str, _Stroke]:
    """No two alike: who comes behind the last colour has the first again, in dashes."""
    out: dict[str, _Stroke] = {}
    others = 0
    for server in servers:
        if server == FLOOR:
            out[server] = _Stroke("#222222", 1.5, "6 4")
        elif server in OURS:
            out[server] = _Stroke(_OUR_COLOURS[OURS.index(server)], 3)
        else:
            again, place = divmod(others, len(_COLOURS))
            out[server] = _Stroke(_COLOURS[place], 1.5, f"{2 * again} 3" if again else "none")
            others += 1
    return out


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


def _draw(line: Line, stroke: _Stroke, across: Axis, up: Axis) -> list[str]:
    dots = [(across.place(point), up.place(value)) for point, value in line.medians().items()]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in dots)
    out = [f'<polyline points="{path}" fill="none" {_ink(stroke)}/>']
    for x, y in dots:
        out.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{stroke.colour}"/>')
    return out


def _name(server: str, stroke: _Stroke, index: int) -> list[str]:
    y, left = _TOP + 10 + 18 * index, _WIDTH - _RIGHT + 14
    return [
        f'<line x1="{left}" y1="{y}" x2="{left + 22}" y2="{y}" {_ink(stroke)}/>',
        f'<text x="{left + 28}" y="{y + 4}">{escape(server)}</text>',
    ]


def _ink(stroke: _Stroke) -> str:
    return (
        f'stroke="{stroke.colour}" stroke-width="{stroke.width:g}" '
        f'stroke-dasharray="{stroke.dashes}"'
    )
