"""The few lines of HTTP client that checks and meters need."""

from __future__ import annotations

import socket
import time
from dataclasses import dataclass

from .incoming import Incoming

HOST = "127.0.0.1"
_FIELDS = "Host: 127.0.0.1\r\nUser-Agent: httpbench/1\r\nAccept: */*\r\n"


class HttpError(Exception):
    """The peer closed too early or said something that is not an answer."""


@dataclass(frozen=True)
class Answer:
    status: int
    fields: dict[str, str]
    body: bytes
    wire_size: int


def request_bytes(path: str) -> bytes:
    """A request with three ordinary fields, as the load sends it."""
    return f"GET {path} HTTP/1.1\r\n{_FIELDS}\r\n".encode()


def connect(port: int, timeout: float = 5.0) -> socket.socket:
    """A connection; a socket that met itself (its own port, nobody listening) is refused."""
    peer = socket.create_connection((HOST, port), timeout)
    if peer.getsockname() == peer.getpeername():
        peer.close()
        raise ConnectionRefusedError("connected to itself")
    return peer


def connect_when_up(port: int, deadline: float) -> socket.socket:
    """Tries until `deadline` (time.monotonic). Spins: a sleep would be in the start-up figure."""
    while True:
        try:
            return connect(port)
        except OSError:
            if time.monotonic() > deadline:
                raise


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


class Reader:
    """Takes answers off one connection, also several of one packet."""

    def __init__(self, peer: socket.socket) -> None:
        self._peer = peer
        self._incoming = Incoming(self._receive)

    def answer(self) -> Answer:
        head = self._incoming.take_until(b"\r\n\r\n")
        status, fields = _parse_head(head)
        if "content-length" not in fields:
            raise HttpError("no Content-Length")
        body = self._incoming.take(int(fields["content-length"]))
        return Answer(status, fields, body, len(head) + 4 + len(body))

    def _receive(self) -> bytes:
        part = self._peer.recv(1 << 20)
        if not part:
            raise HttpError("connection closed early")
        return part


def _parse_head(head: bytes) -> tuple[int, dict[str, str]]:
    first, *lines = head.decode("latin-1").split("\r\n")
    words = first.split(" ", 2)
    if len(words) < 2 or not words[0].startswith("HTTP/1.") or not words[1].isdigit():
        raise HttpError(f"not a status line: {first!r}")
    pairs = (line.partition(":") for line in lines)
    return int(words[1]), {name.strip().lower(): value.strip() for name, _, value in pairs}
