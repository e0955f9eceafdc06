#!/usr/bin/env python3
"""Draws how servers do as they are given more: connections, or requests per second. See README.md.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from curvebench import curves, drawing, report, runner
from curvebench.model import Album, Curve
from httpbench import choosing, document, environment, netns, proc, servers, versions
from httpbench.generator import Generator
from httpbench.runner import make_site
from httpbench.server import Server

_REPOSITORY = Path(__file__).resolve().parents[2]
_FILES_WANTED = 21_000


def main(argv: Sequence[str]) -> int:
    options = _parse(argv)
    chosen = curves.select([name for name in options.curves.split(",") if name])
    if options.replay:
        album = _saved(options)
    else:
        album = _measure(options, chosen)
    _write(options, album, chosen)
    return 0


def _parse(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--curves", default="", help="comma-separated, default all: "
                        + ", ".join(curve.key for curve in curves.all_curves()))  # fmt: skip
    parser.add_argument("--servers", default="", help="comma-separated, default all that are here")
    choosing.add_option(parser, "{port}, {root}, {workers} are")
    parser.add_argument("--programs", type=Path, default=_REPOSITORY / "build" / "Bench",
                        help="folder with ssxrver-bench and the servers")  # fmt: skip
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=2, help="of load for each point")
    parser.add_argument("--quick", action="store_true", help="one round of 0.5 s")
    parser.add_argument("--replay", type=Path, metavar="FILE",
                        help="draw a saved --json, measure nothing")  # fmt: skip
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--markdown", type=Path, metavar="FILE")
    parser.add_argument("--page", type=Path, metavar="FILE",
                        help="a document whose place for the figures is filled")  # fmt: skip
    parser.add_argument("--svg", type=Path, metavar="FOLDER", help="one picture for each curve")
    options = parser.parse_args(argv)
    if options.quick:
        options.rounds, options.seconds = 1, 0.5
    return options


def _saved(options: argparse.Namespace) -> Album:
    album = Album.from_json(json.loads(options.replay.read_text()))
    if not album.environment.get("plan", "").endswith(choosing.plan("", options.extra)):
        raise SystemExit(f"{options.replay} was measured without these --extra")
    return album


def _measure(options: argparse.Namespace, chosen: Sequence[Curve]) -> Album:
    proc.exit_on_term()
    network = netns.enter()
    files = proc.raise_file_limit(_FILES_WANTED)
    server_core, load_core = proc.cores()
    programs = options.programs.resolve()
    plan = runner.Plan(
        curves=chosen,
        servers=_servers(options, programs),
        bench=Generator(programs / "ssxrver-bench", options.seconds, load_core),
        rounds=options.rounds,
        server_core=server_core,
        files=files,
    )
    text = choosing.plan(_plan(options, files), options.extra)
    facts = environment.facts(network, (server_core, load_core), text)
    names = [server.name for server in plan.servers]
    album = Album(facts | versions.of(names, programs, [one.name for one in options.extra]))
    with proc.pinned(load_core), make_site() as site:
        runner.Runner(plan, site, album, _progress).run_all()
    return album


def _plan(options: argparse.Namespace, files: int) -> str:
    rounds = "1 round" if options.rounds == 1 else f"{options.rounds} rounds"
    return f"{rounds} of {options.seconds:g} s, at most {files:,} open files a process"


def _servers(options: argparse.Namespace, programs: Path) -> list[Server]:
    wanted = [name for name in options.servers.split(",") if name]
    extra = [servers.Custom(*one) for one in options.extra]
    return choosing.choose(servers.known(programs), wanted, extra, _progress)


def _write(options: argparse.Namespace, album: Album, chosen: Sequence[Curve]) -> None:
    text = report.as_markdown(album, chosen)
    print(text, end="")
    if options.json:
        options.json.write_text(json.dumps(album.to_json(), indent=1) + "\n")
    if options.markdown:
        options.markdown.write_text(text)
    if options.page:
        document.fill(options.page, "curves.py", {"figures": text})
    if options.svg:
        for curve in chosen:
            picture = album.picture(curve.key)
            if any(line.medians() for line in picture.lines):
                (options.svg / f"{curve.key}.svg").write_text(drawing.as_svg(curve, picture))


def _progress(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
