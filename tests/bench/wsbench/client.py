"""The few lines of a WebSocket's client that checks need: RFC 6455, with every frame masked."""

from __future__ import annotations

import base64
import contextlib
import enum
import hashlib
import os
import socket
import struct
import time
from collections.abc import Iterator
from dataclasses import dataclass

from httpbench import client as tcp
from httpbench.incoming import Incoming

_GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


class WebSocketError(Exception):
    """The peer closed too early, or said what RFC 6455 does not allow."""


class Opcode(enum.IntEnum):
    CONTINUATION = 0
    TEXT = 1
    BINARY = 2
    CLOSE = 8
    PING = 9
    PONG = 10


@dataclass(frozen=True)
class Message:
    opcode: int
    payload: bytes


def accept_of(key: bytes) -> str:
    """What Sec-WebSocket-Accept has to be (section 4.2.2)."""
    return base64.b64encode(hashlib.sha1(key + _GUID).digest()).decode()


def masked(payload: bytes, key: bytes) -> bytes:
    size = len(payload)
    keys = (key * (size // 4 + 1))[:size]
    both = int.from_bytes(payload, "little") ^ int.from_bytes(keys, "little")
    return both.to_bytes(size, "little")


def frame(opcode: int, payload: bytes, fin: bool = True) -> bytes:
    key = os.urandom(4)
    return header(opcode, fin, len(payload), 0x80) + key + masked(payload, key)


def header(opcode: int, fin: bool, size: int, mask_bit: int) -> bytes:
    """The length in as few bytes as it takes."""
    first = (0x80 if fin else 0) | opcode
    if size < 126:
        return bytes((first, mask_bit | size))
    if size < 1 << 16:
        return struct.pack("!BBH", first, mask_bit | 126, size)
    return struct.pack("!BBQ", first, mask_bit | 127, size)


@contextlib.contextmanager
def opened(port: int, path: str, patience: float) -> Iterator[WebSocket]:
    """One that has shaken hands; `patience`: seconds for all that is said on it."""
    with tcp.connect(port, patience) as peer:
        yield WebSocket(peer, path, time.monotonic() + patience)


class WebSocket:
    def __init__(self, peer: socket.socket, path: str, deadline: float) -> None:
        self._peer = peer
        self._deadline = deadline
        self._incoming = Incoming(self._receive)
        self._shake_hands(path)

    def send(self, raw: bytes) -> None:
        """Frames, as one packet."""
        self._peer.sendall(raw)

    def message(self) -> Message:
        """The next one, of as many frames as it has; pings and pongs are passed over."""
        fin, opcode, payload = self._data_frame()
        parts = [payload]
        while not fin:
            fin, continued, payload = self._data_frame()
            if continued != Opcode.CONTINUATION:
                raise WebSocketError(f"opcode {continued} within a message")
            parts.append(payload)
        return Message(opcode, b"".join(parts))

    def _shake_hands(self, path: str) -> None:
        key = base64.b64encode(os.urandom(16))
        self.send(
            f"GET {path} HTTP/1.1\r\nHost: {tcp.HOST}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            f"Sec-WebSocket-Key: {key.decode()}\r\n\r\n".encode()
        )
        head = self._incoming.take_until(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        if not first.startswith("HTTP/1.1 101 "):
            raise WebSocketError(f"no WebSocket: {first!r}")
        pairs = (line.partition(":") for line in lines)
        fields = {name.strip().lower(): value.strip() for name, _, value in pairs}
        if fields.get("sec-websocket-accept") != accept_of(key):
            raise WebSocketError("wrong Sec-WebSocket-Accept")

    def _data_frame(self) -> tuple[bool, int, bytes]:
        while True:
            fin, opcode, payload = self._frame()
            if opcode == Opcode.CLOSE:
                code = int.from_bytes(payload[:2], "big")
                raise WebSocketError(f"closed with {code}" if code else "closed")
            if opcode not in (Opcode.PING, Opcode.PONG):
                return fin, opcode, payload

    def _frame(self) -> tuple[bool, int, bytes]:
        first, second = self._incoming.take(2)
        if first & 0x70 or second & 0x80:
            raise WebSocketError("a frame that is masked, or has reserved bits")
        size = second
        if size == 126:
            size = int.from_bytes(self._incoming.take(2), "big")
        elif size == 127:
            size = int.from_bytes(self._incoming.take(8), "big")
        return bool(first & 0x80), first & 0x0F, self._incoming.take(size)

    def _receive(self) -> bytes:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("timed out")
        self._peer.settimeout(left)
        part = self._peer.recv(1 << 20)
        if not part:
            raise WebSocketError("connection closed early")
        return part
