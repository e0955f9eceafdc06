"""Who the others are: everybody in a row but the floor and ours, and who of them is the best."""

from __future__ import annotations

from .model import FLOOR, OURS, Table
from .stats import spread


def medians(table: Table, row: str, run: int) -> dict[str, float]:
    """Of those who answered all requests: who fails some does not do what the row asks for."""
    return {name: spread(values).median for name in table.servers()
            if name not in (FLOOR, *OURS) and (values := table.values(row, name, run))
            and table.answers_all(row, name, run)}  # fmt: skip


def best(table: Table, row: str, run: int) -> str:
    """Whose median is the lowest; nobody's where there are none."""
    found = medians(table, row, run)
    return min(found, key=lambda name: found[name], default="")
