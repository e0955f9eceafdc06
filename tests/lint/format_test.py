#!/usr/bin/env python3
"""Checks that every C++ file is as clang-format 16 leaves it; with --fix, leaves it so.

usage: format_test.py [--fix] [ROOT]
Exits with 77 (skipped) where clang-format 16 is missing, unless SSX_REQUIRE_PEERS is set.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import source_tree
from source_tree import Finding

MAJOR = "16"
SKIPPED = 77


def find_tool():
    """clang-format of the one version whose output we keep, or None."""
    for name in (f"clang-format-{MAJOR}", "clang-format"):
        tool = shutil.which(name)
        if tool:
            shown = subprocess.run([tool, "--version"], capture_output=True, text=True, check=True)
            if re.search(rf"version {MAJOR}\.", shown.stdout):
                return tool
    return None


def check(root, tool):
    paths = [path for path in source_tree.files(root) if path.endswith((".h", ".cc"))]
    if not paths:
        return []
    command = [tool, "--dry-run", *paths]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    findings = {}
    for match in re.finditer(r"^(.+?):(\d+):\d+: warning: code should be", done.stderr, re.M):
        path, line = match[1], int(match[2])
        findings.setdefault(path, Finding(path, line, "format", "run ./build.sh format"))
    if done.returncode != 0:
        findings[""] = Finding(".clang-format", 1, "format", done.stderr.strip()[:400])
    return list(findings.values())


def fix(root, tool):
    paths = [path for path in source_tree.files(root) if path.endswith((".h", ".cc"))]
    return subprocess.run([tool, "-i", *paths], cwd=root, check=False).returncode


def main():
    words = [word for word in sys.argv[1:] if word != "--fix"]
    root = Path(words[0]) if words else Path(__file__).resolve().parent.parent.parent
    tool = find_tool()
    if tool is None:
        print(f"clang-format {MAJOR} is not installed (Debian package clang-format-{MAJOR})")
        required = os.environ.get("SSX_REQUIRE_PEERS", "") not in ("", "0")
        return 1 if required or "--fix" in sys.argv else SKIPPED
    if "--fix" in sys.argv:
        return fix(root, tool)
    return source_tree.report("format", check(root, tool))


if __name__ == "__main__":
    sys.exit(main())
