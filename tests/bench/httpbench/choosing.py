"""Which servers are measured: those that were asked for, and those of --extra NAME=COMMAND."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar

_NAME = re.compile(r"[\w.+-]+")


class Extra(NamedTuple):
    """A server that the command line brings along."""

    name: str
    command: str


class Candidate(Protocol):
    """What has to be known of a server to choose it."""

    @property
    def name(self) -> str: ...

    def missing(self) -> str: ...


AnyServer = TypeVar("AnyServer", bound=Candidate)


def add_option(parser: argparse.ArgumentParser, fields: str) -> None:
    parser.add_argument("--extra", action="append", default=[], type=extra, metavar="NAME=COMMAND",
                        help="another server, or another program for a known one; "
                        f"{fields} filled in")  # fmt: skip


def extra(text: str) -> Extra:
    """The type of the option. Servers run in folders of their own, so ./program is made whole."""
    name, _, command = text.partition("=")
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{error}: {text!r}") from None
    if not _NAME.fullmatch(name) or not words:
        raise argparse.ArgumentTypeError(f"wants NAME=COMMAND, not {text!r}")
    if "/" in words[0]:
        words[0] = str(Path(words[0]).absolute())
    return Extra(name, shlex.join(words))


def choose(
    known: Sequence[AnyServer],
    wanted: Sequence[str],
    brought: Sequence[AnyServer],
    say: Callable[[str], None],
) -> list[AnyServer]:
    """All without wanted names. Whoever is brought along is chosen, in the place of its name."""
    every = {server.name: server for server in (*known, *brought)}
    unknown = set(wanted) - set(every)
    if unknown:
        raise SystemExit(f"no server {', '.join(sorted(unknown))}; there are {', '.join(every)}")
    named = {*(wanted or every), *(server.name for server in brought)}
    chosen = [server for name, server in every.items() if name in named]
    for server in chosen:
        if server.missing():
            say(f"{server.name} is left out: {server.missing()}")
    return chosen


def plan(text: str, extras: Sequence[Extra]) -> str:
    """The plan of a table, as its facts tell it: rows of other servers do not belong into it."""
    names = ", ".join(sorted({one.name for one in extras}))
    return f"{text}, with --extra {names}" if names else text
