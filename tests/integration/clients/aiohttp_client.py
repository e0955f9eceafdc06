"""aiohttp against http_probe, or where only some checks are wanted, against another server.

usage: aiohttp_client.py URL [CHECK...]; ends with 0 when all is well.
"""

import asyncio
import hashlib
import sys
import time

import aiohttp

URL = sys.argv[1]
PATTERN = bytes(ord("a") + i % 23 for i in range(23))


def pattern(size):
    return (PATTERN * (size // 23 + 1))[:size]


async def text(answer):
    assert answer.status == 200, answer.status
    return await answer.text()


async def keeps_one_connection(session):
    peers = set()
    for _ in range(20):
        async with session.get(URL + "/peer") as answer:
            peers.add(await text(answer))
    assert len(peers) == 1, peers


async def echoes(session):
    body = pattern(1_000_003)
    for more in ({}, {"expect100": True}, {"chunked": True}):
        async with session.post(URL + "/echo", data=body, **more) as answer:
            assert answer.status == 200 and await answer.read() == body, more


async def streams_up(session):
    total, digest = 0, hashlib.sha256()

    async def pieces():
        nonlocal total
        for i in range(64):
            piece = pattern(10_000 + i)
            total += len(piece)
            digest.update(piece)
            yield piece
            if i % 16 == 0:
                await asyncio.sleep(0.005)

    async with session.put(URL + "/upload?sha", data=pieces()) as answer:
        said = (await text(answer)).split()
    assert [said[0], said[2]] == [str(total), digest.hexdigest()], said


async def streams_down(session):
    for path in ("/download/5000000", "/download/5000000?length"):
        async with session.get(URL + path) as answer:
            assert await answer.read() == pattern(5_000_000), path
    async with session.get(URL + "/ticks/10") as answer:
        assert answer.content_type == "text/event-stream"
        times = [time.monotonic() async for line in answer.content if line.startswith(b"data")]
    assert len(times) == 10 and times[-1] - times[0] > 0.1, "it came in one piece"


async def waits_for_many(session):
    begun = time.monotonic()
    answers = await asyncio.gather(*(one(session, "/sleep/300") for _ in range(50)))
    assert answers == ["slept\n"] * 50
    assert time.monotonic() - begun < 10, "one after the other"


async def one(session, path):
    async with session.get(URL + path) as answer:
        return await text(answer)


async def knows_statuses(session):
    assert await one(session, "/redirect") == "hello\n"
    async with session.head(URL + "/hello") as answer:
        assert answer.status == 200 and answer.headers["Content-Length"] == "6"
    async with session.get(URL + "/nothing") as answer:
        assert answer.status == 404 and "404" in await answer.text()
    async with session.delete(URL + "/hello") as answer:
        assert answer.status == 405 and "GET" in answer.headers["Allow"]


async def may_go_away(session):
    for _ in range(5):
        async with session.get(URL + "/download/100000000") as answer:
            await answer.content.read(1000)
            answer.close()
    try:
        async with session.get(URL + "/sleep/60000", timeout=aiohttp.ClientTimeout(total=0.1)):
            raise AssertionError("it came early")
    except asyncio.TimeoutError:
        pass
    assert await one(session, "/hello") == "hello\n"


async def main():
    async with aiohttp.ClientSession() as session:
        for check in (keeps_one_connection, echoes, streams_up, streams_down, waits_for_many,
                      knows_statuses, may_go_away):
            if not sys.argv[2:] or check.__name__ in sys.argv[2:]:
                await asyncio.wait_for(check(session), 30)
                print("ok", check.__name__)


asyncio.run(main())
