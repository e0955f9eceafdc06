"""A table on disk: kept after each row, so that a measurement of hours can be interrupted."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

from .model import Table

_SAME = ("machine", "plan", "commit")  # without these, rows do not belong into one table


def begin(file: Path | None, facts: Mapping[str, str], resume: bool) -> Table:
    """An empty table; or, to `resume`, with the rows that `file` has."""
    if not resume or file is None or not file.exists():
        return Table(dict(facts))
    table = Table.of_files([file])
    for fact in _SAME:
        then = table.environment.get(fact, "unknown")
        if then != facts[fact]:
            raise SystemExit(f"{file}: {fact} was {then}, now it is {facts[fact]}")
    return table


def keep(file: Path | None, table: Table) -> None:
    """What was there before stays until all of this is written."""
    if file is None:
        return
    written = file.with_name(file.name + ".new")
    written.write_text(json.dumps(table.to_json(), indent=1) + "\n")
    os.replace(written, file)
