#!/usr/bin/env python3
"""Measures HTTP servers side by side: the speed table of the README. See README.md here."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from httpbench import choosing, document, environment, netns, pages, places, plot, proc, report
from httpbench import rows, runner, saved, servers, versions
from httpbench.arguments import positive
from httpbench.model import Row, Table
from httpbench.server import Server

_REPOSITORY = Path(__file__).resolve().parents[2]
_FILES_WANTED = 20_000
_HEADINGS = ("First places", "The table of 2021", "All figures")
_PLACES = ("places", "2021", "figures")


def main(argv: Sequence[str]) -> int:
    options = _parse(argv)
    chosen = rows.select(_names(options.rows))
    if options.replay:
        table = Table.of_files(options.replay)
    else:
        table = _measure(options, chosen)
    _write(options, table, chosen)
    missed = [*report.unmet(table, chosen), *pages.unmet(table, chosen)]
    print("\n".join(["", "Not met:", *missed]) if missed else "\nNo target was missed.")
    return 0


def _parse(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", default="", help="comma-separated, default all: "
                        + ", ".join(row.key for row in rows.all_rows()))  # fmt: skip
    parser.add_argument("--servers", default="", help="comma-separated, default all that are here")
    choosing.add_option(parser, "{port}, {root}, {workers} are")
    parser.add_argument("--programs", type=Path, default=_REPOSITORY / "build" / "Bench",
                        help="folder with ssxrver-bench, hello_app and the like")  # fmt: skip
    parser.add_argument("--rounds", type=positive, default=7)
    parser.add_argument("--seconds", type=positive, default=3, help="of load per round")
    parser.add_argument("--runs", type=positive, default=2, help="separate runs of the whole plan")
    parser.add_argument("--quick", action="store_true", help="one run of three rounds of 1 s")
    parser.add_argument("--idle", type=positive, default=rows.IDLE_CONNECTIONS,
                        help="idle connections of that row")  # fmt: skip
    parser.add_argument("--no-namespace", action="store_true", help="stay in the shared network")
    parser.add_argument("--replay", type=Path, metavar="FILE", nargs="+",
                        help="print what --json has saved, measure nothing; the runs of several "
                        "stand behind each other")  # fmt: skip
    parser.add_argument("--json", type=Path, metavar="FILE", help="saves it, row by row")
    parser.add_argument("--resume", action="store_true",
                        help="measure the rows that FILE of --json has not")  # fmt: skip
    parser.add_argument("--markdown", type=Path, metavar="FILE")
    parser.add_argument("--page", type=Path, metavar="FILE",
                        help="a document with places for the tables, which are filled")  # fmt: skip
    parser.add_argument("--svg", type=Path, metavar="FILE")
    options = parser.parse_args(argv)
    if options.resume and options.json is None:
        parser.error("--resume needs the FILE of --json")
    if options.quick:
        options.rounds, options.seconds, options.runs = 3, 1, 1
    return options


def _names(text: str) -> list[str]:
    return [name for name in text.split(",") if name]


def _measure(options: argparse.Namespace, chosen: Sequence[Row]) -> Table:
    proc.exit_on_term()
    network = "shared network namespace as asked" if options.no_namespace else netns.enter()
    proc.raise_file_limit(_FILES_WANTED)
    cores = proc.cores()
    plan = runner.Plan(
        rows=chosen,
        servers=_servers(options),
        rounds=options.rounds,
        seconds=options.seconds,
        runs=options.runs,
        server_core=cores[0],
        load_core=cores[1],
        load_program=options.programs.resolve() / "ssxrver-bench",
        idle_connections=options.idle,
    )
    text = choosing.plan(
        f"{plan.runs} runs of {plan.rounds} rounds of {plan.seconds} s", options.extra
    )
    facts = environment.facts(network, cores, text) | versions.of(
        [*(server.name for server in plan.servers), "wrk", "webbench", "valgrind"],
        options.programs,
        [one.name for one in options.extra],
    )
    table = saved.begin(options.json, facts, options.resume)
    # This process is the load in the idle and start rows: off the server's core.
    with proc.pinned(cores[1]), runner.make_site() as site:
        keep = partial(saved.keep, options.json)
        runner.Runner(plan, site, table, _progress, keep).run_all()
    return table


def _servers(options: argparse.Namespace) -> list[Server]:
    known = servers.known(options.programs.resolve())
    extra = [servers.Custom(*one) for one in options.extra]
    return choosing.choose(known, _names(options.servers), extra, _progress)


def _write(options: argparse.Namespace, table: Table, chosen: Sequence[Row]) -> None:
    print(report.as_text(table, chosen), end="")
    saved.keep(options.json, table)
    if options.markdown:
        options.markdown.write_text(_page(table, chosen))
    if options.page:
        document.fill(options.page, "http_table.py", dict(zip(_PLACES, _texts(table, chosen))))
    if options.svg:
        options.svg.write_text(plot.as_svg(table, chosen))


def _page(table: Table, chosen: Sequence[Row]) -> str:
    parts = [
        f"## {heading}\n\n{text}"
        for heading, text in zip(_HEADINGS, _texts(table, chosen))
        if text
    ]
    return "\n".join(parts)


def _texts(table: Table, chosen: Sequence[Row]) -> tuple[str, str, str]:
    return (
        places.as_markdown(table, chosen),
        pages.as_markdown(table, chosen),
        report.as_markdown(table, chosen),
    )


def _progress(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
