#!/usr/bin/env python3
"""Aims the cases of HTTP/1 at our daemon and at other servers, and puts them in one table."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from http1 import peers, report, runner, servers
from http1.case import Case
from http1.cases import all_cases
from http1.report import Column


def main(argv: Sequence[str]) -> int:
    options = _parse(argv)
    cases = [case for case in all_cases() if re.search(options.case, case.id)]
    if not cases:
        sys.exit(f"no case matches {options.case!r}")
    columns = _run_all(options, cases)
    for column in columns if options.verbose else []:
        print(f"--- {column.title}\n{report.failures(column)}\n")
    print(report.table(columns))
    report.write(columns, options.markdown, options.json)
    return _verdict(columns)


def _verdict(columns: Sequence[Column]) -> int:
    """Ours shall pass every case with MUST, and more cases than each of the others."""
    ours = [column for column in columns if column.server.name == report.OURS]
    if not ours:
        return 0
    broken = [r.case.id for r in ours[0].results if not r.passed and r.case.level.value == "MUST"]
    ahead = report.behind(columns)
    for text, found in (("MUST that we fail", broken), ("not fewer cases than we", ahead)):
        if found:
            print(f"{text}: {', '.join(found)}")
    return 1 if broken or ahead else 0


def _run_all(options: argparse.Namespace, cases: Sequence[Case]) -> list[Column]:
    starts = []
    if options.daemon:
        starts.append((report.OURS, lambda: servers.daemon(options.daemon.resolve())))
    for name in options.peers.split(",") if options.peers else []:
        if name not in peers.PROGRAMS:
            sys.exit(f"no server is called {name!r}")
        if servers.find(name) is None:
            print(f"{name} is not installed", file=sys.stderr)
        else:
            starts.append((name, lambda name=name: servers.peer(name)))
    if options.broken:
        starts.append(("broken", servers.broken))
    columns = []
    for name, start in starts:
        print(f"== {name}", file=sys.stderr)
        with start() as server:
            patience = runner.HASTY if name == "broken" else runner.PATIENT
            columns.append(Column(server, runner.run(server, cases, patience)))
    if not columns:
        sys.exit("nothing to aim at: give --daemon or --peers")
    return columns


def _parse(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--daemon", type=Path, help="the program ssxrver")
    every = ",".join(peers.PROGRAMS)
    parser.add_argument("--peers", nargs="?", const=every, default="", metavar="NAME,...",
                        help="other servers; alone, all that are installed")  # fmt: skip
    parser.add_argument("--broken", action="store_true", help="broken_server.py too")
    parser.add_argument("--case", default="", metavar="REGEX", help="only cases whose id matches")
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="say what each failed case got"
    )
    parser.add_argument("--markdown", type=Path, metavar="FILE")
    parser.add_argument("--json", type=Path, metavar="FILE")
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
