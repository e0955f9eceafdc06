#!/usr/bin/env python3
"""Autobahn|Testsuite against our echo server, for our client, or for another client.

usage: run.py --build FOLDER --echo PROGRAM [--settings off,both] [--cases '1.*' '12.1.*']
       run.py --build FOLDER --own-client PROGRAM [--settings ...] [--cases ...]
       run.py --build FOLDER [--cases ...] --client COMMAND...

Ends with 0 when every case is OK or INFORMATIONAL. The suite is kept in FOLDER/autobahn.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import cases
import echo
import fuzzer
import own_client
import report
import suite


def main(argv: Sequence[str]) -> int:
    options = _parse(argv)
    folder = options.build.resolve() / "autobahn"
    try:
        converted = suite.prepare(folder)
    except suite.Missing as missing:
        sys.exit(f"run.py: {missing}")
    selected = cases.matching(fuzzer.all_cases(converted), options.cases)
    if options.client:
        task = fuzzer.Task(selected, folder / "client", options.seconds)
        columns = {"client": fuzzer.for_client(converted, task, options.client)}
    else:
        ours, program = (echo, options.echo) if options.echo else (own_client, options.own_client)
        settings = options.settings.split(",") if options.settings else ours.SETTINGS
        columns = ours.run(converted, program, selected, folder, options.seconds, settings)
    if options.slowest:
        print("\n".join(report.slowest(columns, options.slowest)))
    print(report.table(columns))
    found = report.failures(columns)
    print("\n".join(found))
    return 1 if found or not selected else 0


def _parse(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, required=True)
    peer = parser.add_mutually_exclusive_group(required=True)
    peer.add_argument("--echo", type=Path, help="the program autobahn_echo")
    peer.add_argument("--own-client", type=Path, help="the program autobahn_client")
    peer.add_argument("--client", nargs=argparse.REMAINDER)
    parser.add_argument("--settings", default="", help="comma-separated; all")
    parser.add_argument("--cases", nargs="+", default=["*"], metavar="PATTERN")
    parser.add_argument("--seconds", type=float, default=5400.0, help="of each setting, at most")
    parser.add_argument("--slowest", type=int, default=0, metavar="N", help="show these cases")
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
