"""Horizontal bars as SVG. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

_LEFT = 240
_WIDTH = 460
_BAR = 18
_TOP = 44
_COLOURS = ("#1f6f8b", "#e07a5f", "#3d9970", "#8e6bbf", "#c9a227")


@dataclass(frozen=True)
class Bar:
    label: str
    value: float
    group: str  # bars of a group have a colour


def as_svg(title: str, unit: str, bars: Sequence[Bar]) -> str:
    """One bar below the other, in the order given, each with its figure."""
    highest = max((bar.value for bar in bars), default=0) or 1
    groups = list(dict.fromkeys(bar.group for bar in bars))
    height = _TOP + (_BAR + 6) * len(bars) + 16
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_LEFT + _WIDTH + 120}" '
        f'height="{height}" font-family="sans-serif" font-size="12">',
        f'<rect width="100%" height="{height}" fill="white"/>',
        f'<text x="20" y="24" font-size="14">{escape(title)}</text>',
    ]
    for i, bar in enumerate(bars):
        y = _TOP + (_BAR + 6) * i
        length = _WIDTH * bar.value / highest
        colour = _COLOURS[groups.index(bar.group) % len(_COLOURS)]
        out += [
            f'<text x="{_LEFT - 8}" y="{y + 13}" text-anchor="end">{escape(bar.label)}</text>',
            f'<rect x="{_LEFT}" y="{y}" width="{length:.1f}" height="{_BAR}" fill="{colour}"/>',
            f'<text x="{_LEFT + length + 6:.1f}" y="{y + 13}">{bar.value:,.1f} {unit}</text>',
        ]
    return "\n".join([*out, "</svg>", ""])
