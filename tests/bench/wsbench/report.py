"""The table as text and as Markdown. Pure functions of a Table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from httpbench import others, tables
from httpbench.model import BEST_PEER, FLOOR, Sample, Table
from httpbench.stats import Spread, round_ratios, spread

from .rows import OURS, Figure, Row, Target

HEADINGS = ("row", "server", "figure", "messages/s", "p50 us", "p99 us", "resident MB", "x floor",
            "x best peer", "target", "second run", "notes")  # fmt: skip


def figures(samples: Sequence[Sample], figure: Figure) -> list[float]:
    return [float(getattr(sample, figure.value)) for sample in samples]


def ratio(
    table: Table, row: str, server: str, reference: str, run: int, figure: Figure = Figure.COST
) -> Spread | None:
    """Quartiles of the round-by-round ratio; nothing where one side is missing."""
    if reference == BEST_PEER:
        reference = others.best(table, row, run)
    own = figures(table.samples(row, server, run), figure)
    pairs = round_ratios(own, figures(table.samples(row, reference, run), figure))
    return spread(pairs) if pairs else None


def judged(table: Table, row: Row, server: str, target: Target, run: int) -> Spread | None:
    """The figure that the target speaks of."""
    if target.reference:
        return ratio(table, row.key, server, target.reference, run, target.figure)
    values = figures(table.samples(row.key, server, run), target.figure)
    return spread(values) if values else None


@dataclass(frozen=True)
class Verdict:
    """What became of a target; `is_unmet` is what the table ends with."""

    text: str
    is_unmet: bool
    is_measured: bool = True


def verdict(table: Table, row: Row, server: str, target: Target, run: int) -> Verdict:
    """A target that nothing can be said of is unmet, unless nobody asked for its reference."""
    found = judged(table, row, server, target, run)
    if found is None:
        is_asked = _is_asked(table, row, target.reference)
        return Verdict(f"{target.describe()}: not measured", is_asked, False)
    is_met = target.is_met(found.median)
    word = "met" if is_met else "NOT met"
    return Verdict(f"{target.describe()}: {word} ({tables.number(found.median)})", not is_met)


def _is_asked(table: Table, row: Row, reference: str) -> bool:
    """Whether somebody wanted the figure that a target needs."""
    if reference == BEST_PEER:
        return any(name not in (FLOOR, *OURS) for key, name in _there(table) if key == row.key)
    return not reference or reference in table.servers()


def judge(table: Table, row: Row, server: str, run: int) -> list[Verdict]:
    """Of our servers, in rows that were asked for: those have a cell, with figures or a note."""
    if server not in OURS or (row.key, server) not in _there(table):
        return []
    return [verdict(table, row, server, target, run) for target in row.targets]


def verdicts(table: Table, row: Row, server: str, run: int) -> str:
    return "; ".join(found.text for found in judge(table, row, server, run))


def unmet(table: Table, rows: Sequence[Row]) -> list[str]:
    return [
        f"{row.key} {server}: {verdicts(table, row, server, 0)}"
        for row in rows
        for server in table.servers()
        if any(found.is_unmet for found in judge(table, row, server, 0))
    ]


def summary(table: Table, rows: Sequence[Row]) -> str:
    missed = unmet(table, rows)
    if missed:
        return "\n".join(["Not met:", *missed])
    every = [v for row in rows for server in OURS for v in judge(table, row, server, 0)]
    if not any(found.is_measured for found in every):
        return "No target was measured."
    if all(found.is_measured for found in every):
        return "No target was missed."
    return "No target was missed; some were not measured."


def lines(table: Table, rows: Sequence[Row]) -> list[tuple[str, ...]]:
    there = _there(table)
    return [
        _line(table, row, server)
        for row in rows
        for server in table.servers()
        if (row.key, server) in there
    ]


def as_text(table: Table, rows: Sequence[Row]) -> str:
    return tables.as_text(table.environment, HEADINGS, lines(table, rows))


def as_markdown(table: Table, rows: Sequence[Row]) -> str:
    return tables.as_markdown(table.environment, HEADINGS, lines(table, rows))


def _there(table: Table) -> set[tuple[str, str]]:
    return {(cell.row, cell.server) for cell in table.cells}


def _line(table: Table, row: Row, server: str) -> tuple[str, ...]:
    cell = table.cell(row.key, server)
    samples = cell.samples(0)
    costs = figures(samples, Figure.COST)
    return (
        row.title,
        server,
        f"{tables.with_quartiles(spread(costs))} {row.unit}" if costs else "-",
        _median(samples, Figure.RATE),
        _median(samples, Figure.P50),
        _median(samples, Figure.P99),
        _median(samples, Figure.RESIDENT, 1e-6),
        tables.times(ratio(table, row.key, server, FLOOR, 0)),
        "best peer"
        if server == others.best(table, row.key, 0)
        else tables.times(ratio(table, row.key, server, BEST_PEER, 0)),
        verdicts(table, row, server, 0),
        _second(table, row, server),
        "; ".join(part for part in (_errors(samples), cell.note) if part),
    )


def _second(table: Table, row: Row, server: str) -> str:
    """The same figures from the run after: how far they hold."""
    values = table.values(row.key, server, 1)
    if not values:
        return "-"
    to_floor = tables.times(ratio(table, row.key, server, FLOOR, 1))
    to_best = tables.times(ratio(table, row.key, server, BEST_PEER, 1))
    return f"{tables.number(spread(values).median)}; {to_floor}; {to_best}"


def _median(samples: Sequence[Sample], figure: Figure, scale: float = 1) -> str:
    values = figures(samples, figure)
    return tables.number(scale * spread(values).median) if any(values) else "-"


def _errors(samples: Sequence[Sample]) -> str:
    total = sum(sample.errors for sample in samples)
    return f"{total} errors" if total else ""
