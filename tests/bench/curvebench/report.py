"""Curves as Markdown: a table of medians for each, why lines end, the facts. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence

from httpbench import tables

from .model import Album, Curve, Line, Picture


def as_markdown(album: Album, curves: Sequence[Curve]) -> str:
    parts = [_table(curve, album.picture(curve.key)) for curve in curves]
    told = [*parts, _cut_short(album, curves), _hurried(album), _facts(album)]
    return "\n\n".join(part for part in told if part) + "\n"


def _table(curve: Curve, picture: Picture) -> str:
    """Empty when nothing was measured."""
    points = _points(picture)
    if not points:
        return ""
    out = [
        f"**{curve.title}**: {curve.y}, by {curve.x}",
        "",
        "| server | " + " | ".join(f"{point:,}" for point in points) + " |",
        "|---" * (len(points) + 1) + "|",
    ]
    out.extend(_row(line, points) for line in picture.lines)
    told = [f"* {text}" for line in picture.lines for text in _troubles(line)]
    return "\n".join([*out, *([""] if told else []), *told])


def _troubles(line: Line) -> list[str]:
    """Why it has no figure, or fewer rounds than the others, at a point."""
    if line.note:
        return [f"{line.server}: {line.note}"]
    end = line.end()
    return [_trouble(line, point, texts) for point, texts in sorted(line.troubles.items())
            if end is None or point <= end]  # fmt: skip


def _trouble(line: Line, point: int, texts: Sequence[str]) -> str:
    rounds = len(texts) + len(line.samples.get(point, ()))
    ends = ", and the line ends" if point == line.end() else ""
    share = f", {len(texts)} of {rounds} rounds" if rounds > 1 else ""
    return f"{line.server} at {point:,}{share}: {texts[0]}{ends}"


def _points(picture: Picture) -> list[int]:
    return sorted({point for line in picture.lines for point in line.medians()})


def _row(line: Line, points: Sequence[int]) -> str:
    found = line.medians()
    cells = [_number(found[point]) if point in found else "-" for point in points]
    return f"| {line.server} | " + " | ".join(cells) + " |"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"


def _cut_short(album: Album, curves: Sequence[Curve]) -> str:
    """Where points are none of the plan's, the last one is what could be had."""
    for curve in curves:
        points = _points(album.picture(curve.key))
        if points and points[-1] not in curve.points:
            return (f"{points[-1]:,} {curve.x} instead of {max(curve.points):,}: "
                    "the limit of open files leaves no more.")  # fmt: skip
    return ""


def _hurried(album: Album) -> str:
    samples = [values for picture in album.pictures for line in picture.lines
               for values in line.samples.values()]  # fmt: skip
    once = samples and all(len(values) == 1 for values in samples)
    return "One sample for each figure, no median: a first look." if once else ""


def _facts(album: Album) -> str:
    if not album.environment:
        return "The date, the machine and the commit were not saved."
    return tables.told(album.environment)
