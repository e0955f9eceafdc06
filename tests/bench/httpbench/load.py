"""Load generators on cores of their own: wrk, ssxrver-bench, webbench."""

from __future__ import annotations

import dataclasses
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import client, parse, proc, rows, tracing
from .generator import Generator, GeneratorError, failures
from .model import Kind, Row, Sample

CONNECTIONS = 100
GRACE = 30.0
_LUA = Path(__file__).with_name("load.lua")


class LoadError(Exception):
    """The generator failed; the text holds what it printed."""


@dataclass(frozen=True)
class Bench:
    """How long one round lasts and where the load runs; `own` is ssxrver-bench."""

    seconds: int
    cores: tuple[int, ...]
    own: Path = Path()


def missing(kind: Kind, own: Path) -> str:
    """Which program a row of this kind lacks here, or nothing."""
    needs = {
        Kind.WRK: ("wrk",),
        Kind.EACH: (str(own),),
        Kind.WEB: (str(own),),
        Kind.WEBBENCH: ("webbench",),
        Kind.GROWTH: (str(own),),
        Kind.INSTRUCTIONS: ("valgrind",),
        Kind.SYSCALLS: ("wrk", "strace"),
        Kind.SYSCALLS_CONNECT: (str(own), "strace"),
    }
    lacking = [name for name in needs.get(kind, ()) if not shutil.which(name)]
    return f"{', '.join(lacking)} not installed" if lacking else ""


def measure(bench: Bench, port: int, pid: int, row: Row, wire_size: int) -> Sample:
    """One round: the server's CPU time per request while the generator runs."""
    slept, before = proc.sleeps(pid), proc.cpu_seconds(pid)
    result = generate(bench, port, pid, row.kind, row)
    used = proc.cpu_seconds(pid) - before
    # Big answers: those under way at the end cost CPU too, so bytes are counted instead.
    requests = result.bytes / wire_size if row.by_bytes else float(result.requests)
    if requests < 1:
        raise LoadError("not one request was answered")
    return Sample(
        value=1e6 * used / requests,
        rate=requests / result.seconds,
        errors=result.errors,
        p50_us=result.p50_us,
        p99_us=result.p99_us,
        resident=proc.resident_bytes(pid),
        wakeups=(proc.sleeps(pid) - slept) / requests if row.kind.connects else 0.0,
    )


def growth(bench: Bench, port: int, pid: int, row: Row) -> Sample:
    """What a request costs the server with many connections at work, over that with few."""
    few, many = (_at_work(bench, port, pid, row, connections) for connections in rows.GROWTH)
    if few["server_cpu_us_each"] <= 0:
        raise LoadError("the few cost the server nothing that could be read")
    return Sample(
        value=many["server_cpu_us_each"] / few["server_cpu_us_each"],
        rate=many["per_second"],
        errors=failures(few) + failures(many),
        p50_us=many["latency_p50_us"],
        p99_us=many["latency_p99_us"],
        resident=many["server_resident_after"],
    )


def system_calls(bench: Bench, port: int, pid: int, row: Row, report: Path) -> Sample:
    """System calls of the server per request."""
    kind = Kind.EACH if row.kind is Kind.SYSCALLS_CONNECT else Kind.WRK

    def answered(seconds: int) -> int:
        shorter = dataclasses.replace(bench, seconds=seconds)
        return generate(shorter, port, pid, kind, row).requests

    return Sample(tracing.calls_each(proc.tree(pid), report, bench.seconds, answered))


def generate(bench: Bench, port: int, pid: int, kind: Kind, row: Row) -> parse.LoadResult:
    url = f"http://{client.HOST}:{port}{row.path}"
    if kind is Kind.EACH:
        options = ("--each", "-c", str(CONNECTIONS), "-d", f"{bench.seconds}s", "--warm-up", "0s")
        return parse.own(_own(bench, pid, url, options))
    if kind in (Kind.WEB, Kind.WEBBENCH):
        # The exit status of webbench is a count; what it prints tells.
        program = [str(bench.own), "web"] if kind is Kind.WEB else ["webbench"]
        options = ("-c", str(CONNECTIONS), "-t", str(bench.seconds), url)
        return parse.webbench(_run(bench, [*program, *options], any_status=True), bench.seconds)
    return parse.wrk(_run(bench, _wrk_command(bench, url, row)))


def _wrk_command(bench: Bench, url: str, row: Row) -> list[str]:
    fields = ["-H", "User-Agent: httpbench/1", "-H", "Accept: */*"]  # wrk adds Host itself
    threads = f"-t{len(bench.cores)}"
    options = [threads, f"-c{CONNECTIONS}", f"-d{bench.seconds}s", "--timeout", "10s", *fields]
    return ["wrk", *options, "-s", str(_LUA), url, "--", str(row.depth),
            *(["varied"] if row.varied else [])]  # fmt: skip


def _at_work(bench: Bench, port: int, pid: int, row: Row, connections: int) -> dict[str, Any]:
    url = f"http://{client.HOST}:{port}{row.path}"
    options = ("-c", str(connections), "-d", f"{bench.seconds}s", "--warm-up", "1s")
    result = _own(bench, pid, url, options)
    if result["answered"] < 1:
        raise LoadError("not one request was answered")
    return result


def _own(bench: Bench, pid: int, url: str, options: Sequence[str]) -> dict[str, Any]:
    try:
        return Generator(bench.own, bench.seconds, bench.cores[0]).run("http", url, pid, options)
    except GeneratorError as error:
        raise LoadError(str(error)) from None


def _run(bench: Bench, command: Sequence[str], *, any_status: bool = False) -> str:
    with proc.pinned(*bench.cores):
        try:
            limit = bench.seconds + GRACE
            done = subprocess.run(
                list(command), capture_output=True, text=True, timeout=limit, check=False
            )
        except subprocess.TimeoutExpired:
            raise LoadError(f"{command[0]} did not end in time") from None
    if done.returncode != 0 and (not any_status or not done.stdout.strip()):
        raise LoadError(f"{command[0]} ended with {done.returncode}: {done.stderr.strip()[-300:]}")
    return done.stdout
