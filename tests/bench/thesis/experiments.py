#!/usr/bin/env python3
"""The thesis's two experiments, with one client for all servers.

file      526,400,992 bytes as one message of 1 MB fragments, kept nowhere and written to a file
arrivals  300 new connections/s for 10 s; each sends 5 messages of 1 KB, 5 s apart
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_BENCH = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(_BENCH))

from httpbench import netns, proc  # noqa: E402
from httpbench.runner import rotated  # noqa: E402
from thesis import bars, generator  # noqa: E402
from wsbench import rows, servers  # noqa: E402

_REPOSITORY = _BENCH.parents[1]
_SERVERS = (rows.THREAD, "beast", "websocketpp")
_FILE = ("file", (f"size={rows.MIB}", f"bytes={rows.FILE_BYTES}", "seconds=0"))  # one of them
_PLACES = {"memory only": "/sink", "written to disk": "/store"}


@dataclass(frozen=True)
class Seen:
    """What thesis_load reports of one run, and what the server took for it."""

    result: dict[str, float]
    cpu: float
    peak: int


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("experiment", choices=("file", "arrivals"))
    parser.add_argument("--programs", type=Path, default=_REPOSITORY / "build" / "Bench")
    parser.add_argument("--servers", default=",".join(_SERVERS))
    parser.add_argument("--rounds", type=int, default=0, help="default: file 5, arrivals 1")
    parser.add_argument("--svg", type=Path, metavar="FILE")
    options = parser.parse_args(argv)
    print(netns.enter())
    proc.raise_file_limit(25_000)
    run = file if options.experiment == "file" else arrivals
    text, picture = run(options)
    print(text)
    if options.svg:
        options.svg.write_text(picture)
    return 0


# ---- the file


def file(options: argparse.Namespace) -> tuple[str, str]:
    lines = [("server", "where to", "MB/s", "seconds", "CPU s", "peak MB")]
    drawn = []
    for place, path in _PLACES.items():
        for name, all_seen in measured(options, path, _FILE, options.rounds or 5).items():
            seconds = statistics.median(seen.result["seconds"] for seen in all_seen)
            cpu = statistics.median(seen.cpu for seen in all_seen)
            peak = max(seen.peak for seen in all_seen)
            rate = rows.FILE_BYTES / 1e6 / seconds
            lines.append((name, place, f"{rate:,.0f}", f"{seconds:.3f}", f"{cpu:.3f}",
                          f"{peak / 1e6:.1f}"))  # fmt: skip
            drawn.append(bars.Bar(f"{name}, {place}", rate, place))
    title = "526,400,992 bytes as one message of 1 MB fragments (more is better)"
    return aligned(lines), bars.as_svg(title, "MB/s", drawn)


# ---- the arrivals


def arrivals(options: argparse.Namespace) -> tuple[str, str]:
    what = ("arrivals", ("rate=300", "seconds=10", "messages=5", "pause=5", "size=1024"))
    lines = [("server", "connections", "refused", "messages", "opening p50 us", "p99",
              "response p50 us", "p99", "longest ms", "CPU s")]  # fmt: skip
    drawn = []
    for name, all_seen in measured(options, "/echo", what, options.rounds or 1).items():
        for seen in all_seen:
            got = seen.result
            lines.append((name, "3,000", f"{got['errors']:.0f}", f"{got['messages']:,.0f}",
                          f"{got['opening_p50_us']:.0f}", f"{got['opening_p99_us']:.0f}",
                          f"{got['latency_p50_us']:.0f}", f"{got['latency_p99_us']:.0f}",
                          f"{got['latency_max_us'] / 1000:.1f}", f"{seen.cpu:.3f}"))  # fmt: skip
        for part in ("p50", "p99"):
            value = statistics.median(seen.result[f"latency_{part}_us"] for seen in all_seen)
            drawn.append(bars.Bar(f"{name}, {part}", value, part))
    title = "Response time of 1 KB at 300 new connections/s (less is better)"
    return aligned(lines), bars.as_svg(title, "us", drawn)


# ---- both


def measured(
    options: argparse.Namespace, path: str, what: tuple[str, tuple[str, ...]], rounds: int
) -> dict[str, list[Seen]]:
    """By server; another one begins in every round."""
    server_core, load_core = proc.cores()
    bench = generator.Bench(options.programs.resolve() / "thesis_load", 1, load_core)
    wanted = options.servers.split(",")
    chosen = [s for s in servers.known(bench.program.parent) if s.name in wanted]
    found: dict[str, list[Seen]] = {server.name: [] for server in chosen}
    with tempfile.TemporaryDirectory(prefix="thesis-") as work:
        for turn in range(rounds):
            for server in rotated(chosen, turn):
                with servers.running(server, Path(work), server_core) as up:
                    found[server.name].append(look(bench, up, path, what))
    return found


def look(
    bench: generator.Bench, up: servers.Running, path: str, what: tuple[str, tuple[str, ...]]
) -> Seen:
    scenario, arguments = what
    with generator.generator(bench, scenario, up.port, up.server.path(path), arguments) as load:
        before = proc.scheduled_seconds(up.pid)
        result = load.run()
        return Seen(result, proc.scheduled_seconds(up.pid) - before, generator.peak_bytes(up.pid))


def aligned(lines: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*lines)]
    return "\n".join("  ".join(t.ljust(w) for t, w in zip(line, widths)).rstrip() for line in lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
