"""The table as text and as Markdown. Pure functions of a Table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from . import others, tables
from .model import BEST_PEER, FLOOR, Row, Sample, Table, Target
from .stats import Spread, is_met, round_ratios, spread

HEADINGS = ("row", "server", "figure", "requests/s", "MB", "x floor", "x best peer", "target",
            "second run", "notes")  # fmt: skip


@dataclass(frozen=True)
class Line:
    """One printed line: a server in a row."""

    row: str
    server: str
    figure: str
    rate: str
    megabytes: str
    to_floor: str
    to_best: str
    target: str
    second: str
    notes: str

    def columns(self) -> tuple[str, ...]:
        return (self.row, self.server, self.figure, self.rate, self.megabytes, self.to_floor,
                self.to_best, self.target, self.second, self.notes)  # fmt: skip


def ratio(table: Table, row: str, server: str, reference: str, run: int) -> Spread | None:
    """Quartiles of the round-by-round ratio; nothing where one side is missing."""
    if reference == BEST_PEER:
        reference = others.best(table, row, run)
    pairs = round_ratios(table.values(row, server, run), table.values(row, reference, run))
    return spread(pairs) if pairs else None


def judged(table: Table, row: Row, server: str, target: Target, run: int) -> Spread | None:
    """The figure that the target speaks of."""
    if target.reference:
        return ratio(table, row.key, server, target.reference, run)
    values = table.values(row.key, server, run)
    return spread(values) if values else None


def verdicts(table: Table, row: Row, server: str, run: int) -> str:
    """'<= 1.08 x floor: met' for each target of the row that holds for this server."""
    parts = []
    for target in row.targets:
        if server not in target.servers:
            continue
        figure = judged(table, row, server, target, run)
        if figure is not None:
            word = "met" if is_met(figure.median, target.limit) else "NOT met"
            # The ratios to these two have columns of their own.
            own_column = target.reference in (FLOOR, BEST_PEER, "")
            ratio_text = "" if own_column else f" ({figure.median:.2f})"
            parts.append(f"{target.describe()}: {word}{ratio_text}")
    return "; ".join(parts)


def unmet(table: Table, rows: Iterable[Row]) -> list[str]:
    """Every row and server whose first run misses a target."""
    return [
        f"{row.key} {server}: {text}"
        for row in rows
        for server in table.servers()
        if "NOT met" in (text := verdicts(table, row, server, 0))
    ]


def lines(table: Table, rows: Iterable[Row]) -> list[Line]:
    present = set(table.rows())
    return [
        _line(table, row, server)
        for row in rows
        if row.key in present
        for server in table.servers()
        if any(cell.row == row.key and cell.server == server for cell in table.cells)
    ]


def as_text(table: Table, rows: Sequence[Row]) -> str:
    return tables.as_text(table.environment, HEADINGS, _columns(table, rows))


def as_markdown(table: Table, rows: Sequence[Row]) -> str:
    return tables.as_markdown(table.environment, HEADINGS, _columns(table, rows))


def _columns(table: Table, rows: Sequence[Row]) -> list[tuple[str, ...]]:
    return [line.columns() for line in lines(table, rows)]


def _line(table: Table, row: Row, server: str) -> Line:
    samples = table.samples(row.key, server, 0)
    values = [sample.value for sample in samples]
    rates = [sample.rate for sample in samples]
    resident = max((sample.resident for sample in samples), default=0.0)
    best = others.best(table, row.key, 0)
    to_best = ratio(table, row.key, server, best, 0)
    return Line(
        row=row.title,
        server=server,
        figure=f"{tables.with_quartiles(spread(values))} {row.unit}" if values else "-",
        rate=f"{spread(rates).median:,.0f}" if any(rates) else "-",
        to_floor=tables.times(ratio(table, row.key, server, FLOOR, 0)),
        megabytes=f"{resident / 1e6:.1f}" if resident else "-",
        to_best="best peer" if server == best else tables.times(to_best),
        target=verdicts(table, row, server, 0),
        second=_second(table, row, server),
        notes=_notes(samples, table.cell(row.key, server).note),
    )


def _second(table: Table, row: Row, server: str) -> str:
    """The same figures from the run after: how far they hold."""
    values = table.values(row.key, server, 1)
    if not values:
        return "-"
    to_floor = ratio(table, row.key, server, FLOOR, 1)
    to_best = ratio(table, row.key, server, BEST_PEER, 1)
    return "; ".join((tables.number(spread(values).median), tables.times(to_floor),
                      tables.times(to_best)))  # fmt: skip


def _notes(samples: Sequence[Sample], note: str) -> str:
    errors = sum(sample.errors for sample in samples)
    wakeups = [sample.wakeups for sample in samples]
    found = (
        f"{errors} errors" if errors else "",
        f"{spread(wakeups).median:.2f} wake-ups each" if any(wakeups) else "",
        note,
    )
    return "; ".join(part for part in found if part)
