"""What the border costs, as Markdown. Pure functions of a Table."""

from __future__ import annotations

from httpbench import tables
from httpbench.model import Row, Table
from httpbench.report import ratio
from httpbench.stats import Spread, is_met, spread

from . import ways
from .runner import count_key

HEADINGS = ("row", "handler", "CPU us/request", "requests/s", "x embedded", "target",
            "instructions/request", "more than embedded")  # fmt: skip


def as_markdown(table: Table) -> str:
    lines = [_columns(table, row, way) for row in ways.rows() for way in ways.WAYS]
    return tables.as_markdown(table.environment, HEADINGS, lines)


def verdict(table: Table, row: Row, way: ways.Way) -> str:
    """'<= 1.03: met', or nothing where nothing is wanted, or was measured."""
    times = ratio(table, row.key, way.key, ways.EMBEDDED.key, 0)
    wanted = [target.limit for target in row.targets if way.key in target.servers]
    if times is None or not wanted:
        return ""
    word = "met" if is_met(times.median, wanted[0]) else "NOT met"
    return f"<= {wanted[0]:g}: {word}"


def unmet(table: Table) -> list[str]:
    return [
        f"{row.title}, {way.title}: {text}"
        for row in ways.rows()
        for way in ways.WAYS
        if "NOT met" in (text := verdict(table, row, way))
    ]


def _columns(table: Table, row: Row, way: ways.Way) -> tuple[str, ...]:
    samples = table.cell(row.key, way.key).samples(0)
    times = ratio(table, row.key, way.key, ways.EMBEDDED.key, 0)
    count, base = (_count(table, row, which) for which in (way, ways.EMBEDDED))
    return (
        row.title,
        way.title,
        _spread(spread([sample.value for sample in samples]), 2) if samples else "-",
        f"{spread([sample.rate for sample in samples]).median:,.0f}" if samples else "-",
        _spread(times, 3) if times else "-",
        verdict(table, row, way),
        f"{count:,.0f}" if count else "-",
        f"{count - base:+,.0f}" if count and base and way is not ways.EMBEDDED else "-",
    )


def _count(table: Table, row: Row, way: ways.Way) -> float:
    values = table.values(count_key(row), way.key, 0)
    return values[0] if values else 0.0


def _spread(values: Spread, digits: int) -> str:
    return tables.with_quartiles(values, lambda value: f"{value:.{digits}f}")
