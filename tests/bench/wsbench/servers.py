"""The servers under test, each a command with a port in it."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from httpbench import client, peers, proc
from httpbench.model import FLOOR, REUSEPORT, THREAD, UWEBSOCKETS
from httpbench.starting import ServerError, wait_until_accepts

from .rows import QUICKWS


@dataclass(frozen=True)
class Server:
    """`paths`: where it serves what a row asks for by another name; "" = it does not."""

    name: str
    template: str
    paths: Mapping[str, str] = field(default_factory=dict)

    def command(self, port: int) -> list[str]:
        return shlex.split(self.template.replace("{port}", str(port)))

    def path(self, path: str) -> str:
        return self.paths.get(path, path)

    def missing(self) -> str:
        program = shlex.split(self.template)[0]
        return "" if shutil.which(program) else f"no program {program}"


# It echoes whatever it is not told to count, and cannot do the rest.
_FLOOR_PATHS = {"/echo": "/", "/sink": "/bulk", "/store": "", "/whole": "", "/broadcast": ""}
_PEERS = {
    UWEBSOCKETS: {},
    QUICKWS: {},
    "gws": {},
    "gorilla": {},
    "beast": {"/broadcast": ""},
    "websocketpp": {},
}


def known(programs: Path) -> list[Server]:
    """The servers of the table in its order; `programs` is the folder of a Release build."""
    return [
        Server(FLOOR, f"{programs}/epoll_ws -p {{port}}", _FLOOR_PATHS),
        Server(THREAD, f"{programs}/ws_app {{port}}"),
        Server(REUSEPORT, f"{programs}/ws_app {{port}} reuseport"),
        *(Server(name, f"{programs}/ws_{name} {{port}}", paths) for name, paths in _PEERS.items()),
        Server("bun", f"{peers.bun(programs)} {peers.PEERS}/ws_bun.js {{port}}"),
    ]


@dataclass(frozen=True)
class Running:
    server: Server
    process: subprocess.Popen[bytes]
    port: int

    @property
    def pid(self) -> int:
        return self.process.pid


@contextlib.contextmanager
def running(server: Server, work: Path, core: int) -> Iterator[Running]:
    """Starts a server on one core, waits until it accepts, ends it on the way out."""
    port = client.free_port()
    output = work / f"{server.name}-{port}.log"
    os.environ["GOMAXPROCS"] = "1"  # one worker, as the others have
    with proc.pinned(core):
        process = proc.start(server.command(port), output, work)
    try:
        wait_until_accepts(process, port, output)
        yield Running(server, process, port)
    finally:
        proc.stop(process)
