"""Two meters of their own: memory of idle connections, and time from start to first answer."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from . import client, proc

START_TIMEOUT = 10.0
_WARM_UP = 200
_SPARE_FILES = 64


class MeterError(Exception):
    """The figure would not mean what it says."""


@dataclass(frozen=True)
class IdleMemory:
    """Resident growth of a server that holds `connections` idle keep-alive connections."""

    connections: int
    resident_before: int
    resident_after: int

    @property
    def bytes_each(self) -> float:
        return (self.resident_after - self.resident_before) / self.connections


def idle_memory(port: int, pid: int, path: str, wanted: int) -> IdleMemory:
    """Opens `wanted` connections, has each answered once, and reads the server's memory."""
    files = max(wanted, _WARM_UP) + _SPARE_FILES
    if proc.raise_file_limit(files) < files:
        raise MeterError(f"the file limit does not allow {wanted} connections")
    with _connections(port, path, _WARM_UP):
        pass  # tables, caches and the allocator's first pages are not a connection's cost
    before = proc.resident_bytes(pid)
    with _connections(port, path, wanted) as peers:
        after = proc.resident_bytes(pid)
        closed = sum(not _is_open(peer) for peer in peers)
    if closed:
        raise MeterError(f"the server closed {closed} of {wanted} idle connections")
    return IdleMemory(wanted, before, after)


@contextlib.contextmanager
def _connections(port: int, path: str, count: int) -> Iterator[list[socket.socket]]:
    request = client.request_bytes(path)
    with contextlib.ExitStack() as stack:
        peers = []
        for _ in range(count):
            peer = stack.enter_context(client.connect(port))
            peer.sendall(request)
            client.Reader(peer).answer()
            peers.append(peer)
        yield peers


def _is_open(peer: socket.socket) -> bool:
    peer.setblocking(False)  # with a time-out Python would wait for bytes first
    try:
        return peer.recv(1) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False


def first_answer_ms(argv: Sequence[str], port: int, path: str, output: Path, core: int,
                    expected: bytes | None = None) -> float:  # fmt: skip
    """Milliseconds from just before the process is made to the end of its first answer, which has
    the body that is `expected`."""
    request = client.request_bytes(path)
    with proc.pinned(core):
        began = time.monotonic()
        process = proc.start(argv, output, output.parent)
    try:
        with _connect(process, port, began + START_TIMEOUT) as peer:
            peer.sendall(request)
            answer = client.Reader(peer).answer()
            took = 1000 * (time.monotonic() - began)
        if expected is not None and (answer.status != 200 or answer.body != expected):
            raise MeterError(f"wrong answer: status {answer.status}, {len(answer.body)} bytes")
        return took
    finally:
        proc.stop(process)


def _connect(process: subprocess.Popen[bytes], port: int, deadline: float) -> socket.socket:
    while True:
        try:
            return client.connect_when_up(port, min(deadline, time.monotonic() + 0.1))
        except OSError:
            if process.poll() is not None:
                raise MeterError(f"the server ended with {process.returncode}") from None
            if time.monotonic() > deadline:
                raise MeterError("the server never answered") from None
