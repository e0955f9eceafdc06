#!/usr/bin/env python3
"""python's `websockets` as the server that README.md describes.

usage: echo_server.py [PORT]
"""

import asyncio
import http
import sys

from websockets.exceptions import ConnectionClosed
from websockets.legacy.server import WebSocketServerProtocol, serve

last_close = ""


def in_pieces(message):
    return [message[at:at + 10] for at in range(0, len(message), 10)] or [message]


async def echo(socket):
    async for message in socket:
        await socket.send(message)


async def fragments(socket):
    async for message in socket:
        await socket.send(in_pieces(message))


async def ping(socket):
    async for message in socket:
        await (await socket.ping(message))
        await socket.send(message)


async def subprotocol(socket):
    async for _ in socket:
        await socket.send(socket.subprotocol or "")


async def close(socket):
    await socket.close(int(socket.path.rpartition("/")[2]), "as asked")


HANDLERS = {"echo": echo, "deflate": echo, "takeover": echo, "fragments": fragments, "ping": ping,
            "subprotocol": subprotocol, "close": close}  # fmt: skip


async def handle(socket):
    try:
        await HANDLERS[socket.path.split("/")[1]](socket)
    except ConnectionClosed:
        pass
    await socket.wait_closed()


class Noting(WebSocketServerProtocol):
    """Notes how it ends before the peer can ask."""

    def connection_lost(self, exc):
        global last_close
        if self.close_rcvd:
            last_close = f"{self.close_rcvd.code} {self.close_rcvd.reason}"
        super().connection_lost(exc)


async def answer_http(path, fields):
    if path == "/closed":
        return http.HTTPStatus.OK, [("Content-Type", "text/plain")], last_close.encode()
    origin = fields.get("Origin")
    if origin and origin != f"http://{fields['Host']}":
        return http.HTTPStatus.FORBIDDEN, [], b""
    return None


async def main():
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    async with serve(handle, "127.0.0.1", port, create_protocol=Noting,
                     process_request=answer_http, ping_interval=None,
                     subprotocols=["chat.v2", "chat.v1"]) as server:  # fmt: skip
        print(f"listening on http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
        await asyncio.Future()


if __name__ == "__main__":
    asyncio.run(main())
