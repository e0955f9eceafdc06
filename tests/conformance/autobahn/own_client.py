"""Our client in every setting, with the suite at it."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cases
import fuzzer
from report import Result
from suite import Suite

# Arguments of client.cc: what permessage-deflate it asks for.
SETTINGS = ("off", "both", "takeover")


def run(
    suite: Suite, program: Path, selected: Sequence[str], folder: Path, seconds: float,
    settings: Sequence[str] = SETTINGS,
) -> dict[str, list[Result]]:  # fmt: skip
    """Setting -> results, all settings at once."""

    def one(setting: str) -> list[Result]:
        asked = cases.without_deflate(selected) if setting == "off" else selected
        task = fuzzer.Task(asked, folder / f"client-{setting}", seconds)
        return fuzzer.for_client(suite, task, [str(program), setting])

    with ThreadPoolExecutor(len(settings)) as pool:
        return dict(zip(settings, pool.map(one, settings)))
