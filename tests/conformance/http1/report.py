"""What the runs found: a table for the terminal, Markdown and JSON for docs/conformance."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .case import Case, Level
from .runner import Result
from .servers import Server

OURS = "ssxrver"


@dataclass(frozen=True)
class Column:
    """One server and what it did with every case, in the order of the cases."""

    server: Server
    results: list[Result]

    @property
    def title(self) -> str:
        return f"{self.server.name} {self.server.version}".strip()

    def passed(self, level: Level | None = None, topic: str = "") -> int:
        return sum(r.passed for r in self.results if _counts(r.case, level, topic))


def _counts(case: Case, level: Level | None, topic: str) -> bool:
    return (level is None or case.level is level) and (not topic or case.topic == topic)


def _rows(columns: Sequence[Column]) -> list[list[str]]:
    """Cases passed: a row for each level, for each topic, and for all."""
    cases = [result.case for result in columns[0].results]
    topics = list(dict.fromkeys(case.topic for case in cases))
    wanted: list[tuple[str, Level | None, str]] = [(level.value, level, "") for level in Level]
    wanted += [("all", None, "")] + [(topic, None, topic) for topic in topics]
    rows = []
    for name, level, topic in wanted:
        count = sum(_counts(case, level, topic) for case in cases)
        rows.append([name, str(count), *(str(c.passed(level, topic)) for c in columns)])
    return rows


def table(columns: Sequence[Column]) -> str:
    """For a terminal."""
    rows = [["passed", "cases", *(c.title for c in columns)], *_rows(columns)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:]))]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def failures(column: Column) -> str:
    """One line for each case that did not pass."""
    lines = [f"{r.case.level.value:<6} {r.case.id} (RFC {r.case.section}): {r.why}"
             for r in column.results if not r.passed]  # fmt: skip
    return "\n".join(lines)


def behind(columns: Sequence[Column]) -> list[str]:
    """The peers that pass at least as many cases as we do."""
    ours = next(c.passed() for c in columns if c.server.name == OURS)
    return [c.title for c in columns if c.server.name != OURS and c.passed() >= ours]


_INTRODUCTION = """# HTTP/1, case by case

Made by tests/conformance/run.py (see its [README](../../tests/conformance/README.md)): one
connection for each case, the same bytes and the same accepted outcomes for every server. Each one
has the defaults of its authors beside what the site needs; what the RFCs leave open is accepted
either way. The sentence behind a case stands beside it in tests/conformance/http1/cases.
"""


def markdown(columns: Sequence[Column]) -> str:
    lines = [_INTRODUCTION, "## Cases passed", ""]
    lines += _markdown_table(["", "cases", *(c.title for c in columns)], _rows(columns))
    peers = [c for c in columns if c.server.name != OURS]
    if peers:
        lines += ["", "## Cases that no other server passes", "",
                  "Each with the sentence that all of them break.", ""]  # fmt: skip
        lines += _markdown_table(["case", "level", "RFC", "sentence"], _unpassed(peers))
    lines += ["", "## Cases that some server fails", "", "`x` where it fails.", ""]
    rows = [[r.case.id, r.case.level.value, r.case.section,
             *("" if c.results[i].passed else "x" for c in columns)]
            for i, r in enumerate(columns[0].results)
            if not all(c.results[i].passed for c in columns)]  # fmt: skip
    lines += _markdown_table(["case", "level", "RFC", *(c.server.name for c in columns)], rows)
    return "\n".join(lines) + "\n"


def _unpassed(peers: Sequence[Column]) -> list[list[str]]:
    return [[r.case.id, r.case.level.value, r.case.section, r.case.quote.replace("|", "\\|")]
            for i, r in enumerate(peers[0].results)
            if not any(c.results[i].passed for c in peers)]  # fmt: skip


def _markdown_table(heads: list[str], rows: list[list[str]]) -> list[str]:
    return [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads),
            *(f"| {' | '.join(row)} |" for row in rows)]  # fmt: skip


def to_json(columns: Sequence[Column]) -> str:
    """One line for each case: easy to compare with the one before."""
    servers = {c.server.name: c.server.version for c in columns}
    lines = []
    for i, result in enumerate(columns[0].results):
        case = result.case
        failed = {c.server.name: c.results[i].why[:120] for c in columns if not c.results[i].passed}
        lines.append(json.dumps({"id": case.id, "level": case.level.value, "rfc": case.section,
                                 "failed": failed}))  # fmt: skip
    return '{"servers": %s,\n"cases": [\n%s\n]}\n' % (json.dumps(servers), ",\n".join(lines))


def write(columns: Sequence[Column], markdown_file: Path | None, json_file: Path | None) -> None:
    for file, text in ((markdown_file, markdown), (json_file, to_json)):
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text(columns), encoding="utf-8")
