"""Calls ssxrver-bench, which reads the server's meters in the window that it measures."""

from __future__ import annotations

import contextlib
import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from httpbench import proc
from httpbench.model import Sample

from .rows import MIB, Kind, Row

GRACE = 90.0
_WARM_UP_SECONDS = 0.3
_HOLD_SECONDS = 0.5
_HELD_BEFORE = 200


class LoadError(Exception):
    """The generator failed; the text says why."""


@dataclass(frozen=True)
class Bench:
    """The generator, how long one round lasts and where the load runs."""

    program: Path
    seconds: float
    core: int


def measure(bench: Bench, row: Row, port: int, pid: int, path: str) -> Sample:
    """One round."""
    if row.kind is Kind.CONNECTION:
        return _idle_memory(bench, row, port, pid, path)
    forget_peak(pid)
    times = ("-d", f"{bench.seconds}s", "--warm-up", f"{_WARM_UP_SECONDS}s")
    return sample_of(row.kind, _run(bench, port, pid, path, (*row.arguments, *times)))


def sample_of(kind: Kind, result: dict[str, Any]) -> Sample:
    """What it has cost the server: of each answer, or of each MB that was sent."""
    by_bytes = kind is Kind.MEGABYTE
    count = result["bytes_out"] / MIB if by_bytes else result["answered"]
    errors = sum(result[name] for name in result if name.startswith("failed_"))
    if result["answered"] < 1:
        raise LoadError(f"not one message was answered, {errors} failed")
    return Sample(
        value=1e6 * result["server_cpu_seconds"] / count,
        rate=count / result["seconds"],
        errors=errors,
        p50_us=result["latency_p50_us"],
        p99_us=result["latency_p99_us"],
        resident=result["server_resident_peak"],
    )


def _idle_memory(bench: Bench, row: Row, port: int, pid: int, path: str) -> Sample:
    """Resident growth per open connection that has echoed once. Tables, caches and the allocator's
    first pages are not a connection's cost: some were held before."""
    hold = ("--idle", "-d", f"{_HOLD_SECONDS}s", "--warm-up", "0", *row.arguments)
    _run(bench, port, pid, path, (*hold, "-c", str(_HELD_BEFORE)))
    result = _run(bench, port, pid, path, hold)
    if result["unfinished"] != result["connections"]:
        raise LoadError(f"only {result['unfinished']} connections stood to the end")
    before, after = result["server_resident_before"], result["server_resident_after"]
    return Sample((after - before) / result["unfinished"], resident=after)


def _run(
    bench: Bench, port: int, pid: int, path: str, arguments: Sequence[str]
) -> dict[str, Any]:
    command = [str(bench.program), "ws", f"ws://127.0.0.1:{port}{path}", "--pid", str(pid),
               "--format", "json", "-q", *arguments]  # fmt: skip
    with proc.pinned(bench.core):
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=bench.seconds + GRACE, check=False
            )
        except subprocess.TimeoutExpired:
            raise LoadError(f"{bench.program.name} did not end in time") from None
    if not done.stdout.startswith("{"):
        raise LoadError(done.stderr.strip()[-300:] or f"{bench.program.name} has ended")
    return json.loads(done.stdout)


def forget_peak(pid: int) -> None:
    with contextlib.suppress(OSError):
        Path(f"/proc/{pid}/clear_refs").write_text("5")
