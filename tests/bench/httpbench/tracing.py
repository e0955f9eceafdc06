"""How many system calls a server makes: strace counts them while a load runs. It slows the server
down, so batches grow a little smaller than they are."""

from __future__ import annotations

import contextlib
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from . import parse

PATIENCE = 30.0
_SHORT_SECONDS = 1


class TraceError(Exception):
    """There is no figure; the text says why."""


def calls_each(
    pids: Sequence[int], report: Path, seconds: int, answered: Callable[[int], int]
) -> float:
    """Calls for each answer. `answered` loads for so many seconds and says how many there were.

    A short load is taken off a longer one: what opens and closes the connections is in both.
    """
    loads = [(_count(pids, report, answered, length)) for length in _lengths(seconds)]
    (few_calls, few), (calls, answers) = loads
    if answers <= few:
        raise TraceError(f"{answers} answers in a longer time, {few} in a short one")
    return (calls - few_calls) / (answers - few)


def _lengths(seconds: int) -> tuple[int, int]:
    return _SHORT_SECONDS, _SHORT_SECONDS + seconds


def _count(pids: Sequence[int], report: Path, answered: Callable[[int], int],
           seconds: int) -> tuple[int, int]:  # fmt: skip
    with _strace(pids, report):
        answers = answered(seconds)
    return parse.strace_calls(report.read_text()), answers


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
        _wait_ended(tracer)


def _wait_ended(tracer: subprocess.Popen[bytes]) -> None:
    try:
        tracer.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        tracer.kill()
        tracer.wait()
        raise TraceError("strace did not end in time") from None


def _wait_attached(tracer: subprocess.Popen[bytes], pids: Sequence[int], messages: Path) -> None:
    threads = {int(task.name) for pid in pids for task in Path(f"/proc/{pid}/task").iterdir()}
    deadline = time.monotonic() + PATIENCE
    while any(_tracer_of(thread) != tracer.pid for thread in threads):
        if tracer.poll() is not None or time.monotonic() > deadline:
            said = messages.read_text(errors="replace").strip()
            raise TraceError(f"strace could not attach: {said}")
        time.sleep(0.01)


def _tracer_of(thread: int) -> int:
    try:
        status = Path(f"/proc/{thread}/status").read_text()
    except OSError:
        return 0
    found = re.search(r"^TracerPid:\s+(\d+)", status, re.MULTILINE)
    return int(found.group(1)) if found else 0
