"""What has to be known to read the figures: machine, kernel, programs, commit."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

_HERE = Path(__file__).resolve().parent


def facts(network: str, cores: tuple[int, int], plan: str) -> dict[str, str]:
    return {
        "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "machine": f"{processor()}, {os.cpu_count()} cores, Linux {platform.release()}",
        "memory": f"{_memory_gib()} GiB",
        "network": network,
        "cores": _cores(cores),
        "plan": plan,
        "commit": commit(),
        "nginx": _version(["/usr/sbin/nginx", "-v"], r"nginx/(\S+)"),
        "wrk": _version(["wrk", "-v"], r"wrk (\S+)"),
        "h2o": _version(["h2o", "-v"], r"h2o version (\S+)"),
        "lighttpd": _version(["/usr/sbin/lighttpd", "-v"], r"lighttpd/(\S+)"),
        "Apache": _version(["/usr/sbin/apache2", "-v"], r"Apache/(\S+)"),
        "g++": _version(["g++", "-dumpfullversion"], r"(\S+)"),
        "libc": " ".join(platform.libc_ver()),
    }


def commit() -> str:
    """The pages that hold what was measured may differ: measuring writes them."""
    git = ["git", "-C", str(_HERE)]
    changed = _output([*git, "status", "--porcelain", "--untracked-files=no", "--",
                       ":/", ":(top,exclude)docs/benchmarks"])  # fmt: skip
    return _output([*git, "describe", "--always"]) + ("-dirty" if changed else "")


def processor() -> str:
    found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return found.group(1).strip() if found else platform.machine()


def _memory_gib() -> int:
    return round(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30)


def _cores(cores: tuple[int, int]) -> str:
    server, load = cores
    shared = " (only one core: the figures are not comparable)" if server == load else ""
    return f"server on {server}, load on {load}{shared}"


def _version(command: Sequence[str], pattern: str) -> str:
    found = re.search(pattern, _output(command))
    return found.group(1) if found else "not installed"


def _output(command: Sequence[str]) -> str:
    try:
        done = subprocess.run(
            list(command),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=10,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()
