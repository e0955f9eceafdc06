"""The rows of the table and their targets."""

from __future__ import annotations

from collections.abc import Sequence

from .model import APP, BEAST, DROGON, FLOOR, NGINX, OURS, REUSEPORT, Kind, Row, Target

KIB = 1024
MIB = 1024 * KIB
HELLO = b"Hello world!"
HELLO_PATH = "/"
FILES = {"/f612.bin": 612, "/f64k.bin": 64 * KIB, "/f1m.bin": MIB, "/f16m.bin": 16 * MIB}
JSON_PATH = "/users/4711"
JSON = b'{"active":true,"id":4711,"name":"user 4711","roles":["reader","writer"]}'
IDLE_CONNECTIONS = 10_000


def _file(key: str, title: str, path: str, targets: tuple[Target, ...], by_bytes: bool) -> Row:
    return Row(key, title, Kind.WRK, path, FILES[path], targets, by_bytes=by_bytes)


def _hello(key: str, title: str, kind: Kind, *targets: Target, depth: int = 1, unit: str) -> Row:
    return Row(key, title, kind, HELLO_PATH, len(HELLO), targets, depth=depth, unit=unit)


def all_rows() -> list[Row]:
    cpu = "CPU us/request"
    connect = Target(1.0, NGINX, (REUSEPORT,))
    small_file = (Target(1.12, FLOOR), Target(0.63, NGINX))
    return [
        _hello("hello", "in-memory answer, keep-alive", Kind.WRK, Target(1.08, FLOOR), unit=cpu),
        _file("file612", "612-byte file", "/f612.bin", small_file, False),
        _file("file64k", "64 KiB file", "/f64k.bin", (Target(1.12, FLOOR),), False),
        _file("file1m", "1 MiB file", "/f1m.bin", (Target(1.0, NGINX),), True),
        _file("file16m", "16 MiB file", "/f16m.bin", (Target(1.0, NGINX),), True),
        Row("json", "routed JSON behind two middlewares", Kind.WRK, JSON_PATH, len(JSON),
            (Target(1.0, BEAST, (APP,)), Target(1.0, DROGON, (APP,)))),
        _hello("pipeline", "pipelined 16 deep", Kind.WRK, Target(1.6, FLOOR), depth=16, unit=cpu),
        _hello("connect", "connection per request (ab)", Kind.AB, connect, unit=cpu),
        _hello("webbench", "connection per request (webbench)", Kind.WEBBENCH, connect, unit=cpu),
        _hello("idle", "idle keep-alive connection", Kind.IDLE, Target(512), unit="bytes each"),
        _hello("start", "start to first answer", Kind.START, Target(12), unit="ms"),
        _hello("syscalls", "system calls, keep-alive", Kind.SYSCALLS, unit="calls/request"),
        _hello("syscalls_connect", "system calls, connection per request", Kind.SYSCALLS_CONNECT,
               unit="calls/request"),
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
    """The embedded programs have no files, and the frameworks of others only the JSON answer."""
    if server in (BEAST, DROGON):
        return row.path == JSON_PATH
    if server == APP:
        return row.path in (HELLO_PATH, JSON_PATH)
    return row.path != JSON_PATH or server not in (FLOOR, NGINX, *OURS)
