"""What a request costs each generator, as Markdown. Pure functions of a Table."""

from __future__ import annotations

from httpbench import tables
from httpbench.model import Row, Sample, Table
from httpbench.stats import Spread, round_ratios, spread

from . import loads

HEADINGS = ("row", "load", "CPU us/request", "requests/s of a full core", "requests/s",
            "of its core", "failed", "of a full core, x wrk", "asked for")  # fmt: skip
LEAST = 1.0  # requests/s per core, as a multiple of wrk's


def times_wrk(table: Table, row: Row) -> Spread | None:
    """Requests that ssxrver-bench gets out of a core, over those of wrk, round by round."""
    wrk, own = (table.values(row.key, name, 0) for name in loads.LOADS)
    pairs = round_ratios(wrk, own)  # of costs: the other way round
    return spread(pairs) if pairs else None


def verdict(table: Table, row: Row) -> str:
    """Who fails requests does not do what is asked for."""
    found = times_wrk(table, row)
    if found is None:
        return "not measured"
    failed = sum(sample.errors for sample in table.samples(row.key, loads.OWN, 0))
    is_met = found.median >= LEAST and not failed
    return f">= {LEAST:g}: {'met' if is_met else 'NOT met'}"


def unmet(table: Table) -> list[str]:
    """What is not measured is not met."""
    return [
        f"{row.title}: {text}"
        for row in loads.rows()
        if not (text := verdict(table, row)).endswith(": met")
    ]


def as_markdown(table: Table) -> str:
    lines = [_columns(table, row, name) for row in loads.rows() for name in loads.LOADS]
    return tables.as_markdown(table.environment, HEADINGS, lines)


def _columns(table: Table, row: Row, name: str) -> tuple[str, ...]:
    samples = table.samples(row.key, name, 0)
    if not samples:
        return (row.title, name, *["-"] * (len(HEADINGS) - 2))
    cost = spread([sample.value for sample in samples])
    found = times_wrk(table, row) if name == loads.OWN else None
    return (
        row.title,
        name,
        _spread(cost),
        f"{1e6 / cost.median:,.0f}",
        f"{spread([sample.rate for sample in samples]).median:,.0f}",
        f"{spread([_share(sample) for sample in samples]).median:.0%}",
        str(sum(sample.errors for sample in samples)),
        _spread(found) if found else "-",
        verdict(table, row) if name == loads.OWN else "-",
    )


def _share(sample: Sample) -> float:
    """Of its core's time, that it has used."""
    return sample.value * sample.rate / 1e6


def _spread(values: Spread) -> str:
    return tables.with_quartiles(values, "{:.3f}".format)
