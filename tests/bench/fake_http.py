#!/usr/bin/env python3
"""A server of HTTP that answers the hello as those of http_table.py do, for tests: a Handler in a
thread, with parts of it made wrong; or in a process, fake_http.py PORT [WRONG]."""

from __future__ import annotations

import contextlib
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from httpbench import client, rows

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from serving import in_thread  # noqa: E402


class Handler(BaseHTTPRequestHandler):
    """The right hello, on kept-alive connections."""

    protocol_version = "HTTP/1.1"
    status = 200
    body = rows.HELLO
    too_long = 0  # so many bytes more are promised than come

    def do_GET(self) -> None:
        self.send_response(self.status)
        self.send_header("Content-Length", str(len(self.body) + self.too_long))
        self.end_headers()
        self.wfile.write(self.body)
        self.close_connection = self.close_connection or self.too_long > 0

    def log_message(self, *args: object) -> None:
        del args


class RightOnce(Handler):
    """On each of its connections."""

    def do_GET(self) -> None:
        super().do_GET()
        self.status = 503


WRONG = {
    "body": type("OtherBody", (Handler,), {"body": b"Hello World!"}),
    "short": type("TooShort", (Handler,), {"body": rows.HELLO[:-1]}),
    "long": type("TooLong", (Handler,), {"too_long": 1}),
    "status": type("OtherStatus", (Handler,), {"status": 500}),
    "later": RightOnce,
}


def serving(handler: type[Handler]) -> contextlib.AbstractContextManager[int]:
    """In a thread of this process, on a port of the kernel's choice."""
    return in_thread(ThreadingHTTPServer((client.HOST, 0), handler))


if __name__ == "__main__":
    CHOSEN = WRONG[sys.argv[2]] if sys.argv[2:] else Handler
    ThreadingHTTPServer((client.HOST, int(sys.argv[1])), CHOSEN).serve_forever()
