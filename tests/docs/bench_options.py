#!/usr/bin/env python3
"""docs/reference/bench.md holds what ssxrver-bench says of its options.

    bench_options.py --bench PROGRAM            whether it does
    bench_options.py --bench PROGRAM --write    makes it so
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

_REPOSITORY = Path(__file__).resolve().parents[2]
_PAGE = _REPOSITORY / "docs" / "reference" / "bench.md"
sys.path.insert(0, str(_REPOSITORY / "tests" / "bench"))
from httpbench import document  # noqa: E402

_COMMANDS = ("http", "ws", "tcp", "udp", "web")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bench", required=True)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    texts = {command: _help(options.bench, command) for command in _COMMANDS}
    if options.write:
        document.fill(_PAGE, "ssxrver-bench", texts)
        return 0
    there = _PAGE.read_text()
    if document.filled(there, "ssxrver-bench", texts) == there:
        return 0
    print(f"{_PAGE} is not what ssxrver-bench says: tests/docs/bench_options.py --write")
    return 1


def _help(bench: str, command: str) -> str:
    said = subprocess.run([bench, command, "--help"], capture_output=True, text=True, check=True)
    return f"```\n{said.stdout.strip()}\n```\n"


if __name__ == "__main__":
    sys.exit(main())
