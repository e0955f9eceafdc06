#!/usr/bin/env python3
"""A client for the suite, on python's `websockets`: shows that the suite's server side works, and
what one has to do. Every message goes back as it came.

usage: AUTOBAHN_URL=ws://... AUTOBAHN_AGENT=NAME reference_client.py
"""

import asyncio
import os

import websockets

URL = os.environ["AUTOBAHN_URL"]
AGENT = os.environ["AUTOBAHN_AGENT"]


def connect(path):
    return websockets.connect(URL + path, max_size=None, ping_interval=None)


async def echo(path):
    try:
        async with connect(path) as socket:
            async for message in socket:
                await socket.send(message)
    except websockets.ConnectionClosed:
        pass  # many cases end in no other way


async def main():
    async with connect("/getCaseCount") as socket:
        count = int(await socket.recv())
    for number in range(1, count + 1):
        await echo(f"/runCase?case={number}&agent={AGENT}")
    await echo(f"/updateReports?agent={AGENT}")


if __name__ == "__main__":
    asyncio.run(main())
