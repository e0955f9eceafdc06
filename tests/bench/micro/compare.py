#!/usr/bin/env python3
"""Runs every micro-benchmark and says what has moved since the stored baseline.

Ends with 1 when something has become slower, with 2 when nothing could be compared.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path

_HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(_HERE.parent))

from httpbench import document  # noqa: E402
from microbench import model, programs, report, verdict  # noqa: E402

_REPOSITORY = _HERE.parents[2]


def main(argv: Sequence[str]) -> int:
    options = _parse(argv)
    try:
        return _save(options) if options.save else _compare(options)
    except model.RunError as error:
        print(f"compare.py: {error}", file=sys.stderr)
        return 2


def _parse(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--save", action="store_true", help="make this run the baseline")
    parser.add_argument("--filter", default="", metavar="REGEX", help="these benchmarks only")
    parser.add_argument("--only", action="append", default=[], metavar="PROGRAM",
                        help="this program only (parser); may be repeated")  # fmt: skip
    parser.add_argument("--tolerance", type=_positive, default=10.0, metavar="PERCENT",
                        help="what moves by less is the same (%(default)g)")  # fmt: skip
    parser.add_argument("--rounds", type=_count, default=3, metavar="N",
                        help="starts of each program (%(default)d)")  # fmt: skip
    parser.add_argument("--repetitions", type=_count, default=3, metavar="N",
                        help="of each benchmark in each round (%(default)d)")  # fmt: skip
    parser.add_argument("--seconds", type=_positive, default=0.04,
                        help="of each benchmark in each repetition (%(default)g)")  # fmt: skip
    parser.add_argument("--baseline", type=Path, default=_HERE / "baseline.json", metavar="FILE")
    parser.add_argument("--programs", type=Path, metavar="FOLDER",
                        default=_REPOSITORY / "build" / "Bench" / "micro")  # fmt: skip
    parser.add_argument("--replay", type=Path, metavar="FILE",
                        help="compare a saved run, measure nothing")  # fmt: skip
    parser.add_argument("--json", type=Path, metavar="FILE", help="save this run elsewhere")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="the figures of this run")
    parser.add_argument("--page", type=Path, metavar="FILE",
                        help="a document with a place for the figures, to be filled")  # fmt: skip
    options = parser.parse_args(argv)
    if options.save and (options.filter or options.only or options.replay):
        parser.error("--save is for everything: not with --filter, --only or --replay")
    try:
        re.compile(options.filter)
    except re.error as error:
        parser.error(f"--filter: {error}")
    return options


def _count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return value


def _positive(text: str) -> float:
    value = float(text)
    if not value > 0:
        raise argparse.ArgumentTypeError("must be above 0")
    return value


def _write(options: argparse.Namespace, run: model.Run) -> None:
    text = report.as_markdown(run)
    if options.markdown:
        options.markdown.write_text(text)
    if options.page:
        document.fill(options.page, "compare.py", {"figures": text})


def _save(options: argparse.Namespace) -> int:
    run = _measure(options)
    _write(options, run)
    options.baseline.write_text(run.to_json())
    _progress(f"{options.baseline} is the baseline now")
    return 0


def _compare(options: argparse.Namespace) -> int:
    before = model.load(options.baseline)  # before two minutes are spent
    now = model.load(options.replay) if options.replay else _measure(options)
    _write(options, now)
    only = {programs.program_name(name) for name in options.only}
    lines = [
        line
        for line in verdict.compare(before, now, options.tolerance / 100)
        if (not only or line.program in only) and re.search(options.filter, line.name)
    ]
    print(report.as_text(before, now, lines), end="")
    return 1 if verdict.is_worse(lines) else 0


def _measure(options: argparse.Namespace) -> model.Run:
    chosen = programs.find(options.programs, options.only)
    plan = programs.Plan(options.rounds, options.repetitions, options.seconds, options.filter)
    run = programs.measure(chosen, plan, _progress)
    if options.json:
        options.json.write_text(run.to_json())
    return run


def _progress(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
