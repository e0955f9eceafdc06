"""An application behind a server that cannot answer with the body of a request by itself.

It answers only when it has the whole body, so that what a server makes of half a body is its own.
"""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from serving import in_thread  # noqa: E402


class _Echo(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self._read_body()
        if body is None:
            self.close_connection = True
            return
        self.send_response(200)
        self.send_header("Content-Type", "application/octet-stream")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _read_body(self) -> bytes | None:
        if self.headers.get("Transfer-Encoding") != "chunked":
            size = int(self.headers.get("Content-Length") or 0)
            body = self.rfile.read(size)
            return body if len(body) == size else None
        body = b""
        while line := self.rfile.readline():
            size = int(line, 16)
            data = self.rfile.read(size + 2)
            if len(data) < size + 2:
                return None
            if size == 0:
                return body
            body += data[:-2]
        return None

    def log_message(self, format: str, *arguments: object) -> None:
        pass


def running() -> AbstractContextManager[int]:
    """The port of it."""
    return in_thread(ThreadingHTTPServer(("127.0.0.1", 0), _Echo))
