"""The table of 2021 again: pages per minute, and what a page costs the server. Pure functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from . import tables
from .model import APACHE, FLOOR, NGINX, OURS, Row, Sample, Table
from .stats import Spread, round_ratios, spread

HEADINGS = ("row", "run", "server", "pages/min", "x floor", "x nginx", "x Apache", "CPU us/page",
            "x floor", "x nginx", "x Apache", "failed", "ahead of both")  # fmt: skip
_REFERENCES = (FLOOR, NGINX, APACHE)
_RIVALS = (NGINX, APACHE)


def as_markdown(table: Table, rows: Iterable[Row]) -> str:
    """The rows in which server and load share the cores, run by run; nothing where none was
    measured."""
    lines = [_line(table, row, run, server)
             for row in rows if row.workers > 1
             for run in range(table.run_count())
             for server in table.servers() if table.samples(row.key, server, run)]  # fmt: skip
    return tables.grid(HEADINGS, lines) if lines else ""


def unmet(table: Table, rows: Iterable[Row]) -> list[str]:
    """Every cell of the first run in which one of ours is not ahead."""
    return [f"{row.key} {server}: {', '.join(missed)}"
            for row in rows if row.workers > 1
            for server in OURS if table.samples(row.key, server, 0)
            and (missed := _behind(table, row, 0, server))]  # fmt: skip


def _behind(table: Table, row: Row, run: int, server: str) -> list[str]:
    """In what it is not ahead of nginx and Apache, where those were measured."""
    out = []
    for what, number, is_ahead in (("pages/min", _pages, _is_more), ("CPU", _cost, _is_less)):
        for rival in _RIVALS:
            found = _ratio(table, row, run, server, rival, number)
            if found is not None and not is_ahead(found.median):
                out.append(f"{what} {found.median:.3f} x {rival}")
    return out


def _line(table: Table, row: Row, run: int, server: str) -> tuple[str, ...]:
    samples = table.samples(row.key, server, run)
    columns = [row.title, str(run + 1), server]
    for number, place in ((_pages, ",.0f"), (_cost, ".2f")):
        columns.append(_spread(spread([number(sample) for sample in samples]), place))
        for reference in _REFERENCES:
            found = _ratio(table, row, run, server, reference, number)
            columns.append(_spread(found, ".2f") if found else "-")
    columns.append(str(sum(sample.errors for sample in samples)))
    columns.append(_ahead(table, row, run, server))
    return tuple(columns)


def _ahead(table: Table, row: Row, run: int, server: str) -> str:
    if server not in OURS:
        return ""
    missed = _behind(table, row, run, server)
    lacking = [rival for rival in _RIVALS if not table.samples(row.key, rival, run)]
    if missed:
        return "NOT: " + ", ".join(missed)
    return f"not measured: {', '.join(lacking)}" if lacking else "yes"


def _pages(sample: Sample) -> float:
    return 60 * sample.rate


def _cost(sample: Sample) -> float:
    return sample.value


def _is_more(ratio: float) -> bool:
    return ratio >= 1


def _is_less(ratio: float) -> bool:
    return ratio <= 1


def _ratio(table: Table, row: Row, run: int, server: str, reference: str,
           number: Callable[[Sample], float]) -> Spread | None:  # fmt: skip
    own, other = (_numbers(table.samples(row.key, name, run), number)
                  for name in (server, reference))  # fmt: skip
    pairs = round_ratios(own, other)
    return spread(pairs) if pairs else None


def _numbers(samples: Sequence[Sample], number: Callable[[Sample], float]) -> list[float]:
    return [number(sample) for sample in samples]


def _spread(found: Spread, place: str) -> str:
    return tables.with_quartiles(found, lambda value: format(value, place))
