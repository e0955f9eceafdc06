"""What an answer is made of. Plain values."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any


class AskError(Exception):
    """A question that cannot be answered here; the text says why."""


@dataclass(frozen=True)
class Grid:
    """One table."""

    headings: tuple[str, ...]
    lines: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Code:
    """Text that is shown as it is, below a line that says what it is."""

    title: str
    language: str
    text: str


@dataclass(frozen=True)
class Answer:
    """All that was measured for one question."""

    key: str
    parts: tuple[Grid | Code, ...]

    def to_json(self) -> dict[str, Any]:
        return dataclasses.asdict(self)

    @staticmethod
    def from_json(document: dict[str, Any]) -> Answer:
        return Answer(document["key"], tuple(_part(part) for part in document["parts"]))


def _part(document: dict[str, Any]) -> Grid | Code:
    if "headings" in document:
        lines = tuple(tuple(line) for line in document["lines"])
        return Grid(tuple(document["headings"]), lines)
    return Code(**document)


@dataclass(frozen=True)
class Plan:
    """Where the programs are, how long and how often, on which cores."""

    programs: Path
    repository: Path
    rounds: int
    seconds: float  # of one round of a program that runs by the clock
    server_core: int
    load_core: int
    progress: Callable[[str], None]

    def program(self, name: str) -> Path:
        found = self.programs / name
        if not found.is_file():
            raise AskError(f"no {name} in {self.programs}")
        return found


Ask = Callable[[Plan], Answer]
