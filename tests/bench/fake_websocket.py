#!/usr/bin/env python3
"""A server of WebSockets that answers as those of ws_table.py do, for tests: a Handler in a thread,
with parts of it made wrong; or all of it right in a process, fake_websocket.py PORT."""

from __future__ import annotations

import contextlib
import socketserver
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from httpbench import client as tcp
from wsbench.client import Opcode, accept_of, header, masked

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from serving import in_thread  # noqa: E402


@dataclass(frozen=True)
class Frame:
    fin: bool
    opcode: int
    payload: bytes


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, port: int, handler: type[Handler]) -> None:
        super().__init__((tcp.HOST, port), handler)
        self.audience: list[Handler] = []
        # Several threads write to one member: nobody's frames come between another's.
        self.broadcasting = threading.Lock()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that has gone is none."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class Handler(socketserver.StreamRequestHandler):
    """One connection. A client has gone when it sends no more."""

    server: Server

    def handle(self) -> None:
        path, key = self.receive_request()
        with self.server.broadcasting:
            if path == "/broadcast":
                self.server.audience.append(self)
            self.switch_protocols(key)
        message = b""
        kind = 0
        while (frame := self.receive()) is not None:
            kind = frame.opcode or kind
            message += frame.payload
            if frame.fin:
                self.answer(path, kind, message)
                message = b""

    def finish(self) -> None:
        with contextlib.suppress(ValueError):
            self.server.audience.remove(self)
        super().finish()

    def receive_request(self) -> tuple[str, bytes]:
        """Its path, and its key."""
        path = self.rfile.readline().decode().split(" ")[1]
        key = b""
        while (line := self.rfile.readline().strip()) != b"":
            name, _, value = line.partition(b": ")
            if name.lower() == b"sec-websocket-key":
                key = value
        return path, key

    def switch_protocols(self, key: bytes) -> None:
        self.wfile.write(
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Accept: " + self.accept(key).encode() + b"\r\n\r\n"
        )

    def accept(self, key: bytes) -> str:
        return accept_of(key)

    def receive(self) -> Frame | None:
        head = self.rfile.read(2)
        if len(head) < 2:
            return None
        size = head[1] & 0x7F
        if size > 125:
            size = int.from_bytes(self.rfile.read(2 if size == 126 else 8), "big")
        key = self.rfile.read(4)
        return Frame(bool(head[0] & 0x80), head[0] & 0x0F, masked(self.rfile.read(size), key))

    def answer(self, path: str, opcode: int, message: bytes) -> None:
        if path == "/echo":
            self.say(opcode, message)
        elif path == "/broadcast":
            with self.server.broadcasting:
                for member in self.listeners():
                    member.say(opcode, message)
        else:
            self.say(Opcode.TEXT, str(len(message)).encode())

    def listeners(self) -> list[Handler]:
        return list(self.server.audience)

    def say(self, opcode: int, payload: bytes) -> None:
        self.wfile.write(header(opcode, True, len(payload), 0) + payload)


def serving(handler: type[Handler]) -> contextlib.AbstractContextManager[int]:
    """In a thread of this process, on a port of the kernel's choice."""
    return in_thread(Server(0, handler))


if __name__ == "__main__":
    Server(int(sys.argv[1]), Handler).serve_forever()
