"""The table of 2021 again: pages per minute, and what a page costs the server. Pure functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from .model import APACHE, FLOOR, NGINX, Row, Sample, Table
from .stats import round_ratios, spread

HEADINGS = ("row", "server", "pages/min", "x nginx", "x Apache", "CPU us/page", "x nginx",
            "x Apache", "failed")  # fmt: skip


def as_markdown(table: Table, rows: Iterable[Row]) -> str:
    """The rows in which server and load share the cores; nothing where none was measured."""
    lines = [_line(table, row, server)
             for row in rows if row.workers > 1
             for server in table.servers() if table.samples(row.key, server, 0)]  # fmt: skip
    if not lines:
        return ""
    head = ["| " + " | ".join(HEADINGS) + " |", "|---" * len(HEADINGS) + "|"]
    return "\n".join([*head, *lines]) + "\n"


def _line(table: Table, row: Row, server: str) -> str:
    samples = table.samples(row.key, server, 0)
    columns = [row.title, server]
    for number, place in ((_pages, ",.0f"), (_cost, ".2f")):
        columns.append(format(spread([number(sample) for sample in samples]).median, place))
        for reference in (NGINX, APACHE):
            columns.append(_ratio(table, row, server, reference, number))
    columns.append(str(sum(sample.errors for sample in samples)))
    return "| " + " | ".join(columns) + " |"


def _pages(sample: Sample) -> float:
    return 60 * sample.rate


def _cost(sample: Sample) -> float:
    return sample.value


def _ratio(table: Table, row: Row, server: str, reference: str,
           number: Callable[[Sample], float]) -> str:  # fmt: skip
    own, other = ([number(sample) for sample in table.samples(row.key, name, 0)]
                  for name in (server, reference))  # fmt: skip
    pairs = round_ratios(own, other)
    return f"{spread(pairs).median:.2f}" if pairs and server != FLOOR else "-"
