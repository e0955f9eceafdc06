"""Who is measured in a run after the first: whose figures say whether its verdicts hold."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol, TypeVar

from . import others
from .model import FLOOR, OURS, Table

_NEAR = 1.1  # times the best of the others: in another hour it might be the best itself


class _Named(Protocol):
    @property
    def name(self) -> str: ...


AnyServer = TypeVar("AnyServer", bound=_Named)


def of(able: Sequence[AnyServer], table: Table, row: str,
       references: Collection[str]) -> list[AnyServer]:  # fmt: skip
    """The floor, ours, those that a target names, and of the others the best of the first run and
    who was near it."""
    found = others.medians(table, row, 0)
    near = [name for name, median in found.items() if median <= _NEAR * min(found.values())]
    return [server for server in able if server.name in (FLOOR, *OURS, *references, *near)]
