"""What has to be known to read the figures: machine, kernel, commit, compiler."""

from __future__ import annotations

import os
import platform
import re
import time
from pathlib import Path

from . import versions

_HERE = Path(__file__).resolve().parent


def facts(network: str, cores: tuple[int, int], plan: str) -> dict[str, str]:
    """Of every table; `versions.of` has those of who is in it."""
    return {
        "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "machine": f"{processor()}, {os.cpu_count()} cores, Linux {platform.release()}",
        "memory": f"{_memory_gib()} GiB",
        "network": network,
        "cores": _cores(cores),
        "plan": plan,
        "commit": commit(),
        **versions.of(["g++"], _HERE),
        "libc": " ".join(platform.libc_ver()),
    }


def commit() -> str:
    """The pages that hold what was measured may differ: measuring writes them."""
    git = ["git", "-C", str(_HERE)]
    changed = versions.output([*git, "status", "--porcelain", "--untracked-files=no", "--",
                               ":/", ":(top,exclude)docs/benchmarks"])  # fmt: skip
    return versions.output([*git, "describe", "--always"]) + ("-dirty" if changed else "")


def processor() -> str:
    found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return found.group(1).strip() if found else platform.machine()


def _memory_gib() -> int:
    return round(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30)


def _cores(cores: tuple[int, int]) -> str:
    server, load = cores
    shared = " (only one core: the figures are not comparable)" if server == load else ""
    return f"server on {server}, load on {load}{shared}"
