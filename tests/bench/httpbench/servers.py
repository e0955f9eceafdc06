"""The servers under test: how each is configured and started for one row."""

from __future__ import annotations

import contextlib
import json
import shlex
import shutil
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from . import client, proc, rows
from .model import APP, BEAST, DROGON, FLOOR, NGINX, REUSEPORT, THREAD, Row
from .starting import ServerError, wait_until_accepts


_CONNECTIONS = 19_000


@dataclass(frozen=True)
class Place:
    """Where one server instance lives: its port, its own folder, the files to serve."""

    port: int
    folder: Path
    root: Path


class Server(ABC):
    """One column of the table."""

    name: str

    @abstractmethod
    def command(self, place: Place, row: Row) -> list[str]:
        """Writes what the server needs into place.folder and says how to start it."""

    def missing(self) -> str:
        """Why this server cannot run here, or nothing."""
        return ""


class _Program(Server):
    """A server that is one program file."""

    def __init__(self, name: str, program: Path) -> None:
        self.name = name
        self.program = program

    def missing(self) -> str:
        return "" if self.program.is_file() else f"no {self.program.name} in {self.program.parent}"


class Floor(_Program):
    """limit/epoll_http.c. For the in-memory answer it does not even look at the path."""

    def command(self, place: Place, row: Row) -> list[str]:
        files = [] if row.path == rows.HELLO_PATH else ["-r", str(place.root)]
        body = rows.HELLO.decode()
        return [str(self.program), "-p", str(place.port), "-b", body, *files]


class App(_Program):
    """hello_app.cc, json_app.cc: the framework inside somebody's program."""

    def command(self, place: Place, row: Row) -> list[str]:
        name = "json_app" if row.path == rows.JSON_PATH else "hello_app"
        return [str(self.program.with_name(name)), str(place.port)]


class Framework(_Program):
    """peers/json_*.cc: what json_app.cc does, on somebody else's framework."""

    def command(self, place: Place, row: Row) -> list[str]:
        del row
        return [str(self.program), str(place.port)]


class Ssxrver(_Program):
    """The daemon with its defaults: limits, timers, counters and INFO logging are on."""

    def __init__(self, name: str, program: Path, accept: str) -> None:
        super().__init__(name, program)
        self.accept = accept

    def command(self, place: Place, row: Row) -> list[str]:
        del row
        path = place.folder / "ssxrver.json"
        path.write_text(json.dumps(self.config(place), indent=2))
        return [str(self.program), "-f", str(path)]

    def config(self, place: Place) -> dict[str, object]:
        text = {"match": rows.HELLO_PATH, "handler": "text", "body": rows.HELLO.decode()}
        return {
            "address": client.HOST,
            "port": place.port,
            "worker_processes": 1,
            "loop": {"accept": self.accept},
            # As worker_connections of nginx: up to the open files that a process may have.
            "limits": {"connections": _CONNECTIONS, "overload_percent": 100},
            "log": {"level": "INFO", "ansync_started": "on", "path": str(place.folder)},
            "http": {
                "root_path": str(place.root),
                "routes": [text, {"match": "/*", "handler": "static"}],
            },
        }


class Nginx(Server):
    """Debian's nginx at its best: one worker, no access log, sendfile, open_file_cache."""

    name = NGINX

    def missing(self) -> str:
        return "" if self._program() else "nginx is not installed"

    def command(self, place: Place, row: Row) -> list[str]:
        del row
        program = self._program()
        if program is None:
            raise ServerError(self.missing())
        path = place.folder / "nginx.conf"
        path.write_text(_NGINX_CONF.format(
            folder=place.folder, root=place.root, port=place.port, host=client.HOST,
            hello=rows.HELLO.decode(), hello_path=rows.HELLO_PATH))  # fmt: skip
        errors = str(place.folder / "error.log")
        return [program, "-p", str(place.folder), "-c", str(path), "-e", errors]

    @staticmethod
    def _program() -> str | None:
        return shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin")


_NGINX_CONF = """\
daemon off;
worker_processes 1;
worker_rlimit_nofile 20000;
pid {folder}/nginx.pid;
error_log {folder}/error.log error;
events {{ worker_connections 19000; }}
http {{
  access_log off;
  sendfile on;
  tcp_nopush on;
  tcp_nodelay on;
  keepalive_timeout 75s;
  keepalive_requests 1000000000;
  open_file_cache max=1000 inactive=60s;
  open_file_cache_valid 30s;
  default_type application/octet-stream;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  server {{
    listen {host}:{port} backlog=4096;
    root {root};
    location = {hello_path} {{ default_type text/plain; return 200 "{hello}"; }}
  }}
}}
"""


class Custom(Server):
    """NAME=COMMAND from the command line; {port} and {root} are filled in."""

    def __init__(self, name: str, template: str) -> None:
        self.name = name
        self.template = template

    def command(self, place: Place, row: Row) -> list[str]:
        del row
        line = self.template.replace("{port}", str(place.port)).replace("{root}", str(place.root))
        return shlex.split(line)

    def missing(self) -> str:
        program = shlex.split(self.template)[0]
        return "" if shutil.which(program) else f"no program {program}"


def known(programs: Path) -> list[Server]:
    """The servers of the table in its order; `programs` is the folder of a Release build."""
    return [
        Floor(FLOOR, programs / "epoll_http"),
        Nginx(),
        Ssxrver(REUSEPORT, programs / "ssxrver", "reuseport"),
        Ssxrver(THREAD, programs / "ssxrver", "thread"),
        App(APP, programs / "hello_app"),
        Framework(BEAST, programs / "json_beast"),
        Framework(DROGON, programs / "json_drogon"),
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


def make_place(work: Path, root: Path, name: str) -> Place:
    """A free port and a fresh folder that a server which drops its rights can still read."""
    port = client.free_port()
    folder = work / f"{name}-{port}"
    folder.mkdir(mode=0o755)
    return Place(port, folder, root)


@contextlib.contextmanager
def running(server: Server, row: Row, work: Path, root: Path, core: int) -> Iterator[Running]:
    """Starts a server on one core, waits until it accepts, ends it on the way out."""
    place = make_place(work, root, server.name)
    output = place.folder / "output"
    with proc.pinned(core):
        process = proc.start(server.command(place, row), output, place.folder)
    try:
        wait_until_accepts(process, place.port, output)
        yield Running(server, process, place)
    finally:
        proc.stop(process)
