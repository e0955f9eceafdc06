"""The table as text and as Markdown. Pure functions of a Table."""

from __future__ import annotations

from collections.abc import Sequence

from httpbench.model import Sample, Table
from httpbench.stats import Spread, round_ratios, spread

from .rows import FLOOR, OURS, UWEBSOCKETS, Figure, Row, Target

HEADINGS = ("row", "server", "figure", "messages/s", "p50 us", "p99 us", "resident MB", "x floor",
            "x uWebSockets", "target", "second run", "notes")  # fmt: skip


def figures(samples: Sequence[Sample], figure: Figure) -> list[float]:
    return [float(getattr(sample, figure.value)) for sample in samples]


def ratio(
    table: Table, row: str, server: str, reference: str, run: int, figure: Figure = Figure.COST
) -> Spread | None:
    """Quartiles of the round-by-round ratio; nothing where one side is missing."""
    own = figures(table.cell(row, server).samples(run), figure)
    pairs = round_ratios(own, figures(table.cell(row, reference).samples(run), figure))
    return spread(pairs) if pairs else None


def judged(table: Table, row: Row, server: str, target: Target, run: int) -> Spread | None:
    """The figure that the target speaks of."""
    if target.reference:
        return ratio(table, row.key, server, target.reference, run, target.figure)
    values = figures(table.cell(row.key, server).samples(run), target.figure)
    return spread(values) if values else None


def verdicts(table: Table, row: Row, server: str, run: int) -> str:
    if server not in OURS:
        return ""
    parts = []
    for target in row.targets:
        found = judged(table, row, server, target, run)
        if found is not None:
            word = "met" if target.is_met(found.median) else "NOT met"
            parts.append(f"{target.describe()}: {word} ({number(found.median)})")
    return "; ".join(parts)


def unmet(table: Table, rows: Sequence[Row]) -> list[str]:
    return [
        f"{row.key} {server}: {text}"
        for row in rows
        for server in table.servers()
        if "NOT met" in (text := verdicts(table, row, server, 0))
    ]


def lines(table: Table, rows: Sequence[Row]) -> list[tuple[str, ...]]:
    there = {(cell.row, cell.server) for cell in table.cells}
    return [
        _line(table, row, server)
        for row in rows
        for server in table.servers()
        if (row.key, server) in there
    ]


def as_text(table: Table, rows: Sequence[Row]) -> str:
    cells = [HEADINGS, *lines(table, rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(HEADINGS))]
    body = ["  ".join(text.ljust(w) for text, w in zip(row, widths)).rstrip() for row in cells]
    body.insert(1, "  ".join("-" * width for width in widths))
    facts = [f"{name}: {value}" for name, value in table.environment.items()]
    return "\n".join([*facts, "", *body]) + "\n"


def as_markdown(table: Table, rows: Sequence[Row]) -> str:
    out = ["| " + " | ".join(HEADINGS) + " |", "|" + "---|" * len(HEADINGS)]
    out.extend("| " + " | ".join(line) + " |" for line in lines(table, rows))
    facts = "; ".join(f"{name}: {value}" for name, value in table.environment.items())
    return "\n".join([*out, "", facts]) + "\n"


def number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}" if value >= 100 else f"{value:.2f}"


def _line(table: Table, row: Row, server: str) -> tuple[str, ...]:
    cell = table.cell(row.key, server)
    samples = cell.samples(0)
    return (
        row.title,
        server,
        f"{_spread(figures(samples, Figure.COST))} {row.unit}" if samples else "-",
        _median(samples, Figure.RATE),
        _median(samples, Figure.P50),
        _median(samples, Figure.P99),
        _median(samples, Figure.RESIDENT, 1e-6),
        _times(ratio(table, row.key, server, FLOOR, 0)),
        _times(ratio(table, row.key, server, UWEBSOCKETS, 0)),
        verdicts(table, row, server, 0),
        _second(table, row, server),
        "; ".join(part for part in (_errors(samples), cell.note) if part),
    )


def _second(table: Table, row: Row, server: str) -> str:
    """The same figures from the run after: how far they hold."""
    values = table.cell(row.key, server).values(1)
    if not values:
        return "-"
    to_floor = _times(ratio(table, row.key, server, FLOOR, 1))
    return f"{number(spread(values).median)}; {to_floor}"


def _median(samples: Sequence[Sample], figure: Figure, scale: float = 1) -> str:
    values = figures(samples, figure)
    return number(scale * spread(values).median) if any(values) else "-"


def _errors(samples: Sequence[Sample]) -> str:
    total = sum(sample.errors for sample in samples)
    return f"{total} errors" if total else ""


def _spread(values: Sequence[float]) -> str:
    found = spread(values)
    if found.count == 1:
        return number(found.median)
    return f"{number(found.median)} [{number(found.low)}..{number(found.high)}]"


def _times(found: Spread | None) -> str:
    if found is None:
        return "-"
    return f"{found.median:.3f} [{found.low:.2f}..{found.high:.2f}]"
