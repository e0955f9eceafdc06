#!/usr/bin/env python3
"""Measures what a request costs the load: ssxrver-bench beside wrk. See README.md here."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from httpbench import client, document, environment, generator, load, netns, parse, proc, saved
from httpbench import versions
from httpbench.arguments import positive
from httpbench.model import Table
from httpbench.starting import ServerError
from loadbench import report, runner

_REPOSITORY = Path(__file__).resolve().parents[2]
_TROUBLE = (
    OSError,
    client.HttpError,
    generator.GeneratorError,
    load.LoadError,
    parse.ParseError,
    runner.RunError,
    ServerError,
)


def main(argv: Sequence[str]) -> int:
    """2: nothing can be said."""
    options = _parse(argv)
    try:
        table = Table.of_files([options.replay]) if options.replay else _measure(options)
    except _TROUBLE as error:
        _progress(f"load_table: {error}")
        return 2
    text = report.as_markdown(table)
    print(text, end="")
    saved.keep(options.json, table)
    if options.page:
        document.fill(options.page, "load_table.py", {"figures": text})
    missed = report.unmet(table)
    print("\n".join(["", "Not met:", *missed]) if missed else "\nNo target was missed.")
    return 0


def _parse(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=Path, default=_REPOSITORY / "build" / "Bench",
                        help="folder with ssxrver-bench and epoll_http")  # fmt: skip
    parser.add_argument("--rounds", type=positive, default=7)
    parser.add_argument("--seconds", type=positive, default=3, help="of load per round")
    parser.add_argument("--quick", action="store_true", help="three rounds of 1 s")
    parser.add_argument("--no-namespace", action="store_true", help="stay in the shared network")
    parser.add_argument("--replay", type=Path, metavar="FILE",
                        help="print a saved --json, measure nothing")  # fmt: skip
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--page", type=Path, metavar="FILE",
                        help="a document with a place for the table, which is filled")  # fmt: skip
    options = parser.parse_args(argv)
    if options.quick:
        options.rounds, options.seconds = 3, 1
    return options


def _measure(options: argparse.Namespace) -> Table:
    proc.exit_on_term()
    network = "shared network namespace as asked" if options.no_namespace else netns.enter()
    cores = proc.cores()
    plan = runner.Plan(options.programs.resolve(), options.rounds, options.seconds, *cores)
    facts = environment.facts(network, cores, f"{plan.rounds} rounds of {plan.seconds} s")
    table = Table(facts | versions.of(["wrk"], options.programs))
    with proc.pinned(plan.load_core), tempfile.TemporaryDirectory(prefix="loadbench-") as work:
        runner.run(plan, Path(work), table, _progress)
    return table


def _progress(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
