"""Autobahn|Testsuite on this machine: fetched once, verified, unpacked, made Python 3.

Everything is kept in one folder below the build folder. What is there is not fetched again, so only
the first run needs a network. Nothing is installed: the packages are unpacked and found by
PYTHONPATH.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "support"))
import peer  # noqa: E402

PACKAGES = HERE / "packages.txt"
# setuptools must come before pip.
_MODULES = ("setuptools", "lib2to3.refactor", "pip", "pkg_resources", "six",
            "twisted.internet.ssl")  # fmt: skip
_DEBIAN = ("python3-lib2to3 python3-pip python3-setuptools python3-six python3-twisted"
           " python3-wsaccel")  # fmt: skip


class Missing(Exception):
    """The suite cannot be had here; the text says what to do."""


class Suite:
    """A converted suite: an interpreter that can run it, and where it stands."""

    def __init__(self, python: str, tree: Path) -> None:
        self._python = python
        self._tree = tree

    def command(self, *arguments: str) -> list[str]:
        """Runs inside/engine.py in the suite's interpreter."""
        return [self._python, "-W", "ignore", str(HERE / "inside" / "engine.py"), *arguments]

    def environment(self) -> dict[str, str]:
        return dict(os.environ, PYTHONPATH=str(self._tree), PYTHONDONTWRITEBYTECODE="")


def prepare(folder: Path) -> Suite:
    """The suite in this folder; made when it is not there, or not from what is in our tree now."""
    python = _interpreter()
    wanted = pinned(PACKAGES.read_text(encoding="utf-8"))
    folder.mkdir(parents=True, exist_ok=True)
    tree = folder / f"tree-{_recipe()}"
    if not tree.exists():
        archives = _archives(folder / "archives", wanted, python)
        _make(tree, archives, python)
    return Suite(python, tree)


def pinned(text: str) -> dict[str, str]:
    """Name of an archive -> its SHA-256."""
    lines = re.findall(r"^(\S+)==(\S+)\s+\\\s+--hash=sha256:([0-9a-f]{64})$", text, re.MULTILINE)
    return {f"{name}-{version}.tar.gz": digest for name, version, digest in lines}


def is_intact(file: Path, digest: str) -> bool:
    return file.is_file() and hashlib.sha256(file.read_bytes()).hexdigest() == digest


def _interpreter() -> str:
    python = peer.python_with(*_MODULES)
    if python is None:
        raise Missing(f"no Python has what the suite needs; on Debian: apt-get install {_DEBIAN}")
    return python


def _recipe() -> str:
    """Changes when the packages or the way they are converted do."""
    files = [PACKAGES, HERE / "inside" / "convert.py"]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]


def _archives(folder: Path, wanted: dict[str, str], python: str) -> list[Path]:
    files = {folder / name: digest for name, digest in wanted.items()}
    if not all(is_intact(*pair) for pair in files.items()):
        shutil.rmtree(folder, ignore_errors=True)
        pip = [python, "-m", "pip", "download", "--quiet", "--disable-pip-version-check",
               "--retries", "2", "--no-deps", "--no-binary", ":all:", "--no-build-isolation",
               "--require-hashes", "--requirement", str(PACKAGES),
               "--dest", str(folder)]  # fmt: skip
        said = subprocess.run(pip, check=False, capture_output=True, text=True)
        if said.returncode != 0:
            raise Missing(f"the packages of {PACKAGES.name} are not in {folder}, and pip cannot"
                          f" fetch them from a network:\n{said.stderr.strip()}")  # fmt: skip
    for file, digest in files.items():
        if not is_intact(file, digest):
            raise Missing(f"{file}: not the archive that {PACKAGES.name} names")
    return list(files)


def _make(tree: Path, archives: list[Path], python: str) -> None:
    """All or nothing: who finds the tree finds it whole."""
    draft = tree.with_name(f"{tree.name}.{os.getpid()}")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir()
    try:
        for archive in archives:
            package = archive.name.split("-")[0]
            with tarfile.open(archive) as content:
                inside = f"{archive.name.removesuffix('.tar.gz')}/{package}/"
                files = filter(tarfile.TarInfo.isfile, content.getmembers())
                members = [file for file in files if file.name.startswith(inside)]
                for member in members:
                    member.name = member.name.split("/", 1)[1]
                content.extractall(draft, members, filter="data")
        convert = [python, "-W", "ignore", str(HERE / "inside" / "convert.py"), str(draft)]
        subprocess.run(convert, check=True)
        for old in tree.parent.glob("tree-*"):
            if old != draft:
                shutil.rmtree(old, ignore_errors=True)
        draft.rename(tree)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
