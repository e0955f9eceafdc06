"""The rows of the table and their targets."""

from __future__ import annotations

from collections.abc import Sequence

from .model import (
    APACHE,
    APP,
    BEAST,
    BEST_PEER,
    BUN,
    DROGON,
    FLOOR,
    H2O,
    LIGHTTPD,
    NGINX,
    OURS,
    PEERS,
    REUSEPORT,
    THREAD,
    UWEBSOCKETS,
    Kind,
    Row,
    Target,
)

KIB = 1024
MIB = 1024 * KIB
HELLO = b"Hello world!"
HELLO_PATH = "/"
FILES = {
    "/f612.bin": 612,
    "/f16k.bin": 16 * KIB,
    "/f64k.bin": 64 * KIB,
    "/f1m.bin": MIB,
    "/f16m.bin": 16 * MIB,
}
JSON_PATH = "/users/4711"
JSON = b'{"active":true,"id":4711,"name":"user 4711","roles":["reader","writer"]}'
IDLE_CONNECTIONS = 10_000
GROWTH = (100, 10_000)  # connections, few and many
# The programs of a user: what they serve.
_PROGRAMS = {APP: (HELLO_PATH, JSON_PATH), BEAST: (HELLO_PATH, JSON_PATH), DROGON: (JSON_PATH,)}
_NO_FRAMEWORKS = (NGINX, H2O, LIGHTTPD, APACHE, REUSEPORT, THREAD)
_ONE_WORKER = (BEAST, DROGON, BUN)
# What is one process and no engine of JavaScript: valgrind can count it.
_COUNTED = (FLOOR, *OURS, UWEBSOCKETS, BEAST)
# By an option, or by themselves (h2o, Apache, Bun).
_THAT_DEFER = (FLOOR, NGINX, H2O, APACHE, BUN, REUSEPORT, THREAD)
# The table of 2021 with threads = cores: tests/bench/README.md.
_OF_2021 = (FLOOR, NGINX, APACHE, REUSEPORT, THREAD)


def _file(key: str, title: str, path: str, limit: float, by_bytes: bool = False) -> Row:
    return Row(key, title, Kind.WRK, path, FILES[path], (Target(limit, FLOOR),), by_bytes=by_bytes)


def _hello(key: str, title: str, kind: Kind, *targets: Target, unit: str = "CPU us/request",
           depth: int = 1, varied: bool = False) -> Row:  # fmt: skip
    return Row(key, title, kind, HELLO_PATH, len(HELLO), targets, depth=depth, varied=varied,
               unit=unit)  # fmt: skip


def _shared(key: str, title: str, kind: Kind, path: str, *targets: Target,
            servers: tuple[str, ...] = ()) -> Row:  # fmt: skip
    size = FILES.get(path, len(HELLO))
    return Row(key, title, kind, path, size, targets, workers=2, servers=servers)


def _instructions(key: str, what: str, path: str, depth: int = 1) -> Row:
    size = FILES.get(path, len(JSON) if path == JSON_PATH else len(HELLO))
    return Row(key, f"instructions outside of the kernel, {what}", Kind.INSTRUCTIONS, path, size,
               depth=depth, unit="a request", servers=_COUNTED)  # fmt: skip


def all_rows() -> list[Row]:
    ahead = (Target(1.0, NGINX, (REUSEPORT, THREAD)), Target(1.0, APACHE, (REUSEPORT, THREAD)))
    connect = (Target(1.08, FLOOR, (REUSEPORT,)), Target(1.6, FLOOR, (THREAD, APP)))
    return [
        _hello("hello", "in-memory answer, keep-alive", Kind.WRK, Target(1.06, FLOOR)),
        _hello("hello_varied", "in-memory answer, no two requests alike", Kind.WRK, varied=True),
        _file("file612", "612-byte file", "/f612.bin", 1.10),
        _file("file16k", "16 KiB file", "/f16k.bin", 1.15),
        _file("file64k", "64 KiB file", "/f64k.bin", 1.08),
        _file("file1m", "1 MiB file", "/f1m.bin", 1.03, by_bytes=True),
        _file("file16m", "16 MiB file", "/f16m.bin", 1.00, by_bytes=True),
        Row("json", "routed JSON behind two middlewares", Kind.WRK, JSON_PATH, len(JSON),
            (Target(1.15, FLOOR, (APP,)),)),
        _hello("pipeline", "pipelined 16 deep", Kind.WRK, Target(1.45, FLOOR), depth=16),
        _hello("connect", "connection per request", Kind.EACH, *connect),
        Row("connect_deferred", "connection per request, accepted when it has spoken", Kind.EACH,
            HELLO_PATH, len(HELLO), (Target(1.0, BEST_PEER, (REUSEPORT, THREAD)),), deferred=True,
            servers=_THAT_DEFER),
        _hello("webbench", "connection per request (webbench)", Kind.WEBBENCH, *connect),
        _hello("growth", "10,000 connections at work over 100", Kind.GROWTH,
               Target(1.0, BEST_PEER), unit="times the CPU/request"),
        _hello("idle", "idle keep-alive connection", Kind.IDLE, Target(240), unit="bytes each"),
        _hello("start", "start to first answer", Kind.START, Target(8), unit="ms"),
        _shared("two", "two workers: in memory, wrk", Kind.WRK, HELLO_PATH,
                Target(1.08, FLOOR, (REUSEPORT, THREAD)), *ahead),
        _shared("two_file", "two workers: 612-byte file, wrk", Kind.WRK, "/f612.bin", *ahead,
                servers=_OF_2021),
        _shared("two_web", "two workers: in memory, ssxrver-bench web", Kind.WEB, HELLO_PATH,
                *ahead, servers=_OF_2021),
        _shared("two_file_web", "two workers: 612-byte file, ssxrver-bench web", Kind.WEB,
                "/f612.bin", *ahead, servers=_OF_2021),
        _instructions("instructions", "in-memory answer", HELLO_PATH),
        _instructions("instructions_file", "612-byte file", "/f612.bin"),
        _instructions("instructions_json", "routed JSON", JSON_PATH),
        _instructions("instructions_pipeline", "pipelined 16 deep", HELLO_PATH, depth=16),
        _hello("syscalls", "system calls, keep-alive (least: 2 and a share)", Kind.SYSCALLS,
               unit="calls/request"),
        _hello("syscalls_connect", "system calls, connection per request (least: 4 and a share)",
               Kind.SYSCALLS_CONNECT, unit="calls/request"),
    ]  # fmt: skip


def select(names: Sequence[str]) -> list[Row]:
    """The named rows in table order; every row without names."""
    rows = all_rows()
    unknown = set(names) - {row.key for row in rows}
    if unknown:
        known = ", ".join(row.key for row in rows)
        raise ValueError(f"no row {', '.join(sorted(unknown))}; there are {known}")
    return [row for row in rows if not names or row.key in names]


def serves(server: str, row: Row) -> bool:
    """Whether a server is asked for what the row wants. Who is unknown is asked for everything."""
    if row.servers and server in (FLOOR, *OURS, *PEERS) and server not in row.servers:
        return False
    if row.workers > 1 and server in _ONE_WORKER:
        return False
    if server in _PROGRAMS:
        return row.path in _PROGRAMS[server]
    return row.path != JSON_PATH or server not in _NO_FRAMEWORKS
