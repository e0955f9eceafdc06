"""What every lint reads: the files of the tree, and C++ text without comments and literals."""

import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

CODE_SUFFIXES = (".h", ".cc", ".rl")
LAYER_ROOTS = ("ssxrver", "http", "websocket")


@dataclass(frozen=True)
class Finding:
    """One broken rule at one place; prints as a line that editors can jump to."""

    path: str
    line: int
    rule: str
    text: str

    def __str__(self):
        return f"{self.path}:{self.line}: [{self.rule}] {self.text}"


def files(root):
    """Paths below root, relative, sorted; build trees and hidden folders are left out."""
    found = []
    for folder, folders, names in os.walk(root):
        if "CMakeCache.txt" in names:
            folders[:] = []
            continue
        folders[:] = sorted(
            name
            for name in folders
            if (not name.startswith(".") or name == ".ci")
            and name != "__pycache__"
            and not (folder == str(root) and re.match(r"build($|[-_])", name))
        )
        found += [os.path.relpath(os.path.join(folder, name), root) for name in names]
    return sorted(found)


def read(root, path):
    return (Path(root) / path).read_text(encoding="utf-8", errors="replace")


def is_code(path):
    return path.endswith(CODE_SUFFIXES)


def is_product(path):
    return path.split("/")[0] in LAYER_ROOTS


_TOKENS = re.compile(
    r"""
    (?P<comment>//[^\n]*|/\*.*?\*/)
  | (?P<raw>R"(?P<mark>[^\s()\\]{0,16})\(.*?\)(?P=mark)")
  | (?P<string>"(?:\\.|[^"\\\n])*")
  | (?P<char>(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+')
    """,
    re.VERBOSE | re.DOTALL,
)


def _blank(text):
    return re.sub(r"[^\n]", " ", text)


def strip(text, keep_strings=False):
    """Blanks comments and literals; every character keeps its line and column."""

    def replace(match):
        if match.group("comment"):
            return _blank(match.group())
        if keep_strings:
            return match.group()
        whole = match.group()
        return whole[0] + _blank(whole[1:-1]) + whole[-1]

    return _TOKENS.sub(replace, text)


def strip_ragel(text):
    """Blanks the machines of a .rl file: %%{ ... }%% and single %% lines."""
    text = re.sub(r"%%\{.*?\}%%", lambda m: _blank(m.group()), text, flags=re.DOTALL)
    return re.sub(r"^\s*%%[^\n]*", lambda m: _blank(m.group()), text, flags=re.MULTILINE)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def report(name, findings):
    """Prints the findings and returns the exit code of a lint program."""
    for finding in findings:
        print(finding)
    print(f"{name}: {len(findings)} finding(s)", file=sys.stderr)
    return 1 if findings else 0
