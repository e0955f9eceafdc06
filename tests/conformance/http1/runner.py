"""Aims cases at a server, many at once, and keeps what each of them found."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from .case import ETAG, Case
from .servers import Server
from .talk import Conversation, Patience, Talk

PATIENT = Patience()
HASTY = Patience(answer=1.5, more=0.3, end=1.0)  # for a server that may well hang

_THREADS = 24


@dataclass(frozen=True)
class Result:
    case: Case
    why: str  # "" when the case passed
    seconds: float

    @property
    def passed(self) -> bool:
        return not self.why


def run(server: Server, cases: Sequence[Case], patience: Patience = PATIENT) -> list[Result]:
    etag = _etag_of(server, patience)
    with ThreadPoolExecutor(_THREADS) as pool:
        return list(pool.map(lambda case: run_one(server, case, etag, patience), cases))


def run_one(server: Server, case: Case, etag: str | None, patience: Patience) -> Result:
    if case.needs_etag and etag is None:
        return Result(case, "the file has no ETag", 0.0)
    try:
        talk = converse(server, _filled(case, etag or ""), patience)
    except OSError as error:
        return Result(case, f"no connection: {error}", 0.0)
    return Result(case, talk.fault or case.expect.test(talk), talk.seconds)


def converse(server: Server, case: Case, patience: Patience) -> Talk:
    conversation = Conversation(server.address, case.methods)
    return conversation.run(case.steps, case.expect.wanted, case.probed, patience)


def _filled(case: Case, etag: str) -> Case:
    marker, value = ETAG.encode(), etag.encode()
    steps = (s.replace(marker, value) if isinstance(s, bytes) else s for s in case.steps)
    return replace(case, steps=tuple(steps))


def _etag_of(server: Server, patience: Patience) -> str | None:
    """The strong entity tag of /file.txt."""
    request = b"GET /file.txt HTTP/1.1\r\nHost: main.test\r\n\r\n"
    talk = Conversation(server.address, ("GET",)).run((request,), 1, False, patience)
    etag = talk.answers[0].get("ETag") if talk.answers else None
    return etag if etag and etag.startswith('"') else None
