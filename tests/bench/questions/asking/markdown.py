"""Answers as Markdown. Pure functions."""

from __future__ import annotations

from .model import Answer, Code, Grid


def as_markdown(answer: Answer) -> str:
    return "\n".join(_part(part) for part in answer.parts)


def _part(part: Grid | Code) -> str:
    if isinstance(part, Code):
        return f"{part.title}\n\n```{part.language}\n{part.text}```\n"
    lines = [part.headings, tuple("---" for _ in part.headings), *part.lines]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)
