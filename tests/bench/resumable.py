#!/usr/bin/env python3
"""Whether what was saved may stand beside what is measured now: it has to be of this machine, of
this commit and with the same --extra. httpbench/saved.py asks the same of a table that is saved row
by row, and that of its whole plan.

Files that are not there are yet to be measured. Ends with 1, and says why, where one does not fit.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from httpbench import choosing, environment


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    choosing.add_option(parser, "nothing is")
    options = parser.parse_args(argv)
    now = environment.facts("", (0, 1), choosing.plan("", options.extra))
    found = [said for file in options.files if file.exists() for said in _differences(file, now)]
    for said in found:
        print(said, file=sys.stderr)
    return 1 if found else 0


def _differences(file: Path, now: Mapping[str, str]) -> Iterator[str]:
    try:
        then = _facts(json.loads(file.read_text()))
    except (ValueError, KeyError, TypeError, IndexError, AttributeError):
        yield f"{file}: not what a table has saved, or not whole"
        return
    machine, commit = (then.get(fact, "unknown") for fact in ("machine", "commit"))
    # micro/compare.py leaves the kernel's last numbers away.
    if not f"{now['machine']}.".startswith(f"{machine}."):
        yield f"{file}: machine was {machine}, now it is {now['machine']}"
    if commit != now["commit"]:
        yield f"{file}: commit was {commit}, now it is {now['commit']}"
    plan = then.get("plan", "")
    if not plan.endswith(now["plan"]) or bool(now["plan"]) != ("--extra" in plan):
        yield f"{file}: plan was {plan}, now it is one{now['plan'] or ' without --extra'}"


def _facts(content: Any) -> Mapping[str, str]:
    if isinstance(content, list):  # of questions/ask.py; the first answer is a table of them
        return {name: value for name, value in content[0]["parts"][0]["lines"]}
    facts: Mapping[str, str] = content.get("environment") or content["facts"]
    return {name: str(value) for name, value in facts.items()}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
