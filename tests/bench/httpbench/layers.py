"""Which part of ssxrver executes how many instructions for a request. Pure functions of reports.

A report is what `callgrind_annotate --threshold=100` prints: a line for each function.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

# The first that is found in the function's name; what is in none is a library's.
PARTS = (
    ("parser", r"RequestParser|find_field_name|parse_authority|parse_method|http::Head\b|"
               r"http::(Fields|Framing|judge_framing|decode_path)"),
    ("router", r"http::(Router|RouteTree|Params)"),
    ("writer of answers", r"http::(ResponseWriter|date|Date)"),
    ("session", r"http::(Session|Exchange|RequestGuard|WorkerState|SendWatch|Request\b)"),
    ("handler and middleware", r"ssx::(http|json|app|anonymous|App)\b"),
    ("connection, buffers, sockets",
     r"ssx::(net::(Connection|Connections|Batch|read_socket|write_socket|send_file)|InBuffer|"
     r"OutQueue|sys::|LocalRef)"),
    ("loop", r"ssx::net::|ssx::UniqueFunction|clock_gettime|epoll_wait"),
)
LIBRARIES = "libraries"
_LINE = re.compile(r"^\s*([\d,]+) \(\s*[\d.]+%\)\s+(\S.*)$")


def functions(report: str) -> Counter[str]:
    """Instructions of each function, by the text that names it."""
    found: Counter[str] = Counter()
    for line in report.splitlines():
        match = _LINE.match(line)
        if match and "PROGRAM TOTALS" not in line:
            found[match.group(2)] += int(match.group(1).replace(",", ""))
    return found


def part_of(function: str) -> str:
    """By its name, not by what it takes."""
    name = function.replace("(anonymous namespace)", "anonymous").partition("(")[0]
    return next((part for part, pattern in PARTS if re.search(pattern, name)), LIBRARIES)


def per_request(once: Mapping[str, int], twice: Mapping[str, int], requests: int) -> Counter[str]:
    """By part, of `requests` requests and of twice as many: the start is in both."""
    parts: Counter[str] = Counter()
    for function in {*once, *twice}:
        parts[part_of(function)] += twice.get(function, 0) - once.get(function, 0)
    return Counter({name: round(count / requests) for name, count in parts.items()})


def as_markdown(columns: Mapping[str, Counter[str]]) -> str:
    """A line for each part; `columns`: of each row that was counted."""
    names = [name for name, _ in PARTS] + [LIBRARIES]
    lines = [_line(["instructions a request", *columns]), "|---" * (1 + len(columns)) + "|"]
    for name in names:
        lines.append(_line([name, *(f"{counts[name]:,}" for counts in columns.values())]))
    totals = (f"{sum(counts.values()):,}" for counts in columns.values())
    lines.append(_line(["in all", *totals]))
    return "\n".join(lines) + "\n"


def _line(columns: Iterable[str]) -> str:
    return "| " + " | ".join(columns) + " |"
