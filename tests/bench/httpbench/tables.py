"""A table as text and as Markdown, with its facts, and how figures look in it. Pure functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from .stats import Spread

Line = Sequence[str]


def as_text(facts: Mapping[str, str], headings: Line, lines: Sequence[Line]) -> str:
    told_first = (f"{name}: {value}" for name, value in facts.items())
    return "\n".join([*told_first, "", *padded(headings, lines)]) + "\n"


def padded(headings: Line, lines: Sequence[Line]) -> list[str]:
    """Lines of columns that stand below each other."""
    cells = [headings, *lines]
    widths = [max(len(line[i]) for line in cells) for i in range(len(headings))]
    out = ["  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip()
           for line in cells]  # fmt: skip
    out.insert(1, "  ".join("-" * width for width in widths))
    return out


def as_markdown(facts: Mapping[str, str], headings: Line, lines: Sequence[Line]) -> str:
    return f"{grid(headings, lines)}\n{told(facts)}\n"


def grid(headings: Line, lines: Sequence[Line]) -> str:
    """The table alone."""
    out = [_row(headings), "|" + "---|" * len(headings), *(_row(line) for line in lines)]
    return "\n".join(out) + "\n"


def told(facts: Mapping[str, str]) -> str:
    return "; ".join(f"{name}: {value}" for name, value in facts.items())


def number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}" if value >= 100 else f"{value:.2f}"


def with_quartiles(found: Spread, show: Callable[[float], str] = number) -> str:
    if found.count == 1:
        return show(found.median)
    return f"{show(found.median)} [{show(found.low)}..{show(found.high)}]"


def times(found: Spread | None) -> str:
    """A ratio."""
    if found is None:
        return "-"
    if found.count == 1:
        return f"{found.median:.3f}"
    return f"{found.median:.3f} [{found.low:.2f}..{found.high:.2f}]"


def _row(line: Line) -> str:
    return "| " + " | ".join(line) + " |"
