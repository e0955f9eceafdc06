"""What came of the cases, and whether that is enough.

Strictly: OK or INFORMATIONAL, where the suite has more words (NON-STRICT: no MUST is broken, yet a
SHOULD is; UNIMPLEMENTED: no deflate was agreed on), and an end as the case wanted it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import cases

_GOOD = ("OK", "INFORMATIONAL")
_MISSING = "MISSING"


@dataclass(frozen=True)
class Result:
    case: str
    behavior: str
    close: str
    seconds: float
    why: str = ""

    @property
    def passed(self) -> bool:
        if self.behavior == "INFORMATIONAL":  # whatever the peer does, closing included
            return True
        return self.behavior in _GOOD and self.close in _GOOD

    def __str__(self) -> str:
        return f"{self.case}: {self.behavior}, close {self.close}. {self.why}".rstrip()


def read(folder: Path, wanted: Sequence[str]) -> list[Result]:
    """The suite's own report about one peer. A case that it does not know is a failure."""
    index = folder / "index.json"
    agents = json.loads(index.read_text(encoding="utf-8")) if index.exists() else {}
    found = next(iter(agents.values()), {})
    return [_result(folder, case, found.get(case)) for case in wanted]


def _result(folder: Path, case: str, entry: Mapping | None) -> Result:
    if entry is None:
        return Result(case, _MISSING, _MISSING, 0.0, "it was not reached")
    result = Result(case, entry["behavior"], entry["behaviorClose"], entry["duration"] / 1000)
    if result.passed:
        return result
    details = json.loads((folder / entry["reportfile"]).read_text(encoding="utf-8"))
    why = details["resultClose"] if result.behavior in _GOOD else details["result"]
    return Result(case, result.behavior, result.close, result.seconds,
                  f"{why} Close code {entry['remoteCloseCode']}.")  # fmt: skip


def failures(columns: Mapping[str, Sequence[Result]]) -> list[str]:
    return [f"{title}: {result}" for title, results in columns.items()
            for result in results if not result.passed]  # fmt: skip


def table(columns: Mapping[str, Sequence[Result]]) -> str:
    """A line per section and a column per setting: passed/cases, and seconds."""
    sections = sorted({cases.section(r.case) for column in columns.values() for r in column})
    rows = [["section", "", *columns]]
    for number in sections:
        row = [str(number), cases.TITLES.get(number, "")]
        for column in columns.values():
            row.append(_cell([r for r in column if cases.section(r.case) == number]))
        rows.append(row)
    rows.append(["all", "", *(_cell(column) for column in columns.values())])
    widths = [max(map(len, column)) for column in zip(*rows)]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)


def _cell(results: Sequence[Result]) -> str:
    if not results:
        return "-"
    passed = sum(result.passed for result in results)
    return f"{passed}/{len(results)} {sum(result.seconds for result in results):.1f} s"


def slowest(columns: Mapping[str, Sequence[Result]], count: int) -> list[str]:
    """Where the time goes."""
    every = [(result, title) for title, column in columns.items() for result in column]
    every.sort(key=lambda pair: -pair[0].seconds)
    return [f"{result.seconds:7.1f} s  {result.case} {title}" for result, title in every[:count]]
