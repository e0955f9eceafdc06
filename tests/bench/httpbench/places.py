"""Who is first, row by row: the best of ours beside the best of the others. Pure functions."""

from __future__ import annotations

import math
from collections.abc import Iterable

from . import others, tables
from .model import FLOOR, OURS, Row, Table, Target
from .report import judged, ratio
from .stats import is_met, spread

HEADINGS = ("row", "best peer", "its figure", "ours", "figure", "ours / best peer", "place",
            "target", "met by")  # fmt: skip


def as_markdown(table: Table, rows: Iterable[Row]) -> str:
    lines = [columns for row in rows if (columns := _columns(table, row)) is not None]
    return tables.grid(HEADINGS, lines)


def place(table: Table, row: str, server: str) -> int:
    """1: nobody of the others is better."""
    own = _median(table, row, server)
    return 1 + sum(other < own for other in others.medians(table, row, 0).values())


def _median(table: Table, row: str, server: str) -> float:
    """Infinite where nothing was measured."""
    values = table.values(row, server, 0)
    return spread(values).median if values else math.inf


def _columns(table: Table, row: Row) -> tuple[str, ...] | None:
    best = others.best(table, row.key, 0)
    first = min(OURS, key=lambda name: _median(table, row.key, name))
    found = ratio(table, row.key, first, best, 0)
    if found is None:
        return None
    return (
        row.title,
        _with_floor(table, row, best),
        f"{_median(table, row.key, best):.3g} {row.unit}",
        _with_floor(table, row, first),
        f"{_median(table, row.key, first):.3g}",
        f"{found.median:.2f}",
        str(place(table, row.key, first)),
        "; ".join(target.describe() for target in row.targets) or "-",
        "; ".join(_met_by(table, row, target) for target in row.targets) or "-",
    )


def _with_floor(table: Table, row: Row, server: str) -> str:
    """'nginx, 1.31 x floor', where the row has a floor to speak of."""
    found = ratio(table, row.key, server, FLOOR, 0)
    return f"{server}, {found.median:.2f} x floor" if found and row.kind.is_load else server


def _met_by(table: Table, row: Row, target: Target) -> str:
    """The servers that reach it, or by how much the best of them does not."""
    found = {name: figure.median for name in target.servers
             if (figure := judged(table, row, name, target, 0)) is not None}  # fmt: skip
    met = [name for name, median in found.items() if is_met(median, target.limit)]
    if met or not found:
        return ", ".join(met) or "-"
    return f"none: {min(found.values()):.3g}"
