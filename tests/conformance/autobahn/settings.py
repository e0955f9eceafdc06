"""The suite in several settings of permessage-deflate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import cases
from report import Result


def each(
    settings: Sequence[str], selected: Sequence[str],
    run: Callable[[str, Sequence[str]], list[Result]],
) -> dict[str, list[Result]]:  # fmt: skip
    """Setting -> what run(setting, cases) gives; all at once: most wait more than they compute."""

    def one(setting: str) -> list[Result]:
        return run(setting, cases.without_deflate(selected) if setting == "off" else selected)

    with ThreadPoolExecutor(len(settings)) as pool:
        return dict(zip(settings, pool.map(one, settings)))
