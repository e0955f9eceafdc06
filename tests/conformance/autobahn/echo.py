"""Our echo server in every setting, with the suite at it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import fuzzer
import settings
from report import Result
from suite import Suite  # from here on, tests/support is found too

from daemon import Program

# Arguments of echo_server.cc: what permessage-deflate it offers.
SETTINGS = ("off", "receive", "both", "takeover")


def run(
    suite: Suite, program: Path, selected: Sequence[str], folder: Path, seconds: float,
    chosen: Sequence[str] = SETTINGS,
) -> dict[str, list[Result]]:  # fmt: skip
    """Setting -> results, all settings at once: most cases wait more than they compute."""

    def one(setting: str, asked: Sequence[str]) -> list[Result]:
        task = fuzzer.Task(asked, folder / setting, seconds)
        with Program(program, "0", setting) as server:
            url = server.url.replace("http:", "ws:") + "/"
            results = fuzzer.against_server(suite, task, url, f"ssxrver-{setting}")
            code = server.stop()
            if code != 0:
                raise RuntimeError(f"the server ended with {code}: {server.output}")
            return results

    return settings.each(chosen, selected, one)
