"""Calls ssxrver-bench, the product's own load generator, and reads what it says."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import proc

GRACE = 90.0


class GeneratorError(Exception):
    """There is no figure; the text says why."""


@dataclass(frozen=True)
class Generator:
    """The program, how long one round lasts and where the load runs."""

    program: Path
    seconds: float
    core: int

    def run(self, kind: str, url: str, pid: int, arguments: Sequence[str]) -> dict[str, Any]:
        """Its JSON, with what the server `pid` used; `arguments` say how long."""
        command = [str(self.program), kind, url, "--pid", str(pid), "--format", "json", "-q",
                   *arguments]  # fmt: skip
        with proc.pinned(self.core):
            try:
                done = subprocess.run(
                    command,
                    capture_output=True,
                    text=True,
                    timeout=self.seconds + GRACE,
                    check=False,
                )
            except subprocess.TimeoutExpired:
                raise GeneratorError(f"{self.program.name} did not end in time") from None
        if not done.stdout.startswith("{"):
            raise GeneratorError(done.stderr.strip()[-300:] or f"{self.program.name} has ended")
        try:
            return dict(json.loads(done.stdout))
        except ValueError:
            raise GeneratorError(f"{self.program.name} did not say all of it") from None


def failures(result: dict[str, Any]) -> int:
    return sum(result[name] for name in result if name.startswith("failed_"))


def grown(result: dict[str, Any]) -> float:
    """Bytes that the server's resident memory has grown by, for each of its connections."""
    before, after = result["server_resident_before"], result["server_resident_after"]
    return (after - before) / result["connections"]
