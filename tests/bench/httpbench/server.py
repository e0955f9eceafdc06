"""What a server of the table is: how it is started for a row. No server in particular."""

from __future__ import annotations

import shutil
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path

from . import client
from .model import Row

CONNECTIONS = 19_000  # that every server is allowed to have: what a process may open, less a rest


@dataclass(frozen=True)
class Place:
    """Where one server instance lives: its port, its own folder, the files to serve."""

    port: int
    folder: Path
    root: Path


def make_place(work: Path, root: Path, name: str) -> Place:
    """A free port and a fresh folder that a server which drops its rights can still read."""
    port = client.free_port()
    folder = work / f"{name}-{port}"
    folder.mkdir(mode=0o755)
    return Place(port, folder, root)


class Server(ABC):
    """One column of the table."""

    name: str

    @abstractmethod
    def command(self, place: Place, row: Row) -> list[str]:
        """Writes what the server needs into place.folder and says how to start it."""

    def missing(self) -> str:
        """Why this server cannot run here, or nothing."""
        return ""


class Program(Server):
    """A server that is one program file."""

    def __init__(self, name: str, program: Path) -> None:
        self.name = name
        self.program = program

    def missing(self) -> str:
        return "" if self.program.is_file() else f"no {self.program.name} in {self.program.parent}"


class Installed(Server):
    """A server of a package, which may lie where only root looks; its folder is its own."""

    program: str

    def path(self) -> str | None:
        return shutil.which(self.program, path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin")

    def missing(self) -> str:
        return "" if self.path() else f"{self.program} is not installed"
