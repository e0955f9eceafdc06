"""What a test may lack on somebody's machine, and must not lack in CI; peer.h is its sibling."""

import os
import shutil
import subprocess
import sys

SKIPPED = 77


def required():
    return os.environ.get("SSX_REQUIRE_PEERS", "") not in ("", "0")


def need(*names):
    """The path of the first program that is there. Ends the process as skipped where none is,
    and as failed where SSX_REQUIRE_PEERS is set."""
    for name in names:
        path = shutil.which(name)
        if path:
            return path
    missing(names[0])


def missing(name, why=""):
    """Ends the process as skipped, or as failed where SSX_REQUIRE_PEERS is set."""
    print(f"missing: {name} {why}".rstrip())
    sys.exit(1 if required() else SKIPPED)


def skip(why):
    """Ends the process as skipped, whatever is required: no package brings what is missing."""
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def python_with(*modules):
    """An interpreter that has these modules, or None."""
    # Debian's modules belong to Debian's interpreter, which need not be the first one in PATH.
    for python in ("/usr/bin/python3", sys.executable):
        if os.access(python, os.X_OK):
            command = [python, "-W", "ignore", "-c", f"import {', '.join(modules)}"]
            if subprocess.run(command, check=False, stderr=subprocess.DEVNULL).returncode == 0:
                return python
    return None
