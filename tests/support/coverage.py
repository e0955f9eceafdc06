#!/usr/bin/env python3
"""Lines and branches that the tests reached, per file of the product.

usage: coverage.py BUILD_FOLDER ROOT

Reads gcov's JSON. An instance of a template or a second compilation adds to the same lines; what
was compiled and never run counts as not reached. Branches that only an exception takes are left
out.
"""

import json
import os
import subprocess
import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

PRODUCT = ("ssxrver/", "http/", "websocket/")


def notes(folder):
    """What gcov says of one compilation: the list of its files."""
    # Without its .gcda beside it (the object never ran), a .gcno gives zeros.
    done = subprocess.run(["gcov", "--json-format", "--branch-probabilities", "--stdout", folder],
                          capture_output=True, text=True, check=False)
    return [entry for text in done.stdout.splitlines() for entry in json.loads(text)["files"]]


class File:
    """Counts by line, and by line and number of the branch."""

    def __init__(self):
        self.lines = defaultdict(int)
        self.branches = defaultdict(int)

    def add(self, line):
        number = line["line_number"]
        self.lines[number] += line["count"]
        for index, branch in enumerate(line["branches"]):
            if not branch["throw"]:
                self.branches[number, index] += branch["count"]

    def missed(self):
        """The lines not reached, as ranges."""
        ranges, reached = [], True
        for number, count in sorted(self.lines.items()):
            if not count and reached:
                ranges.append([number, number])
            elif not count:
                ranges[-1][1] = number
            reached = count > 0
        return " ".join(str(a) if a == b else f"{a}-{b}" for a, b in ranges)


def share(counts):
    total = len(counts)
    reached = sum(1 for count in counts.values() if count)
    return reached, total


def shown(reached, total):
    return f"{100 * reached / total:5.1f} % {reached:5}/{total:<5}" if total else " " * 19


def main():
    build, root = sys.argv[1], os.path.realpath(sys.argv[2])
    files = defaultdict(File)
    objects = sorted(str(path) for path in Path(build).rglob("*.gcno"))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for entries in pool.map(notes, objects):
            for entry in entries:
                path = os.path.relpath(os.path.realpath(entry["file"]), root)
                if path.startswith(PRODUCT):
                    for line in entry["lines"]:
                        files[path].add(line)
    print(f"{'file':<40} {'lines':^19} {'branches':^19}  lines not reached")
    sums = [0, 0, 0, 0]
    for path in sorted(files):
        row = [*share(files[path].lines), *share(files[path].branches)]
        sums = [total + value for total, value in zip(sums, row)]
        print(f"{path:<40} {shown(*row[:2])} {shown(*row[2:])}  {files[path].missed()[:60]}")
    print(f"{'all':<40} {shown(*sums[:2])} {shown(*sums[2:])}")
    return 0 if files else 1


if __name__ == "__main__":
    sys.exit(main())
