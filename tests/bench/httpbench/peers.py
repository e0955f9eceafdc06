"""The servers of others, each at its best: no access log, connections kept as long as they are
used, descriptors of files cached where the server can. One class for each way to be told so; what
they are told is in tests/bench/peers."""

from __future__ import annotations

from pathlib import Path
from string import Template

from . import client, rows
from .model import APACHE, BEAST, BUN, DROGON, H2O, LIGHTTPD, NGINX, UWEBSOCKETS, Row
from .server import CONNECTIONS, Installed, Place, Program, Server

PEERS = Path(__file__).resolve().parents[1] / "peers"
_APACHE_THREADS = 128  # ThreadsPerChild in apache.conf


class Configured(Installed):
    """A program that reads a file, peers/NAME.conf; `arguments` are how it is given that.

    Who cannot answer from memory sends index.html, which has the same bytes.
    """

    def __init__(self, name: str, program: str, *arguments: str) -> None:
        self.name = name
        self.program = program
        self.arguments = arguments

    def command(self, place: Place, row: Row) -> list[str]:
        template = Template((PEERS / f"{self.name}.conf").read_text())
        config = place.folder / f"{self.name}.conf"
        config.write_text(
            template.substitute(
                folder=place.folder,
                root=place.root,
                host=client.HOST,
                port=place.port,
                workers=row.workers,
                connections=CONNECTIONS,
                deferred=" deferred" if row.deferred else "",
                apache_threads=_APACHE_THREADS * row.workers,
                hello=rows.HELLO.decode(),
            )
        )
        fields = {"folder": place.folder, "config": config}
        arguments = (part.format(**fields) for part in self.arguments)
        return [self.path() or self.program, *arguments]


class Framework(Program):
    """peers/: what hello_app.cc and json_app.cc do, on the framework of somebody else."""

    def command(self, place: Place, row: Row) -> list[str]:
        return [str(self.program), str(place.port), str(row.workers), str(place.root)]


class Script(Installed):
    """peers/http_bun.js."""

    def __init__(self, name: str, programs: Path) -> None:
        self.name = name
        self.program = bun(programs)

    def command(self, place: Place, row: Row) -> list[str]:
        del row
        script = PEERS / "http_bun.js"
        return [self.path() or self.program, str(script), str(place.port), str(place.root)]


def bun(programs: Path) -> str:
    """Where peers/install.sh has had npm put it, or that of the PATH."""
    installed = programs / "npm" / "node_modules" / ".bin" / "bun"
    return str(installed) if installed.exists() else "bun"


def known(programs: Path) -> list[Server]:
    """In the table's order; `programs` is the folder of a Release build."""
    return [
        Configured(NGINX, "nginx", "-p", "{folder}", "-c", "{config}", "-e",
                   "{folder}/error.log"),
        Configured(H2O, "h2o", "-c", "{config}"),
        Configured(LIGHTTPD, "lighttpd", "-D", "-f", "{config}"),
        Configured(APACHE, "apache2", "-D", "FOREGROUND", "-f", "{config}"),
        Framework(UWEBSOCKETS, programs / "http_uwebsockets"),
        Script(BUN, programs),
        Framework(BEAST, programs / "http_beast"),
        Framework(DROGON, programs / "json_drogon"),
    ]  # fmt: skip
