"""Instructions of the server's own code per request, as callgrind counts them.

They do not depend on what else the machine does, so they tell where a hundredth of the time is
noise. What a start costs is in N requests and in twice as many, and so it is not in the difference.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from . import client, proc
from .starting import wait_until_accepts

_PATIENCE = 60.0  # with a start and an end that valgrind makes slow


class CountError(Exception):
    """There is no count; the text says why."""


def per_request(argv: Sequence[str], port: int, path: str, depth: int, requests: int,
                folder: Path) -> float:  # fmt: skip
    """`requests` is a multiple of `depth`."""
    once = _count(argv, port, path, depth, requests, folder)
    twice = _count(argv, port, path, depth, 2 * requests, folder)
    return (twice - once) / requests


def _count(argv: Sequence[str], port: int, path: str, depth: int, requests: int,
           folder: Path) -> int:  # fmt: skip
    return total(profile(argv, port, path, depth, requests, folder).read_text())


def profile(argv: Sequence[str], port: int, path: str, depth: int, requests: int,
            folder: Path) -> Path:  # fmt: skip
    """callgrind's report of a server from its start to its end, with `requests` in between."""
    report, output = folder / "callgrind", folder / "callgrind.output"
    valgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={report}"]
    report.unlink(missing_ok=True)
    process = proc.start([*valgrind, *argv], output)
    try:
        wait_until_accepts(process, port, output, _PATIENCE)
        _ask(port, path, depth, requests)
    finally:
        proc.stop(process, _PATIENCE)
    if not report.is_file():
        raise CountError(f"callgrind wrote nothing: {output.read_text(errors='replace')[-300:]}")
    return report


def _ask(port: int, path: str, depth: int, requests: int) -> None:
    batch = client.request_bytes(path) * depth
    with client.connect(port, _PATIENCE) as peer:
        reader = client.Reader(peer)
        for _ in range(requests // depth):
            peer.sendall(batch)
            for _ in range(depth):
                status = reader.answer().status
                if status != 200:
                    raise CountError(f"status {status}")


def total(report: str) -> int:
    """Of all functions and threads."""
    found = re.search(r"^totals: (\d+)$", report, re.MULTILINE)
    if found is None:
        raise CountError("callgrind's report has no total")
    return int(found.group(1))
