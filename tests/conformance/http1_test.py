#!/usr/bin/env python3
"""Our daemon keeps every rule; a broken server is seen to be broken.

usage: http1_test.py --daemon FILE
allowed_failures.txt names the cases that we know we fail, each with the reason. The list may only
become shorter: a case of it that passes is a failure too, and no case with MUST may stand there.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from http1 import report, runner, servers
from http1.case import MUST
from http1.cases import TOPICS, all_cases
from http1.report import Column

BROKEN_AT_LEAST = 60
BROKEN_AT_LEAST_PER_TOPIC = 3
_LIST = Path(__file__).resolve().parent / "allowed_failures.txt"


def allowed_failures(text: str) -> dict[str, str]:
    """Case -> reason."""
    found = {}
    for line in text.splitlines():
        words = line.split("#")[0].split(None, 1)
        if words:
            found[words[0]] = words[1] if len(words) > 1 else ""
    return found


def complaints_about_us(column: Column, allowed: dict[str, str]) -> list[str]:
    cases = {result.case.id: result for result in column.results}
    found = [f"{name}: allowed to fail, without a reason" for name in allowed if not allowed[name]]
    found += [f"{name}: allowed to fail, and no such case" for name in allowed if name not in cases]
    for name, result in cases.items():
        if name in allowed and result.passed:
            found.append(f"{name}: passes now; take it out of {_LIST.name}")
        if name in allowed and result.case.level is MUST:
            found.append(f"{name}: a MUST may not be allowed to fail")
        if name not in allowed and not result.passed:
            found.append(f"{name} ({result.case.level.value}, RFC {result.case.section}: "
                         f"{result.case.quote}): {result.why}")  # fmt: skip
    return found


def complaints_about_broken(column: Column) -> list[str]:
    failed = Counter(result.case.topic for result in column.results if not result.passed)
    found = []
    if failed.total() < BROKEN_AT_LEAST:
        found.append(f"broken_server.py fails {failed.total()} cases, not {BROKEN_AT_LEAST}")
    for topic in TOPICS:
        name = topic.case.name
        if failed[name] < BROKEN_AT_LEAST_PER_TOPIC:
            found.append(f"broken_server.py fails {failed[name]} cases of {name}")
    return found


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--daemon", type=Path, required=True)
    options = parser.parse_args(argv)
    cases = all_cases()
    with servers.daemon(options.daemon) as server:
        ours = Column(server, runner.run(server, cases))
    with servers.broken() as server:
        broken = Column(server, runner.run(server, cases, runner.HASTY))
    print(report.table([ours, broken]))
    found = complaints_about_us(ours, allowed_failures(_LIST.read_text(encoding="utf-8")))
    found += complaints_about_broken(broken)
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
