#!/usr/bin/env python3
"""An echo server that reads frames and keeps no other rule of RFC 6455: the suite must see that.

usage: broken_echo.py
"""

import asyncio
import base64
import hashlib
import re

_GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_CLOSE = 8


async def _shake_hands(reader, writer):
    head = await reader.readuntil(b"\r\n\r\n")
    key = re.search(rb"(?i)\r\nsec-websocket-key: *(\S+)", head)[1]
    accept = base64.b64encode(hashlib.sha1(key + _GUID).digest())
    writer.write(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                 b"Connection: Upgrade\r\nSec-WebSocket-Accept: " + accept + b"\r\n\r\n")


async def _frame(reader):
    """First byte, and the payload without its mask."""
    first, second = await reader.readexactly(2)
    length = second & 127
    if length > 125:
        length = int.from_bytes(await reader.readexactly(2 if length == 126 else 8), "big")
    mask = await reader.readexactly(4)
    return first, bytes(b ^ mask[i % 4] for i, b in enumerate(await reader.readexactly(length)))


async def _serve(reader, writer):
    try:
        await _shake_hands(reader, writer)
        first = 0
        while first & 15 != _CLOSE:
            first, payload = await _frame(reader)
            size = len(payload)
            length = bytes([size]) if size < 126 else b"\x7e" + size.to_bytes(2, "big")
            writer.write(bytes([first]) + length + payload)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    writer.close()


async def _main():
    server = await asyncio.start_server(_serve, "127.0.0.1", 0)
    print(f"listening on http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_main())
