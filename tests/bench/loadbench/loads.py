"""The generators, and what they are to do."""

from __future__ import annotations

from httpbench import client, load, parse
from httpbench.generator import Generator
from httpbench.model import Kind, Row
from httpbench.rows import HELLO, HELLO_PATH

WRK = "wrk"
OWN = "ssxrver-bench"
LOADS = (WRK, OWN)


def rows() -> list[Row]:
    """Row.depth: requests that are sent at once on each connection."""
    return [
        Row("keep_alive", "keep-alive", Kind.WRK, HELLO_PATH, len(HELLO)),
        Row("pipeline", "pipelined 16 deep", Kind.WRK, HELLO_PATH, len(HELLO), depth=16),
    ]


def generate(name: str, bench: load.Bench, port: int, pid: int, row: Row) -> parse.LoadResult:
    """The same requests by either, on as many connections, counted from the first one on."""
    if name == WRK:
        return load.generate(bench, port, pid, Kind.WRK, row)
    url = f"http://{client.HOST}:{port}{row.path}"
    options = ("-c", str(load.CONNECTIONS), "-p", str(row.depth), "-d", f"{bench.seconds}s",
               "--warm-up", "0", "-H", "User-Agent: httpbench/1", "-H", "Accept: */*")  # fmt: skip
    own = Generator(bench.own, bench.seconds, bench.cores[0])
    return parse.own(own.run("http", url, pid, options))
