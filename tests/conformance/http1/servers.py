"""How each server is started by hand: one process, one loopback port, the same site and limits.

Every configuration asks for the same: two hosts, /echo answers with the body it got, /nothing with
204, bodies up to 1 MiB, a head has 3 seconds. All else is what its authors made the default.
"""

from __future__ import annotations

import json
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from . import peers, site, upstream

BODY_MAX = 1 << 20
_START_SECONDS = 20

Process = subprocess.Popen
Configure = Callable[[Path, int, int], str]  # folder, port, port of upstream.py


@dataclass(frozen=True)
class Server:
    name: str
    address: tuple[str, int]
    version: str


class CannotStart(Exception):
    """The program is there and does not answer."""


def find(name: str) -> str | None:
    """The program of a server; None when it is not installed."""
    program = peers.PROGRAMS[name]
    return shutil.which(program, path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin")


@contextmanager
def daemon(program: Path) -> Iterator[Server]:
    """ssxrver."""
    with _running("ssxrver", [str(program), "-f", "{config}"], _ours) as server:
        yield server


@contextmanager
def broken() -> Iterator[Server]:
    """The deliberately sloppy server beside this folder."""
    script = Path(__file__).resolve().parents[1] / "broken_server.py"
    command = [sys.executable, str(script), "{config}"]
    with _running("broken", command, lambda folder, port, _: f"{port} {folder}") as server:
        yield server


@contextmanager
def peer(name: str) -> Iterator[Server]:
    """One of peers.PROGRAMS, which must be installed."""
    program = find(name)
    assert program is not None, name
    command = [program, *peers.ARGUMENTS[name]]
    with _running(name, command, peers.CONFIGURATIONS[name]) as server:
        yield server


@contextmanager
def _running(name: str, command: list[str], configure: Configure) -> Iterator[Server]:
    with tempfile.TemporaryDirectory(prefix="conformance-") as folder, upstream.running() as echo:
        site.build(Path(folder))
        process, port = _start(command, Path(folder), configure, echo)
        try:
            yield Server(name, ("127.0.0.1", port), version_of(name, command[0]))
        finally:
            _stop(process)


def _start(
    command: list[str], folder: Path, configure: Configure, echo: int
) -> tuple[Process, int]:
    """The process and its port; a port that somebody else was quicker to take costs a try."""
    config, log = folder / "config", folder / "log"
    filled = [word.format(config=config, folder=folder) for word in command]
    for last in (False, False, True):
        port = _free_port()
        config.write_text(configure(folder, port, echo), encoding="utf-8")
        with log.open("wb") as output:
            process = subprocess.Popen(
                filled, stdout=output, stderr=output, stdin=subprocess.DEVNULL, cwd=folder,
                env=peers.environment(folder), start_new_session=True,
            )  # fmt: skip
        if _is_answering(process, port):
            return process, port
        _stop(process)
        if last:
            break
    raise CannotStart(log.read_text(errors="replace")[-2000:])


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def _is_answering(process: Process, port: int) -> bool:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=1):
                return process.poll() is None
        except OSError:
            time.sleep(0.02)
    return False


def _stop(process: Process) -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def version_of(name: str, program: str) -> str:
    """What the program says of itself, in a word."""
    arguments = peers.VERSION_ARGUMENTS.get(name)
    if arguments is None:
        return ""
    done = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=20,
                          check=False)  # fmt: skip
    return peers.version_in(done.stdout + done.stderr)


def _ours(folder: Path, port: int, _: int) -> str:
    main, other = str(folder / "main"), str(folder / "other")
    return json.dumps({
        "config_version": 2,
        "address": "127.0.0.1",
        "port": port,
        "worker_processes": 2,
        "http": {
            "root_path": main,
            "max_body_size": BODY_MAX,
            "timeouts": {"header": f"{peers.HEAD_SECONDS}s", "body": "10s", "linger": "1s"},
            "routes": [
                {"match": "/echo", "handler": "echo", "methods": ["POST"]},
                {"match": "/nothing", "handler": "status", "status": 204},
                {"match": "/*", "handler": "static", "host": "other.test", "root": other},
                {"match": "/*", "handler": "static"},
            ],
        },
    })  # fmt: skip
