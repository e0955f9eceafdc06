"""A point of a curve, from what ssxrver-bench says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from httpbench.generator import Generator, GeneratorError, failures, grown

# Of the rate that was asked for: below it the server cannot keep up, and its latency is that of a
# queue that grows for as long as one looks.
_RATE_KEPT = 0.98


def closed_loop(bench: Generator, port: int, pid: int, connections: int) -> dict[str, float]:
    """As fast as answers come: one run is a point of two curves."""
    result = _run(bench, port, pid, ("-c", str(connections)))
    if result["answered"] < 1:
        raise GeneratorError("nothing was answered")
    return {"throughput": result["per_second"], "growth": result["server_cpu_us_each"]}


def at_rate(bench: Generator, port: int, pid: int, rate: int) -> float:
    result = _run(bench, port, pid, ("-c", "100", "-R", str(rate)))
    if result["per_second"] < _RATE_KEPT * rate:
        raise GeneratorError(f"{result['per_second']:,.0f}/s of {rate:,}/s were answered")
    return result["latency_p99_us"]


def held(bench: Generator, port: int, pid: int, connections: int) -> float:
    """Bytes of each of so many connections that have had one answer."""
    result = _run(bench, port, pid, ("-c", str(connections), "--idle"))
    if result["standing"] != connections:
        raise GeneratorError(f"only {result['standing']:,} connections stood to the end")
    return grown(result)


def _run(bench: Generator, port: int, pid: int, arguments: Sequence[str]) -> dict[str, Any]:
    times = ("-d", f"{bench.seconds}s", "--warm-up", "500ms")
    result = bench.run("http", f"http://127.0.0.1:{port}/", pid, (*times, *arguments))
    failed = failures(result)
    if failed:
        raise GeneratorError(f"{failed:,} requests failed")
    return result
