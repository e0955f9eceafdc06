"""Curves as text and Markdown: a table of medians for each. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence

from .drawing import medians
from .model import Album, Curve, Line, Picture


def as_markdown(album: Album, curves: Sequence[Curve]) -> str:
    facts = "; ".join(f"{name}: {value}" for name, value in album.environment.items())
    parts = [_table(curve, album.picture(curve.key)) for curve in curves]
    return "\n\n".join([*(part for part in parts if part), facts]) + "\n"


def _table(curve: Curve, picture: Picture) -> str:
    """Empty when nothing was measured."""
    points = sorted({point for line in picture.lines for point in line.samples})
    if not points:
        return ""
    out = [
        f"{curve.title}: {curve.y} at so many {curve.x}" if "rate" not in curve.title
        else f"{curve.title}: {curve.y}",
        "",
        "| server | " + " | ".join(f"{point:,}" for point in points) + " | notes |",
        "|---" * (len(points) + 2) + "|",
    ]  # fmt: skip
    out.extend(_row(line, points) for line in picture.lines)
    return "\n".join(out)


def _row(line: Line, points: Sequence[int]) -> str:
    found = medians(line)
    cells = [_number(found[point]) if point in found else "-" for point in points]
    return f"| {line.server} | " + " | ".join(cells) + f" | {line.note} |"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"


def growth(line: Line, low: int, high: int) -> float | None:
    """How much more a request costs at `high` connections than at `low`."""
    found = medians(line)
    return found[high] / found[low] if low in found and high in found else None
