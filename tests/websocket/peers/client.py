#!/usr/bin/env python3
"""python's `websockets` as a client of the servers of README.md.

usage: client.py URL [CHECK...]; ends with 0 when all is well.
"""

import asyncio
import sys
import urllib.request

from websockets.exceptions import ConnectionClosed, InvalidStatusCode
from websockets.extensions.permessage_deflate import ClientPerMessageDeflateFactory as Deflate
from websockets.legacy.client import connect

URL = sys.argv[1].rstrip("/")
TEXTS = ("", "x", "Gr\u00fc\u00dfe \u2603 \U0001d11e", "y" * 125, "y" * 126, "y" * 65535,
         "z" * 65536)  # fmt: skip
CODES = (1000, 1001, 1002, 1003, 1007, 1008, 1009, 1011, 1012, 1013, 3000, 4000, 4999)
NUMBERS = " ".join(str(i * i) for i in range(30_000))  # 270 KB, of which deflate makes half
BYTES = (b"", bytes(range(256)), NUMBERS.encode())


def open_socket(path, **more):
    return connect(URL.replace("http:", "ws:") + path, **{"compression": None, **more})


async def last_close():
    def get():
        with urllib.request.urlopen(URL + "/closed", timeout=10) as answer:
            return answer.read().decode()

    return await asyncio.to_thread(get)


async def expect_echo(socket, *messages):
    for message in messages:
        await socket.send(message)
        answer = await socket.recv()
        assert answer == message, (message[:40], answer[:40])


async def echoes():
    async with open_socket("/echo") as socket:
        await expect_echo(socket, *TEXTS, *BYTES)


async def keeps_the_order():
    async with open_socket("/echo") as socket:
        for number in range(500):
            await socket.send(f"message {number}")
        for number in range(500):
            assert await socket.recv() == f"message {number}"


async def sends_fragments():
    async with open_socket("/echo") as socket:
        await socket.send(["one ", "", "two ", "three"])
        assert await socket.recv() == "one two three"
        await socket.send([b"\x00", b"\x01" * 1000])
        assert await socket.recv() == b"\x00" + b"\x01" * 1000


async def receives_fragments():
    async with open_socket("/fragments") as socket:
        await expect_echo(socket, "short", "Gr\u00fc\u00dfe " * 20, bytes(range(256)))


async def pings():
    async with open_socket("/echo") as socket:
        for payload in (b"", b"abc", b"x" * 125):
            await asyncio.wait_for(await socket.ping(payload), 10)


async def is_pinged():
    async with open_socket("/ping") as socket:
        await expect_echo(socket, "first", "second")


async def closes():
    for code, reason in [(1000, "")] + [(code, f"reason {code}") for code in CODES]:
        socket = await open_socket("/echo")
        await socket.close(code, reason)
        assert socket.close_rcvd.code == code, socket.close_rcvd  # not all say the reason, too
        assert await last_close() == f"{code} {reason}", await last_close()


async def is_closed():
    for code in CODES:
        socket = await open_socket(f"/close/{code}")
        try:
            await socket.recv()
            raise AssertionError("a message came")
        except ConnectionClosed as closed:
            assert (closed.rcvd.code, closed.rcvd.reason) == (code, "as asked"), closed
        await socket.wait_closed()
        assert await last_close() == f"{code} as asked", await last_close()


def offered(socket):
    return socket.response_headers.get("Sec-WebSocket-Extensions", "")


async def deflates():
    offer = Deflate(server_no_context_takeover=True, client_no_context_takeover=True)
    async with open_socket("/deflate", extensions=[offer]) as socket:
        assert "server_no_context_takeover" in offered(socket), offered(socket)
        await expect_echo(socket, *TEXTS, *BYTES, NUMBERS, NUMBERS)
        await socket.send([NUMBERS, NUMBERS])
        assert await socket.recv() == NUMBERS * 2


async def is_refused_a_bomb():
    async with open_socket("/deflate", extensions=[Deflate()]) as socket:
        await socket.send(b"\xff" * 300_000)
        try:
            await socket.recv()
            raise AssertionError("a message came")
        except ConnectionClosed as closed:
            assert closed.rcvd.code == 1009, closed


async def is_refused_what_is_too_long():
    limit = "x" * (1 << 20)
    async with open_socket("/echo") as socket:
        await expect_echo(socket, limit)
        # In frames, so that the last of them is what is too much: nothing follows it.
        await socket.send([limit[:1 << 19], limit[1 << 19:], "x"])
        try:
            await socket.recv()
            raise AssertionError("a message came")
        except ConnectionClosed as closed:
            assert closed.rcvd.code == 1009, closed


async def takes_over():
    async with open_socket("/takeover", extensions=[Deflate()]) as socket:
        assert offered(socket).startswith("permessage-deflate"), offered(socket)
        assert "no_context_takeover" not in offered(socket), offered(socket)
        await expect_echo(socket, *TEXTS, *BYTES, NUMBERS, NUMBERS, NUMBERS)


async def narrows_windows():
    offer = Deflate(server_max_window_bits=10, client_max_window_bits=9)
    async with open_socket("/takeover", extensions=[offer]) as socket:
        assert "server_max_window_bits=10" in offered(socket), offered(socket)
        await expect_echo(socket, *TEXTS, NUMBERS, NUMBERS)


async def agrees_on_a_subprotocol():
    async with open_socket("/subprotocol", subprotocols=["x", "chat.v1"]) as socket:
        assert socket.subprotocol == "chat.v1", socket.subprotocol
        await socket.send("which?")
        assert await socket.recv() == "chat.v1"
    async with open_socket("/subprotocol", subprotocols=["x", "y"]) as socket:
        assert socket.subprotocol is None, socket.subprotocol


async def is_refused_elsewhere():
    try:
        async with open_socket("/echo", origin="http://elsewhere.example"):
            raise AssertionError("it was let in")
    except InvalidStatusCode as refused:
        assert refused.status_code == 403, refused
    async with open_socket("/echo", origin=URL) as socket:
        await expect_echo(socket, "from here")


CHECKS = (echoes, keeps_the_order, sends_fragments, receives_fragments, pings, is_pinged, closes,
          is_closed, deflates, is_refused_a_bomb, is_refused_what_is_too_long, takes_over,
          narrows_windows, agrees_on_a_subprotocol, is_refused_elsewhere)  # fmt: skip


async def main(wanted):
    for check in CHECKS:
        if not wanted or check.__name__ in wanted:
            await asyncio.wait_for(check(), 60)
            print("ok", check.__name__, flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[2:]))
