"""What is measured, in its place in a document that people write.

A place is what stands between `<!-- MAKER KEY -->` and `<!-- /MAKER -->`, each on a line; the maker
is the program that fills it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

_PLACE = r"<!-- {maker} {key} -->\n.*?<!-- /{maker} -->"


class PlaceError(Exception):
    """The document has no such place."""


def fill(file: Path, maker: str, texts: Mapping[str, str]) -> None:
    try:
        file.write_text(filled(file.read_text(), maker, texts))
    except PlaceError as error:
        raise SystemExit(f"{file}: {error}") from None


def filled(document: str, maker: str, texts: Mapping[str, str]) -> str:
    """The document with each text in the place of its key; what was there before is gone."""
    for key, text in texts.items():
        pattern = re.compile(_PLACE.format(maker=re.escape(maker), key=re.escape(key)), re.DOTALL)
        if not pattern.search(document):
            raise PlaceError(f"the document has no place for {key} of {maker}")
        place = f"<!-- {maker} {key} -->\n{text}<!-- /{maker} -->"
        document = pattern.sub(lambda _, new=place: new, document, count=1)
    return document
