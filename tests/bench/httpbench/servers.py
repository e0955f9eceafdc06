"""The servers under test: how each is configured and started for one row."""

from __future__ import annotations

import contextlib
import json
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from . import client, peers, proc, rows
from .model import APP, FLOOR, REUSEPORT, THREAD, Row
from .server import CONNECTIONS, Place, Program, Server, make_place
from .starting import wait_until_accepts


class Floor(Program):
    """limit/epoll_http.c. For an answer from memory it does not even look at the path."""

    def command(self, place: Place, row: Row) -> list[str]:
        files = ["-r", str(place.root)] if row.path in rows.FILES else []
        body = (rows.JSON if row.path == rows.JSON_PATH else rows.HELLO).decode()
        threads = ["-t", str(row.workers)]
        defer = ["-d"] if row.deferred else []
        return [str(self.program), "-p", str(place.port), "-b", body, *threads, *files, *defer]


class App(Program):
    """hello_app.cc, json_app.cc: the framework inside somebody's program."""

    def command(self, place: Place, row: Row) -> list[str]:
        name = "json_app" if row.path == rows.JSON_PATH else "hello_app"
        return [str(self.program.with_name(name)), str(place.port), str(row.workers)]


class Ssxrver(Program):
    """The daemon with its defaults: limits, timers, counters and INFO logging are on."""

    def __init__(self, name: str, program: Path, accept: str) -> None:
        super().__init__(name, program)
        self.accept = accept

    def command(self, place: Place, row: Row) -> list[str]:
        path = place.folder / "ssxrver.json"
        path.write_text(json.dumps(self.config(place, row), indent=2))
        return [str(self.program), "-f", str(path)]

    def config(self, place: Place, row: Row) -> dict[str, object]:
        text = {"match": rows.HELLO_PATH, "handler": "text", "body": rows.HELLO.decode()}
        return {
            "address": client.HOST,
            "port": place.port,
            "worker_processes": row.workers,
            "loop": {"accept": self.accept},
            **({"tcp": {"defer_accept": "1s"}} if row.deferred else {}),
            # As worker_connections of nginx: up to the open files that a process may have.
            "limits": {"connections": CONNECTIONS, "overload_percent": 100},
            "log": {"level": "INFO", "ansync_started": "on", "path": str(place.folder)},
            "http": {
                "root_path": str(place.root),
                "routes": [text, {"match": "/*", "handler": "static"}],
            },
        }


class Custom(Server):
    """NAME=COMMAND from the command line; {port}, {root} and {workers} are filled in."""

    def __init__(self, name: str, template: str) -> None:
        self.name = name
        self.template = template

    def command(self, place: Place, row: Row) -> list[str]:
        fields = {"port": place.port, "root": place.root, "workers": row.workers}
        line = self.template
        for name, value in fields.items():
            line = line.replace(f"{{{name}}}", str(value))
        return shlex.split(line)

    def missing(self) -> str:
        program = shlex.split(self.template)[0]
        return "" if shutil.which(program) else f"no program {program}"


def known(programs: Path) -> list[Server]:
    """The servers of the table in its order; `programs` is the folder of a Release build."""
    return [
        Floor(FLOOR, programs / "epoll_http"),
        Ssxrver(REUSEPORT, programs / "ssxrver", "reuseport"),
        Ssxrver(THREAD, programs / "ssxrver", "thread"),
        App(APP, programs / "hello_app"),
        *peers.known(programs),
    ]


@dataclass(frozen=True)
class Running:
    """A server that answers."""

    server: Server
    process: subprocess.Popen[bytes]
    place: Place

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def port(self) -> int:
        return self.place.port


@contextlib.contextmanager
def running(
    server: Server, row: Row, work: Path, root: Path, *cores: int
) -> Iterator[Running]:
    """Starts a server on its cores, waits until it accepts, ends it on the way out."""
    place = make_place(work, root, server.name)
    output = place.folder / "output"
    with proc.pinned(*cores):
        process = proc.start(server.command(place, row), output, place.folder)
    try:
        wait_until_accepts(process, place.port, output)
        yield Running(server, process, place)
    finally:
        proc.stop(process)
