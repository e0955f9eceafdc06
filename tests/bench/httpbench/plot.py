"""The ratios to the floor as an SVG bar chart, on a logarithmic axis. Pure functions of a Table."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from html import escape

from .model import FLOOR, Row, Table
from .report import ratio

_BAR = 14
_GAP = 10
_LEFT = 230
_TITLE = 33  # characters that have room there
_LINE = 14
_WIDTH = 520
_RIGHT = 110
_TOP = 84
_TICKS = (1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0, 100.0)
_COLOURS = ("#1f6f8b", "#3d9bc4", "#8cc7de", "#3d9970", "#8e6bbf", "#c9a227", "#7f8c8d", "#e07a5f",
            "#b0413e", "#5b4b8a", "#4a4a4a")  # fmt: skip


def as_svg(table: Table, rows: Sequence[Row], figure: str = "Server CPU per request") -> str:
    """One group of bars per row that has a floor; the floor itself is the line at 1."""
    groups = [(row, bars) for row in rows if (bars := _bars(table, row))]
    servers = list(dict.fromkeys(name for _, bars in groups for name, _ in bars))
    colours = {name: _COLOURS[i % len(_COLOURS)] for i, name in enumerate(servers)}
    highest = max((value for _, bars in groups for _, value in bars), default=1.5)
    scale = _Scale(max(1.5, highest) * 1.05)
    body, bottom = _draw_groups(groups, colours, scale)
    lines = [*_frame(bottom, figure), *_legend(colours), *_grid(scale, bottom), *body, "</svg>", ""]
    return "\n".join(lines)


class _Scale:
    """Ratio -> x. The axis begins below 1, so that a bar shorter than the floor's shows."""

    _LOWEST = 0.8

    def __init__(self, highest: float) -> None:
        self.highest = highest

    def x(self, value: float) -> float:
        reach = math.log(max(value, self._LOWEST) / self._LOWEST)
        return _LEFT + _WIDTH * reach / math.log(self.highest / self._LOWEST)

    def ticks(self) -> list[float]:
        return [tick for tick in _TICKS if tick <= self.highest]


def _bars(table: Table, row: Row) -> list[tuple[str, float]]:
    if not row.kind.is_load:
        return []
    others = [name for name in table.servers() if name != FLOOR]
    found = [(name, ratio(table, row.key, name, FLOOR, 0)) for name in others]
    return [(name, figure.median) for name, figure in found if figure is not None]


def _frame(bottom: float, figure: str) -> list[str]:
    width, height = _LEFT + _WIDTH + _RIGHT, bottom + 20
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height:.0f}" '
        f'viewBox="0 0 {width} {height:.0f}" font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height:.0f}" fill="white"/>',
        f'<text x="{_LEFT}" y="20" font-size="14">{escape(figure)}, floor = 1 '
        "(less is better)</text>",
    ]


def _legend(colours: dict[str, str]) -> list[str]:
    out, x, y = [], _LEFT, 30
    for name, colour in colours.items():
        width = 30 + 7 * len(name)
        if x + width > _LEFT + _WIDTH + _RIGHT:
            x, y = _LEFT, y + 18
        out.append(f'<rect x="{x}" y="{y}" width="10" height="10" fill="{colour}"/>')
        out.append(f'<text x="{x + 14}" y="{y + 9}">{escape(name)}</text>')
        x += width
    return out


def _grid(scale: _Scale, bottom: float) -> list[str]:
    out = []
    for tick in scale.ticks():
        x = scale.x(tick)
        stroke = "#333" if tick == 1.0 else "#ddd"
        out.append(
            f'<line x1="{x:.1f}" y1="{_TOP - 8}" x2="{x:.1f}" y2="{bottom:.0f}" stroke="{stroke}"/>'
        )
        out.append(f'<text x="{x:.1f}" y="{bottom + 14:.0f}" text-anchor="middle">{tick:g}</text>')
    return out


def _draw_groups(
    groups: Sequence[tuple[Row, list[tuple[str, float]]]], colours: dict[str, str], scale: _Scale
) -> tuple[list[str], float]:
    out: list[str] = []
    y = float(_TOP)
    for row, bars in groups:
        out.extend(_title(y + _BAR * len(bars) / 2, row.title))
        for server, value in bars:
            out.extend(_bar(y, value, colours[server], scale))
            y += _BAR
        y += _GAP
    return out, y


def _title(middle: float, title: str) -> list[str]:
    lines = textwrap.wrap(title, _TITLE)
    first = middle + 4 - _LINE * (len(lines) - 1) / 2
    place = f'x="{_LEFT - 10}" text-anchor="end"'
    return [
        f'<text {place} y="{first + _LINE * i:.0f}">{escape(line)}</text>'
        for i, line in enumerate(lines)
    ]


def _bar(y: float, value: float, colour: str, scale: _Scale) -> list[str]:
    end = scale.x(value)
    return [
        f'<rect x="{_LEFT}" y="{y:.0f}" width="{end - _LEFT:.1f}" height="{_BAR - 2}" '
        f'fill="{colour}"/>',
        f'<text x="{end + 4:.1f}" y="{y + 10:.0f}" font-size="11">{value:.2f}</text>',
    ]
