#!/usr/bin/env python3
"""Two meters for one server: resident memory of idle connections, and time to the first answer.

    meter.py idle --port 8080 --pid 4711 --connections 10000 --limit 512
    meter.py start --rounds 15 --limit 12 -- build/Release/hello_app {port}

Prints one line of JSON. The exit status is 1 when the figure is above --limit.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from httpbench import client, meters, proc, rows, stats


def main(argv: Sequence[str]) -> int:
    options = _parse(argv)
    try:
        figure, facts = options.measure(options)
    except (meters.MeterError, client.HttpError, OSError) as error:
        print(f"meter: {error}", file=sys.stderr)
        return 2
    print(json.dumps(facts))
    return 1 if options.limit is not None and not stats.is_met(figure, options.limit) else 0


def _parse(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True)
    idle = commands.add_parser("idle", help="bytes per idle keep-alive connection")
    idle.add_argument("--port", type=int, required=True)
    idle.add_argument("--pid", type=int, required=True, help="of the server; children count too")
    idle.add_argument("--connections", type=int, default=rows.IDLE_CONNECTIONS)
    idle.set_defaults(measure=_idle)
    start = commands.add_parser("start", help="milliseconds from start to first answer")
    start.add_argument("--rounds", type=int, default=15)
    start.add_argument("command", nargs="+", help="after --; {port} is filled in")
    start.set_defaults(measure=_start)
    for command in (idle, start):
        command.add_argument("--path", default="/")
        command.add_argument("--limit", type=float, help="highest figure that is all right")
    return parser.parse_args(argv)


def _idle(options: argparse.Namespace) -> tuple[float, dict[str, object]]:
    memory = meters.idle_memory(options.port, options.pid, options.path, options.connections)
    return memory.bytes_each, {**dataclasses.asdict(memory), "bytes_each": memory.bytes_each}


def _start(options: argparse.Namespace) -> tuple[float, dict[str, object]]:
    server_core, load_core = proc.cores()
    with tempfile.TemporaryDirectory(prefix="meter-") as folder, proc.pinned(load_core):
        times = [
            _first_answer(options, Path(folder) / "output", server_core)
            for _ in range(options.rounds)
        ]
    middle = stats.spread(times)
    return middle.median, {f"{name}_ms" if name != "count" else name: value
                           for name, value in dataclasses.asdict(middle).items()}  # fmt: skip


def _first_answer(options: argparse.Namespace, output: Path, core: int) -> float:
    port = client.free_port()
    argv = [part.replace("{port}", str(port)) for part in options.command]
    return meters.first_answer_ms(argv, port, options.path, output, core)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
