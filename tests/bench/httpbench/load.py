"""Load generators on their own core: wrk, ab, webbench; and strace beside them."""

from __future__ import annotations

import contextlib
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from . import client, parse, proc
from .model import Kind, Row, Sample

CONNECTIONS = 100
GRACE = 30.0
_LUA = Path(__file__).with_name("load.lua")


class LoadError(Exception):
    """The generator failed; the text holds what it printed."""


@dataclass(frozen=True)
class Bench:
    """How long one round lasts and where the load runs."""

    seconds: int
    core: int


def missing(kind: Kind) -> str:
    """Which program a row of this kind lacks here, or nothing."""
    needs = {
        Kind.WRK: ("wrk",),
        Kind.AB: ("ab",),
        Kind.WEBBENCH: ("webbench",),
        Kind.SYSCALLS: ("wrk", "strace"),
        Kind.SYSCALLS_CONNECT: ("ab", "strace"),
    }
    lacking = [name for name in needs.get(kind, ()) if not shutil.which(name)]
    return f"{', '.join(lacking)} not installed" if lacking else ""


def measure(bench: Bench, port: int, pid: int, row: Row, wire_size: int) -> Sample:
    """One round: the server's CPU time per request while the generator runs."""
    before = proc.cpu_seconds(pid)
    result = generate(bench, port, row.kind, row.path, row.depth)
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
    )


def system_calls(bench: Bench, port: int, pid: int, row: Row, report: Path) -> Sample:
    """System calls of the server per request on a short run; strace slows it, the count stays."""
    kind = Kind.AB if row.kind is Kind.SYSCALLS_CONNECT else Kind.WRK
    with _strace(proc.tree(pid), report):
        result = generate(bench, port, kind, row.path, row.depth)
    calls = parse.strace_calls(report.read_text())
    if result.requests < 1:
        raise LoadError("not one request was answered")
    return Sample(calls / result.requests, result.requests / result.seconds, result.errors)


def generate(bench: Bench, port: int, kind: Kind, path: str, depth: int) -> parse.LoadResult:
    url = f"http://{client.HOST}:{port}{path}"
    if kind is Kind.AB:
        return parse.ab(_run(bench, _ab_command(bench.seconds, url)))
    if kind is Kind.WEBBENCH:
        # Its exit status is whatever was in a register; what it prints tells.
        printed = _run(bench, _webbench_command(bench.seconds, url), any_status=True)
        return parse.webbench(printed, bench.seconds)
    return parse.wrk(_run(bench, _wrk_command(bench.seconds, url, depth)))


def _wrk_command(seconds: int, url: str, depth: int) -> list[str]:
    fields = ["-H", "User-Agent: httpbench/1", "-H", "Accept: */*"]  # wrk adds Host itself
    options = ["-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "--timeout", "10s", *fields]
    return ["wrk", *options, "-s", str(_LUA), url, "--", str(depth)]


def _ab_command(seconds: int, url: str) -> list[str]:
    # -t implies -n 50000 unless -n follows; no -k: every request has its own connection.
    most = seconds * 200_000
    return ["ab", "-q", "-r", f"-c{CONNECTIONS}", f"-t{seconds}", f"-n{most}", url]


def _webbench_command(seconds: int, url: str) -> list[str]:
    return ["webbench", "-c", str(CONNECTIONS), "-t", str(seconds), url]


def _run(bench: Bench, command: Sequence[str], *, any_status: bool = False) -> str:
    with proc.pinned(bench.core):
        try:
            limit = bench.seconds + GRACE
            done = subprocess.run(
                list(command), capture_output=True, text=True, timeout=limit, check=False
            )
        except subprocess.TimeoutExpired:
            raise LoadError(f"{command[0]} did not end in time") from None
    if done.returncode != 0 and not any_status:
        raise LoadError(f"{command[0]} ended with {done.returncode}: {done.stderr.strip()[-300:]}")
    return done.stdout


@contextlib.contextmanager
def _strace(pids: Sequence[int], report: Path) -> Iterator[None]:
    """Counts the calls of these processes and of all their threads while the block runs."""
    attach = [part for pid in pids for part in ("-p", str(pid))]
    messages = report.with_suffix(".messages")
    with messages.open("wb") as stderr:
        tracer = subprocess.Popen(
            ["strace", "-f", "-c", "-o", str(report), *attach], stdout=stderr, stderr=stderr
        )
    try:
        _wait_attached(tracer, pids, messages)
        yield
    finally:
        tracer.send_signal(signal.SIGINT)
        tracer.wait(GRACE)


def _wait_attached(tracer: subprocess.Popen[bytes], pids: Sequence[int], messages: Path) -> None:
    threads = {int(task.name) for pid in pids for task in Path(f"/proc/{pid}/task").iterdir()}
    deadline = time.monotonic() + GRACE
    while any(_tracer_of(thread) != tracer.pid for thread in threads):
        if tracer.poll() is not None or time.monotonic() > deadline:
            said = messages.read_text(errors="replace").strip()
            raise LoadError(f"strace could not attach: {said}")
        time.sleep(0.01)


def _tracer_of(thread: int) -> int:
    try:
        status = Path(f"/proc/{thread}/status").read_text()
    except OSError:
        return 0
    found = re.search(r"^TracerPid:\s+(\d+)", status, re.MULTILINE)
    return int(found.group(1)) if found else 0
