#!/usr/bin/env python3
"""Measures WebSocket servers side by side. See README.md here."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from httpbench import choosing, document, environment, netns, plot, proc, saved
from httpbench import versions
from httpbench.generator import Generator
from httpbench.model import Table
from wsbench import report, rows, runner, servers

_REPOSITORY = Path(__file__).resolve().parents[2]
_FILES_WANTED = 25_000


def main(argv: Sequence[str]) -> int:
    options = _parse(argv)
    chosen = rows.select([name for name in options.rows.split(",") if name])
    if options.replay:
        table = Table.of_files(options.replay)
    else:
        table = _measure(options, chosen)
    _write(options, table, chosen)
    print("", report.summary(table, chosen), sep="\n")
    return 0


def _parse(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", default="", help="comma-separated, default all: "
                        + ", ".join(row.key for row in rows.all_rows()))  # fmt: skip
    parser.add_argument("--servers", default="", help="comma-separated, default all")
    choosing.add_option(parser, "{port} is")
    parser.add_argument("--programs", type=Path, default=_REPOSITORY / "build" / "Bench",
                        help="folder with ssxrver-bench, ws_app and epoll_ws")  # fmt: skip
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=3, help="of load per round")
    parser.add_argument("--runs", type=int, default=2, help="separate runs of the whole plan")
    parser.add_argument("--quick", action="store_true", help="one run of three rounds of 1 s")
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
        options.rounds, options.seconds, options.runs = 3, 1.0, 1
    return options


def _measure(options: argparse.Namespace, chosen: Sequence[rows.Row]) -> Table:
    proc.exit_on_term()
    network = "shared network namespace as asked" if options.no_namespace else netns.enter()
    proc.raise_file_limit(_FILES_WANTED)
    server_core, load_core = proc.cores()
    plan = runner.Plan(
        rows=chosen,
        servers=_servers(options),
        bench=Generator(options.programs.resolve() / "ssxrver-bench", options.seconds, load_core),
        rounds=options.rounds,
        runs=options.runs,
        server_core=server_core,
    )
    text = choosing.plan(
        f"{plan.runs} runs of {plan.rounds} rounds of {options.seconds:g} s", options.extra
    )
    facts = environment.facts(network, (server_core, load_core), text) | versions.of(
        [server.name for server in plan.servers],
        options.programs,
        [one.name for one in options.extra],
    )
    table = saved.begin(options.json, facts, options.resume)
    with proc.pinned(load_core), tempfile.TemporaryDirectory(prefix="wsbench-") as work:
        keep = partial(saved.keep, options.json)
        runner.Runner(plan, Path(work), table, _progress, keep).run_all()
    return table


def _servers(options: argparse.Namespace) -> list[servers.Server]:
    known = servers.known(options.programs.resolve())
    wanted = [name for name in options.servers.split(",") if name]
    extra = [servers.Server(*one) for one in options.extra]
    return choosing.choose(known, wanted, extra, _progress)


def _write(options: argparse.Namespace, table: Table, chosen: Sequence[rows.Row]) -> None:
    print(report.as_text(table, chosen), end="")
    saved.keep(options.json, table)
    if options.markdown:
        options.markdown.write_text(report.as_markdown(table, chosen))
    if options.page:
        document.fill(options.page, "ws_table.py", {"figures": report.as_markdown(table, chosen)})
    if options.svg:
        options.svg.write_text(plot.as_svg(table, chosen, "Server CPU per message"))


def _progress(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
