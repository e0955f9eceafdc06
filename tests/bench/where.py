#!/usr/bin/env python3
"""Where the instructions of a request go, part by part of ssxrver, as callgrind counts them.

    where.py                              # the daemon, keep-alive, by the rows of the table
    where.py --rows hello,pipeline --server ssxrver-app
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from httpbench import instructions, layers, rows, runner, servers
from httpbench.model import OURS, REUSEPORT, Row
from httpbench.server import Server, make_place

_REPOSITORY = Path(__file__).resolve().parents[2]
_REQUESTS = 1_600
_ROWS = "hello,pipeline,file612,file64k"


def main(argv: Sequence[str]) -> int:
    style = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=style)
    parser.add_argument("--rows", default=_ROWS, help=f"comma-separated, default {_ROWS}")
    parser.add_argument("--server", choices=OURS, default=REUSEPORT)
    parser.add_argument("--programs", type=Path, default=_REPOSITORY / "build" / "Bench")
    options = parser.parse_args(argv)
    (server,) = (known for known in servers.known(options.programs.resolve())
                 if known.name == options.server)  # fmt: skip
    chosen = rows.select(options.rows.split(","))
    with runner.make_site() as site:
        columns = {row.title: _count(server, row, site) for row in chosen}
    print(layers.as_markdown(columns), end="")
    return 0


def _count(server: Server, row: Row, site: runner.Site) -> Counter[str]:
    place = make_place(site.work, site.root, server.name)
    argv = server.command(place, row)
    counts = [
        layers.functions(_annotated(instructions.profile(
            argv, place.port, row.path, row.depth, requests, place.folder)))
        for requests in (_REQUESTS, 2 * _REQUESTS)
    ]  # fmt: skip
    return layers.per_request(*counts, _REQUESTS)


def _annotated(report: Path) -> str:
    return subprocess.run(["callgrind_annotate", "--threshold=100", str(report)],
                          capture_output=True, text=True, check=True).stdout  # fmt: skip


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
