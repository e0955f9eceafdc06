"""Answers as Markdown, and into a document that has places for them. Pure functions.

A place is what stands between `<!-- ask.py KEY -->` and `<!-- /ask.py -->`, each on a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from .model import Answer, AskError, Code, Grid

_PLACE = r"<!-- ask\.py {key} -->\n.*?<!-- /ask\.py -->"


def as_markdown(answer: Answer) -> str:
    return "\n".join(_part(part) for part in answer.parts)


def place(answer: Answer) -> str:
    return f"<!-- ask.py {answer.key} -->\n{as_markdown(answer)}<!-- /ask.py -->"


def filled(document: str, answers: Iterable[Answer]) -> str:
    """The document with the answers in their places; what was there before is gone."""
    for answer in answers:
        pattern = re.compile(_PLACE.format(key=re.escape(answer.key)), re.DOTALL)
        if not pattern.search(document):
            raise AskError(f"the document has no place for {answer.key}")
        text = place(answer)
        document = pattern.sub(lambda _, new=text: new, document, count=1)
    return document


def _part(part: Grid | Code) -> str:
    if isinstance(part, Code):
        return f"{part.title}\n\n```{part.language}\n{part.text}```\n"
    lines = [part.headings, tuple("---" for _ in part.headings), *part.lines]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)
