"""A server of socketserver or http.server in a thread of a test's own process."""

from __future__ import annotations

import contextlib
import socketserver
import threading
from collections.abc import Iterator


@contextlib.contextmanager
def in_thread(server: socketserver.TCPServer) -> Iterator[int]:
    """Its port; it has ended behind the block."""
    with server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()
