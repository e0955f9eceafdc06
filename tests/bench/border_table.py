#!/usr/bin/env python3
"""Measures what the border of plugins costs: the same hello by a handler of the program and by
plugins that it has loaded. See README.md here."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from borderbench import report, runner, ways
from httpbench import client, document, environment, instructions, load, netns, parse, proc
from httpbench.model import Table
from httpbench.starting import ServerError

_REPOSITORY = Path(__file__).resolve().parents[2]
_TROUBLE = (
    OSError,
    client.HttpError,
    instructions.CountError,
    load.LoadError,
    parse.ParseError,
    runner.RunError,
    ServerError,
)


def main(argv: Sequence[str]) -> int:
    """1: a target was missed; 2: nothing can be said."""
    options = _parse(argv)
    try:
        table = _replay(options.replay) if options.replay else _measure(options)
    except _TROUBLE as error:
        _progress(f"border_table: {error}")
        return 2
    text = report.as_markdown(table)
    print(text, end="")
    if options.json:
        options.json.write_text(json.dumps(table.to_json(), indent=1) + "\n")
    if options.markdown:
        options.markdown.write_text(text)
    if options.page:
        document.fill(options.page, "border_table.py", {"figures": text})
    missed = report.unmet(table)
    print("\n".join(["", "Not met:", *missed]) if missed else "\nNo target was missed.")
    return 1 if missed else 0


def _parse(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=Path, default=_REPOSITORY / "build" / "Bench",
                        help="folder with border_app and its plugins")  # fmt: skip
    parser.add_argument("--rows", default="", help="comma-separated, default all: "
                        + ", ".join(row.key for row in ways.rows()))  # fmt: skip
    parser.add_argument("--rounds", type=int, default=25, help="of load per row; 0: none")
    parser.add_argument("--seconds", type=int, default=1, help="of load per way and round")
    parser.add_argument("--requests", type=int, default=3200,
                        help="that callgrind counts, a multiple of 16; 0: none")  # fmt: skip
    parser.add_argument("--no-namespace", action="store_true", help="stay in the shared network")
    parser.add_argument("--replay", type=Path, metavar="FILE",
                        help="print a saved --json, measure nothing")  # fmt: skip
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--markdown", type=Path, metavar="FILE")
    parser.add_argument("--page", type=Path, metavar="FILE",
                        help="a document with places for the tables, which are filled")  # fmt: skip
    options = parser.parse_args(argv)
    if options.rounds < 0 or options.seconds < 1 or options.requests % 16:
        parser.error("--rounds from 0, --seconds from 1, --requests a multiple of 16")
    return options


def _replay(saved: Path) -> Table:
    return Table.from_json(json.loads(saved.read_text()))


def _measure(options: argparse.Namespace) -> Table:
    programs = options.programs.resolve()
    missing = ways.missing(programs)
    if missing:
        raise runner.RunError(f"not built: {', '.join(map(str, missing))}")
    wanted = [name for name in options.rows.split(",") if name]
    chosen = [row for row in ways.rows() if not wanted or row.key in wanted]
    unknown = set(wanted) - {row.key for row in chosen}
    if unknown:
        raise runner.RunError(f"no row {', '.join(sorted(unknown))}")
    proc.exit_on_term()
    network = "shared network namespace as asked" if options.no_namespace else netns.enter()
    cores = proc.cores()
    plan = runner.Plan(
        programs, chosen, options.rounds, options.seconds, options.requests, *cores
    )
    table = Table(environment.facts(network, cores, f"{plan.rounds} rounds of {plan.seconds} s"))
    with proc.pinned(plan.load_core), tempfile.TemporaryDirectory(prefix="border-") as work:
        runner.run(plan, Path(work), table, _progress)
    return table


def _progress(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
