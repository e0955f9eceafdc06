"""Calls thesis_load and reads the server's meters at the moments that it names."""

from __future__ import annotations

import contextlib
import json
import select
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from httpbench import proc

GRACE = 150.0


class LoadError(Exception):
    """The generator failed; the text says why."""


@dataclass(frozen=True)
class Bench:
    """The generator, how long one round lasts and where the load runs."""

    program: Path
    seconds: float
    core: int


class Generator:
    """A thesis_load: ready(), run(), and until the block ends its connections are there."""

    def __init__(self, process: subprocess.Popen[str], patience: float) -> None:
        self._process = process
        self._patience = patience

    def ready(self) -> None:
        if self._line() != "ready":
            raise LoadError(self._complaint())

    def run(self) -> dict[str, float]:
        self._say()
        line = self._line()
        if not line.startswith("{"):
            raise LoadError(self._complaint())
        result = json.loads(line)
        if result["errors"] and not result["messages"]:
            raise LoadError(result["error"])
        return result

    def end(self) -> None:
        with contextlib.suppress(OSError):
            self._say()

    def _say(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()

    def _line(self) -> str:
        assert self._process.stdout is not None
        readable, _, _ = select.select([self._process.stdout], [], [], self._patience)
        if not readable:
            raise LoadError("thesis_load did not answer in time")
        return self._process.stdout.readline().strip()

    def _complaint(self) -> str:
        assert self._process.stderr is not None
        return self._process.stderr.read().strip()[-300:] or "thesis_load has ended"


@contextlib.contextmanager
def generator(
    bench: Bench, scenario: str, port: int, path: str, arguments: Sequence[str]
) -> Iterator[Generator]:
    """Started on the load's core, its connections open."""
    command = [str(bench.program), scenario, f"port={port}", f"path={path}",
               f"seconds={bench.seconds}", *arguments]  # fmt: skip
    pipe = subprocess.PIPE
    with proc.pinned(bench.core):
        process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
    try:
        made = Generator(process, bench.seconds + GRACE)
        made.ready()
        yield made
        made.end()
        process.wait(GRACE)
    except subprocess.TimeoutExpired:
        raise LoadError("thesis_load did not end in time") from None
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def peak_bytes(pid: int) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return 1024 * int(line.split()[1])
    return 0
