"""What a curve is, and what came out of measuring it. Plain values."""

from __future__ import annotations

import dataclasses
import statistics
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Curve:
    """One picture. `points`: what servers are given, such as a number of connections."""

    key: str
    title: str
    x: str
    y: str
    points: tuple[int, ...]
    unit: str


@dataclass
class Line:
    """One server: its samples at each point, what went wrong there, a text for each round in which
    something did, and why it has none at all."""

    server: str
    samples: dict[int, list[float]] = field(default_factory=dict)
    troubles: dict[int, list[str]] = field(default_factory=dict)
    note: str = ""

    def add(self, point: int, value: float) -> None:
        self.samples.setdefault(point, []).append(value)

    def fail(self, point: int, text: str) -> None:
        self.troubles.setdefault(point, []).append(text)

    def end(self) -> int | None:
        """The first point that went wrong in most rounds: what is more will not be better."""
        ends = (point for point, texts in self.troubles.items()
                if len(texts) > len(self.samples.get(point, ())))  # fmt: skip
        return min(ends, default=None)

    def medians(self) -> dict[int, float]:
        """Of the points before the end, in their order."""
        end = self.end()
        return {point: statistics.median(values) for point, values in sorted(self.samples.items())
                if end is None or point < end}  # fmt: skip


@dataclass
class Picture:
    """A curve with its lines."""

    key: str
    lines: list[Line] = field(default_factory=list)

    def line(self, server: str) -> Line:
        for line in self.lines:
            if line.server == server:
                return line
        self.lines.append(Line(server))
        return self.lines[-1]


@dataclass
class Album:
    """Everything of one invocation."""

    environment: dict[str, str] = field(default_factory=dict)
    pictures: list[Picture] = field(default_factory=list)

    def picture(self, key: str) -> Picture:
        for picture in self.pictures:
            if picture.key == key:
                return picture
        self.pictures.append(Picture(key))
        return self.pictures[-1]

    def to_json(self) -> dict[str, Any]:
        return dataclasses.asdict(self)

    @staticmethod
    def from_json(document: dict[str, Any]) -> Album:
        return Album(
            dict(document.get("environment", {})),
            [
                Picture(picture["key"], [_line(line) for line in picture["lines"]])
                for picture in document["pictures"]
            ],
        )


def _line(document: dict[str, Any]) -> Line:
    samples = {int(point): list(values) for point, values in document["samples"].items()}
    troubles = {int(point): list(texts) for point, texts in document.get("troubles", {}).items()}
    return Line(document["server"], samples, troubles, document["note"])
