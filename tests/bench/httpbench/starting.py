"""A server that was started accepts, or it is said why not."""

from __future__ import annotations

import contextlib
import subprocess
import time
from pathlib import Path

from . import client

START_TIMEOUT = 10.0


class ServerError(Exception):
    """It cannot be started; the text says why."""


def wait_until_accepts(process: subprocess.Popen[bytes], port: int, output: Path,
                       patience: float = START_TIMEOUT) -> None:  # fmt: skip
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(OSError):
            client.connect_when_up(port, time.monotonic() + 0.05).close()
            return
    printed = output.read_text(errors="replace").strip()[-300:]
    state = "does not accept" if process.poll() is None else f"ended with {process.returncode}"
    raise ServerError(f"{state}: {printed}")
