"""Processes of ours: started on one core, read through /proc, ended by their pid."""

from __future__ import annotations

import contextlib
import os
import re
import resource
import signal
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

_KILLED = 30.0  # seconds until what was killed has gone, unless the kernel holds it
_SWITCHES = re.compile(r"^voluntary_ctxt_switches:\s+(\d+)$", re.MULTILINE)


@contextlib.contextmanager
def pinned(*cores: int) -> Iterator[None]:
    """Children started inside inherit these cores (as taskset does, without its exec)."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def exit_on_term() -> None:
    """SIGTERM unwinds the stack, so that every server is ended on the way out."""
    signal.signal(signal.SIGTERM, _exit)


def _exit(number: int, frame: object) -> None:
    del frame
    raise SystemExit(128 + number)


def cores() -> tuple[int, int]:
    """One core for the server and one for the load; the same one twice where there is only one."""
    usable = sorted(os.sched_getaffinity(0))
    return usable[0], usable[1 % len(usable)]


def raise_file_limit(wanted: int) -> int:
    """Raises RLIMIT_NOFILE for us and our children as far as allowed; returns what holds."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft >= wanted:
        return soft
    for new, ceiling in ((wanted, max(wanted, hard)), (min(wanted, hard), hard)):
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (new, ceiling))
            break
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def start(argv: Sequence[str], output: Path, cwd: Path | None = None) -> subprocess.Popen[bytes]:
    """Starts a server; what it prints goes to `output`.

    In a process group of its own: Apache passes a signal on to all of its group, which is us.
    """
    with output.open("ab") as log:
        return subprocess.Popen(
            list(argv), stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=cwd, close_fds=False,
            start_new_session=True,
        )  # fmt: skip


def stop(process: subprocess.Popen[bytes], patience: float = 5.0) -> None:
    """Ends it and what it started: politely, then for good."""
    children = [pid for pid in tree(process.pid) if pid != process.pid]
    process.terminate()
    try:
        process.wait(patience)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(_KILLED)
        for pid in children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def tree(pid: int) -> list[int]:
    """A process and its descendants."""
    found = [pid]
    for parent in found:
        for children in Path(f"/proc/{parent}/task").glob("*/children"):
            with contextlib.suppress(OSError):
                found.extend(int(child) for child in children.read_text().split())
    return found


def cpu_seconds(pid: int) -> float:
    """utime + stime of the process tree."""
    ticks = 0
    for member in tree(pid):
        with contextlib.suppress(OSError):
            ticks += stat_ticks(Path(f"/proc/{member}/stat").read_text())
    return ticks / os.sysconf("SC_CLK_TCK")


def scheduled_seconds(pid: int) -> float:
    """Time on a core in the scheduler's nanoseconds: a tick of cpu_seconds() may be too coarse."""
    nanoseconds = 0
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            nanoseconds += int((task / "schedstat").read_text().split()[0])
    except OSError:
        return cpu_seconds(pid)
    return nanoseconds / 1e9


def sleeps(pid: int) -> int:
    """How often the threads of the process tree have waited: each time is a wake-up later."""
    slept = 0
    for member in tree(pid):
        with contextlib.suppress(OSError):
            for task in Path(f"/proc/{member}/task").iterdir():
                slept += sleeps_of((task / "status").read_text())
    return slept


def sleeps_of(status: str) -> int:
    found = _SWITCHES.search(status)
    return int(found.group(1)) if found else 0


def stat_ticks(stat: str) -> int:
    """utime + stime of one /proc/PID/stat line. The program's name may hold blanks and brackets."""
    fields = stat.rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def resident_bytes(pid: int) -> int:
    """Resident memory of the process tree."""
    pages = 0
    for member in tree(pid):
        with contextlib.suppress(OSError):
            pages += int(Path(f"/proc/{member}/statm").read_text().split()[1])
    return pages * resource.getpagesize()
