#!/usr/bin/env python3
"""Asks the questions that the author of the 2021 program left open. See README.md of tests/bench.

ask.py                 all of them
ask.py parser log      some
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

_HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(_HERE.parent))

from httpbench import client, document, environment, load, netns, parse, proc  # noqa: E402
from httpbench.starting import ServerError  # noqa: E402

from asking import accept, markdown, memory, programs, trigger  # noqa: E402
from asking.model import Answer, Ask, AskError, Grid, Plan  # noqa: E402

_REPOSITORY = _HERE.parents[2]
_FILES_WANTED = 20_000
QUESTIONS: dict[str, Ask] = {
    "buffers": programs.buffers,
    "log": programs.log,
    "memory": memory.ask,
    "string": programs.strings,
    "parser": programs.parser,
    "trigger": trigger.ask,
    "accept": accept.ask,
    "coroutine": programs.coroutine,
}
_TROUBLE = (AskError, OSError, ServerError, client.HttpError, load.LoadError, parse.ParseError,
            subprocess.TimeoutExpired)  # fmt: skip


def main(argv: Sequence[str]) -> int:
    """1: a question could not be answered; the others are."""
    options = _parse(argv)
    if options.replay:
        answers = [Answer.from_json(one) for one in json.loads(options.replay.read_text())]
        answers = [one for one in answers if one.key in ("facts", *options.questions)]
    else:
        answers = _measure(options)
    for answer in answers:
        print(f"{answer.key}\n\n{markdown.as_markdown(answer)}")
    if options.json:
        saved = [answer.to_json() for answer in answers]
        options.json.write_text(json.dumps(saved, indent=1) + "\n")
    if options.page:
        texts = {answer.key: markdown.as_markdown(answer) for answer in answers}
        document.fill(options.page, "ask.py", texts)
    missing = set(options.questions) - {answer.key for answer in answers}
    return 1 if missing else 0


def _parse(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("questions", nargs="*", metavar="QUESTION", help=", ".join(QUESTIONS))
    parser.add_argument("--programs", type=Path, default=_REPOSITORY / "build" / "Bench")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=1, help="of one round under load")
    parser.add_argument("--replay", type=Path, metavar="FILE",
                        help="print a saved --json, measure nothing")  # fmt: skip
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--page", type=Path, metavar="FILE",
                        help="a document with places for the tables, which are filled")  # fmt: skip
    options = parser.parse_args(argv)
    unknown = set(options.questions) - set(QUESTIONS)
    if unknown:
        parser.error(f"no question {', '.join(sorted(unknown))}; there are {', '.join(QUESTIONS)}")
    if options.rounds < 1 or options.seconds <= 0:
        parser.error("--rounds from 1, --seconds above 0")
    options.questions = options.questions or list(QUESTIONS)
    return options


def _measure(options: argparse.Namespace) -> list[Answer]:
    proc.exit_on_term()
    network = netns.enter()
    proc.raise_file_limit(_FILES_WANTED)
    cores = proc.cores()
    plan = Plan(options.programs.resolve(), _REPOSITORY, options.rounds, options.seconds, *cores,
                _progress)  # fmt: skip
    text = f"medians of {plan.rounds} rounds"
    answers = [_facts(environment.facts(network, cores, text), text)]
    for key in options.questions:
        try:
            answers.append(QUESTIONS[key](plan))
        except _TROUBLE as error:
            _progress(f"{key}: {error}")
    return answers


def _facts(known: dict[str, str], rounds: str) -> Answer:
    return Answer("facts", (Grid(("measured", rounds), tuple(known.items())),))


def _progress(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
