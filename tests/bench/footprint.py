#!/usr/bin/env python3
"""Builds ssxrver_ws_echo as small as it gets and prints its size.

MinSizeRel, stripped, the C++ library shared, and everything that is a choice of the build left
out: log lines (SSX_LOG_FLOOR=OFF), vector code (SSX_SIMD=OFF), hardening (SSX_HARDEN=OFF), the
words of assertions (SSX_ASSERT_TEXT=OFF), run-time types, and functions that nobody calls.
Addresses that the loader has to mend are packed (DT_RELR), calls of libraries go through no table
of their own, and the optimiser sees all of it at once. Ends with 1 when it is too large.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

_REPOSITORY = Path(__file__).resolve().parents[2]
_TARGET = "ssxrver_ws_echo"
LIMIT = 120 * 1024
AIM = 77 * 1024
_COMPILE = "-Oz -DNDEBUG -ffunction-sections -fdata-sections -flto=auto -fno-rtti -fno-plt"
_LINK = (
    "-s -flto-partition=one -Wl,--gc-sections"
    " -Wl,-z,pack-relative-relocs -Wl,-z,noseparate-code"
)


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=_REPOSITORY / "build" / "MinSizeRel",
                        help="folder for the build")  # fmt: skip
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--program", type=Path, help="weigh this one, build nothing")
    options = parser.parse_args(argv)
    program = options.program or build(options.build, options.jobs)
    size = program.stat().st_size
    print(describe(size))
    return 0 if size <= LIMIT else 1


def build(folder: Path, jobs: int) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "footprint.log"
    with log.open("wb") as output:
        for command in commands(folder, jobs):
            done = subprocess.run(
                command, cwd=_REPOSITORY, stdout=output, stderr=output, check=False
            )
            if done.returncode != 0:
                raise SystemExit(f"could not build; see {log}")
    return folder / _TARGET


def commands(folder: Path, jobs: int) -> list[list[str]]:
    cmake = str(folder / "cmake")
    settings = {
        "CMAKE_BUILD_TYPE": "MinSizeRel",
        "CMAKE_CXX_FLAGS_MINSIZEREL": _COMPILE,
        "CMAKE_EXE_LINKER_FLAGS_MINSIZEREL": _LINK,
        "SSX_LOG_FLOOR": "OFF",
        "SSX_HARDEN": "OFF",
        "SSX_SIMD": "OFF",
        "SSX_ASSERT_TEXT": "OFF",
    }
    configure = ["cmake", "--preset", "bench", "-B", cmake]
    configure.extend(f"-D{name}={value}" for name, value in settings.items())
    return [configure, ["cmake", "--build", cmake, "--parallel", str(jobs), "--target", _TARGET]]


def describe(size: int) -> str:
    verdict = "met" if size <= LIMIT else "NOT met"
    aim = "reached" if size < AIM else "not reached"
    return (
        f"{_TARGET}: {size:,} bytes ({size / 1024:.1f} KB); "
        f"at most {LIMIT:,}: {verdict}; aim, below {AIM:,}: {aim}"
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
