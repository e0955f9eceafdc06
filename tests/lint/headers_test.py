#!/usr/bin/env python3
"""Checks that every header compiles alone.

usage: headers_test.py [ROOT [COMPILER [FLAG...]]]

A header that some file includes first is proved by compiling that file, which every build does
(`own-header-first` of tidy_test.py). The others are compiled here: `./build.sh headers` does it
for all of them.
"""

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import source_tree
from source_tree import Finding

_FIRST_INCLUDE = re.compile(r'^#include ["<]([^">]+)[">]', re.MULTILINE)
_FLAGS = ["-std=c++20", "-Wall", "-Wextra", "-DFMT_HEADER_ONLY=1"]


def unproved(root):
    """The headers of our layers that no file includes first."""
    headers, first = [], set()
    for path in source_tree.files(root):
        if path.endswith(".h") and path.startswith(source_tree.LAYER_ROOTS):
            headers.append(path)
        elif path.endswith((".cc", ".rl")):
            found = _FIRST_INCLUDE.search((Path(root) / path).read_text())
            if found:
                first.add(found[1])
    return [path for path in headers if path not in first]


def check(root, compiler, flags):
    def compile_alone(path):
        command = [compiler, *_FLAGS, *flags, "-fsyntax-only", "-I", str(root), "-x", "c++", "-"]
        done = subprocess.run(command, input=f'#include "{path}"\n', capture_output=True, text=True,
                              check=False)
        if done.returncode == 0:
            return None
        told = next((line for line in done.stderr.splitlines() if "error" in line), "?")
        return Finding(path, 1, "alone", told)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return [found for found in pool.map(compile_alone, unproved(root)) if found]


def main(argv):
    root = Path(argv[1] if len(argv) > 1 else Path(__file__).parents[2])
    compiler = argv[2] if len(argv) > 2 else os.environ.get("CXX", "c++")
    return source_tree.report("headers", check(root, compiler, argv[3:]))


if __name__ == "__main__":
    sys.exit(main(sys.argv))
