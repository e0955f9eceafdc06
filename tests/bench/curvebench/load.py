"""Calls ssxrver-bench http, and reads a point of a curve from what it says."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from httpbench import proc

_GRACE = 90.0
# Of the rate that was asked for: below it the server cannot keep up, and its latency is that of a
# queue that grows for as long as one looks.
_RATE_KEPT = 0.98


class LoadError(Exception):
    """There is no figure; the text says why."""


@dataclass(frozen=True)
class Bench:
    program: Path
    seconds: float
    core: int


def closed_loop(bench: Bench, port: int, pid: int, connections: int) -> dict[str, float]:
    """As fast as answers come: one run is a point of two curves."""
    result = _run(bench, port, pid, ("-c", str(connections)))
    if result["answered"] < 1:
        raise LoadError("nothing was answered")
    return {"throughput": result["per_second"], "growth": result["server_cpu_us_each"]}


def at_rate(bench: Bench, port: int, pid: int, rate: int) -> float:
    result = _run(bench, port, pid, ("-c", "100", "-R", str(rate)))
    if result["per_second"] < _RATE_KEPT * rate:
        raise LoadError(f"{result['per_second']:,.0f}/s of {rate:,}/s were answered")
    return result["latency_p99_us"]


def held(bench: Bench, port: int, pid: int, connections: int) -> float:
    """Bytes of each of so many connections that have had one answer."""
    result = _run(bench, port, pid, ("-c", str(connections), "--idle"))
    grown = result["server_resident_after"] - result["server_resident_before"]
    return grown / connections


def _run(bench: Bench, port: int, pid: int, arguments: Sequence[str]) -> dict[str, Any]:
    command = [str(bench.program), "http", f"http://127.0.0.1:{port}/", "--pid", str(pid), "-d",
               f"{bench.seconds}s", "--warm-up", "500ms", "--format", "json", "-q",
               *arguments]  # fmt: skip
    with proc.pinned(bench.core):
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=bench.seconds + _GRACE, check=False
        )
    if not done.stdout.startswith("{"):
        raise LoadError(done.stderr.strip()[-300:] or "ssxrver-bench has ended")
    result = json.loads(done.stdout)
    failed = sum(result[name] for name in result if name.startswith("failed_"))
    if failed:
        raise LoadError(f"{failed:,} requests failed")
    return result
