"""Our echo server in every setting, with the suite at it."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cases
import fuzzer
from report import Result
from suite import Suite  # from here on, tests/support is found too

from daemon import Program

# Arguments of echo_server.cc: what permessage-deflate it offers.
SETTINGS = ("off", "receive", "both", "takeover")


def run(
    suite: Suite, program: Path, selected: Sequence[str], folder: Path, seconds: float,
    settings: Sequence[str] = SETTINGS,
) -> dict[str, list[Result]]:  # fmt: skip
    """Setting -> results, all settings at once: most cases wait more than they compute."""

    def one(setting: str) -> list[Result]:
        asked = cases.without_deflate(selected) if setting == "off" else selected
        task = fuzzer.Task(asked, folder / setting, seconds)
        with Program(program, "0", setting) as server:
            url = server.url.replace("http:", "ws:") + "/"
            results = fuzzer.against_server(suite, task, url, f"ssxrver-{setting}")
            code = server.stop()
            if code != 0:
                raise RuntimeError(f"the server ended with {code}: {server.output}")
            return results

    with ThreadPoolExecutor(len(settings)) as pool:
        return dict(zip(settings, pool.map(one, settings)))
