#!/usr/bin/env python3
"""A server with the mistakes that people make: the suite must see at least 60 of them.

usage: broken_server.py FILE, which holds a port and the folder of http1/site.py
Every mistake is one that some server has shipped: a dict for fields, int() for lengths,
"chunked" anywhere in the value, bodies left in the buffer, HEAD with a body, paths decoded behind
the checks. Never serve with it.
"""

from __future__ import annotations

import socket
import sys
import threading
import time
import urllib.parse
from pathlib import Path


class Client:
    def __init__(self, connection: socket.socket, root: Path) -> None:
        self._socket = connection
        self._root = root
        self._buffer = b""

    def serve(self) -> None:
        try:
            self._socket.settimeout(3)
            while self._one():
                pass
        except (OSError, ValueError, IndexError, KeyError):
            pass  # whatever it was, the client will see that the connection is gone
        self._socket.close()

    def _more(self) -> bool:
        data = self._socket.recv(65536)
        self._buffer += data
        return bool(data)

    def _one(self) -> bool:
        # Any empty line ends a head, and a head that was cut is as good as one that was not.
        while b"\n\n" not in self._buffer.replace(b"\r", b""):
            if not self._more():
                break
        if not self._buffer.strip():
            return False
        head, _, self._buffer = self._buffer.replace(b"\r\n", b"\n").partition(b"\n\n")
        lines = head.decode("latin-1").lstrip("\n").split("\n")
        words = lines[0].split()
        method = words[0].upper()
        target = words[1] if len(words) > 1 else "/"
        fields = {}
        for line in lines[1:]:
            name, _, value = line.partition(":")
            fields[name.strip().lower()] = value.strip()  # the last one wins
        body = self._body(method, fields)
        self._answer(method, target, fields, body)
        return "close" not in fields.get("connection", "")

    def _body(self, method: str, fields: dict[str, str]) -> bytes:
        if method != "POST":
            return b""  # nobody else sends one
        if "continue" in fields.get("expect", ""):
            self._socket.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        if "chunked" in fields.get("transfer-encoding", "") and "content-length" not in fields:
            return self._chunks()
        size = int(fields.get("content-length") or 0)
        while len(self._buffer) < size and self._more():
            pass
        body, self._buffer = self._buffer[:size], self._buffer[size:]
        return body

    def _chunks(self) -> bytes:
        body = b""
        while True:
            while b"\n" not in self._buffer:
                if not self._more():
                    return body
            line, _, self._buffer = self._buffer.partition(b"\n")
            size = int(line.split(b";")[0], 16) & 0xFFFFFFFF
            if size == 0:
                self._buffer = self._buffer[1:]
                return body
            while len(self._buffer) < size and self._more():
                pass
            body += self._buffer[:size]
            self._buffer = self._buffer[size + 1 :]

    def _answer(self, method: str, target: str, fields: dict[str, str], body: bytes) -> None:
        path = urllib.parse.unquote(target.split("?")[0].replace("http://main.test", ""))
        if path == "/echo":
            return self._send("200 OK", body)
        if path == "/nothing":
            return self._send("204 No Content", b"")
        file = self._root / path.lstrip("/")
        if file.is_dir():
            file = file / "index.html"
        if not file.exists():
            return self._send("404 Not Found", b"")
        content = file.read_bytes()
        if method in ("DELETE", "PUT"):
            return self._send("405 Method Not Allowed", b"")
        if fields.get("if-none-match") == '"1"' or "if-modified-since" in fields:
            return self._send("304 Not Modified", b"")
        if "range" in fields:
            first, _, last = fields["range"].partition("=")[2].partition("-")
            return self._send("206 Partial Content", content[int(first) : int(last or 0) + 1])
        self._send("200 OK", content)  # HEAD too: clients stop reading anyway

    def _send(self, status: str, body: bytes) -> None:
        head = f"HTTP/1.1 {status}\r\nDate: {time.ctime()}\r\nContent-Length: {len(body)}\r\n"
        self._socket.sendall(head.encode() + b'Server: Sloppy\r\nETag: "1"\r\n\r\n' + body)


def main() -> int:
    port, folder = Path(sys.argv[1]).read_text().split(maxsplit=1)
    listener = socket.create_server(("127.0.0.1", int(port)), backlog=128)
    while True:
        connection, _ = listener.accept()
        client = Client(connection, Path(folder) / "main")
        threading.Thread(target=client.serve, daemon=True).start()


if __name__ == "__main__":
    sys.exit(main())
