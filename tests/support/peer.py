"""What a test may lack on somebody's machine, and must not lack in CI; peer.h is its sibling."""

import os
import shutil
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
    print(f"missing: {names[0]}" + (", and SSX_REQUIRE_PEERS is set" if required() else ""))
    sys.exit(1 if required() else SKIPPED)
