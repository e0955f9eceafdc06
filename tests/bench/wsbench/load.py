"""A round of a row, from what ssxrver-bench says."""

from __future__ import annotations

import contextlib
import math
import tempfile
from pathlib import Path
from typing import Any

from httpbench import proc, tracing
from httpbench.generator import Generator, GeneratorError, failures, grown
from httpbench.model import Sample

from .rows import MIB, Kind, Row

_WARM_UP_SECONDS = 0.3
_HOLD_SECONDS = 0.5
_HELD_BEFORE = 200


def measure(bench: Generator, row: Row, port: int, pid: int, path: str) -> Sample:
    """One round."""
    url = f"ws://127.0.0.1:{port}{path}"
    if row.kind is Kind.CONNECTION:
        return _idle_memory(bench, row, url, pid)
    if row.kind is Kind.SYSTEM_CALL:
        return _system_calls(bench, row, url, pid)
    forget_peak(pid)
    times = ("-d", f"{bench.seconds}s", "--warm-up", f"{_WARM_UP_SECONDS}s")
    return sample_of(row.kind, bench.run("ws", url, pid, (*row.arguments, *times)))


def sample_of(kind: Kind, result: dict[str, Any]) -> Sample:
    """What it has cost the server: of each answer, or of each MB that was sent."""
    count = result["bytes_out"] / MIB if kind is Kind.MEGABYTE else result["answered"]
    errors = failures(result)
    if result["answered"] < 1:
        raise GeneratorError(f"not one message was answered, {errors} failed")
    return Sample(
        value=1e6 * result["server_cpu_seconds"] / count,
        rate=count / result["seconds"],
        errors=errors,
        p50_us=result["latency_p50_us"],
        p99_us=result["latency_p99_us"],
        resident=result["server_resident_peak"],
    )


def _idle_memory(bench: Generator, row: Row, url: str, pid: int) -> Sample:
    """Resident growth per open connection that has echoed once. Tables, caches and the allocator's
    first pages are not a connection's cost: some were held before."""
    hold = ("--idle", "-d", f"{_HOLD_SECONDS}s", "--warm-up", "0")
    bench.run("ws", url, pid, (*hold, "-c", str(_HELD_BEFORE)))
    result = bench.run("ws", url, pid, (*hold, *row.arguments))
    if result["standing"] != result["connections"]:
        raise GeneratorError(f"only {result['standing']} connections stood to the end")
    return Sample(grown(result), resident=result["server_resident_after"])


def _system_calls(bench: Generator, row: Row, url: str, pid: int) -> Sample:
    def answered(seconds: int) -> int:
        times = ("-d", f"{seconds}s", "--warm-up", "0")
        return int(bench.run("ws", url, pid, (*row.arguments, *times))["answered"])

    with tempfile.TemporaryDirectory(prefix="wsbench-") as folder:
        report = Path(folder) / "strace"
        return Sample(
            tracing.calls_each(proc.tree(pid), report, math.ceil(bench.seconds), answered)
        )


def forget_peak(pid: int) -> None:
    with contextlib.suppress(OSError):
        Path(f"/proc/{pid}/clear_refs").write_text("5")
