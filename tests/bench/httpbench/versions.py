"""Which version of a server or of a load was measured."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Collection, Sequence
from pathlib import Path

from . import peers
from .model import APACHE, BEAST, BUN, DROGON, H2O, LIGHTTPD, NGINX, UWEBSOCKETS

_UNKNOWN = "unknown"
_COMMANDS: dict[str, tuple[Sequence[str], str]] = {
    NGINX: (["/usr/sbin/nginx", "-v"], r"nginx/(\S+)"),
    H2O: (["h2o", "-v"], r"h2o version (\S+)"),
    LIGHTTPD: (["/usr/sbin/lighttpd", "-v"], r"lighttpd/(\S+)"),
    APACHE: (["/usr/sbin/apache2", "-v"], r"Apache/(\S+)"),
    "wrk": (["wrk", "-v"], r"wrk (\S+)"),
    "webbench": (["webbench", "-V"], r"(\S+)"),
    "valgrind": (["valgrind", "--version"], r"valgrind-(\S+)"),
    "g++": (["g++", "-dumpfullversion"], r"(\S+)"),
}
_HEADERS = {
    BEAST: ("/usr/include/boost/version.hpp", r'BOOST_LIB_VERSION "(\S+)"'),
    "websocketpp": ("/usr/include/websocketpp/version.hpp", r"_version = (\d+)"),
}
_GO = ("gorilla", "gws", "quickws")
# What a user brings: where the build of the programs was told to find it.
_SOURCES = {UWEBSOCKETS: "SSX_UWEBSOCKETS_INCLUDE", DROGON: "Drogon_DIR"}


def of(names: Sequence[str], programs: Path, brought: Collection[str] = ()) -> dict[str, str]:
    """By name, where there is one to tell: the floor and ours are the commit's, and of the programs
    that the user has brought along under these names we know nothing."""
    found = {name: _version(name, programs) for name in names if name not in brought}
    return {name: version for name, version in found.items() if version}


def _version(name: str, programs: Path) -> str:
    if name in _COMMANDS:
        command, pattern = _COMMANDS[name]
        return _first(pattern, output(command)) or "not installed"
    if name in _HEADERS:
        return _in_header(*_HEADERS[name])
    if name in _GO:
        return _of_go(name, programs)
    if name == BUN:
        return output([peers.bun(programs), "--version"]) or "not installed"
    if name in _SOURCES:
        return _of_sources(_SOURCES[name], programs)
    return ""


def _in_header(file: str, pattern: str) -> str:
    try:
        parts = re.findall(pattern, Path(file).read_text())
    except OSError:
        return "not installed"
    return ".".join(parts).replace("_", ".")


def _of_go(name: str, programs: Path) -> str:
    """What was built, which may be older than what is required now."""
    required = (peers.PEERS / "go" / name / "go.mod").read_text()
    module = _first(r"^require (\S+) v", required)
    built = output(["go", "version", "-m", str(programs / f"ws_{name}")])
    return _first(rf"^\s+dep\s+{re.escape(module)}\s+v(\S+)", built) or _UNKNOWN


def _of_sources(variable: str, programs: Path) -> str:
    """A package says its version; a clone, its tag or commit."""
    try:
        cache = (programs / "cmake" / "CMakeCache.txt").read_text()
    except OSError:
        return _UNKNOWN
    folder = Path(_first(rf"^{variable}:\w+=(/\S+)$", cache))
    if not folder.is_absolute():
        return "not installed"
    for file in folder.glob("*ConfigVersion.cmake"):
        return _first(r'PACKAGE_VERSION "(\S+)"', file.read_text()) or _UNKNOWN
    described = output(["git", "-C", str(folder), "describe", "--tags", "--always"])
    return _first(r"^(\S+)$", described) or _UNKNOWN


def _first(pattern: str, text: str) -> str:
    found = re.search(pattern, text, re.MULTILINE)
    return found.group(1) if found else ""


def output(command: Sequence[str]) -> str:
    """What it prints, stripped; nothing when it is not there."""
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
