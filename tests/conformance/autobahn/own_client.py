"""Our client in every setting, with the suite at it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import fuzzer
import settings
from report import Result
from suite import Suite

# Arguments of client.cc: what permessage-deflate it asks for.
SETTINGS = ("off", "both", "takeover")


def run(
    suite: Suite, program: Path, selected: Sequence[str], folder: Path, seconds: float,
    chosen: Sequence[str] = SETTINGS,
) -> dict[str, list[Result]]:  # fmt: skip
    """Setting -> results, all settings at once."""

    def one(setting: str, asked: Sequence[str]) -> list[Result]:
        task = fuzzer.Task(asked, folder / f"client-{setting}", seconds)
        return fuzzer.for_client(suite, task, [str(program), setting])

    return settings.each(chosen, selected, one)
