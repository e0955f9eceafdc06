"""A case: bytes, a rule, and what the rule accepts."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from .checks import Check
from .talk import Await, Finish, Pause, Step

HOST = "Host: main.test"
FILE = b"0123456789" * 10  # what /file.txt holds
NEXT = b"GET /next.txt HTTP/1.1\r\nHost: main.test\r\n\r\n"
NEXT_BODY = b"next\n"
LAST_MODIFIED = "Tue, 02 Jan 2024 03:04:05 GMT"  # of every file
ETAG = "<<ETAG>>"  # stands for the entity tag of /file.txt, which each server makes up


class Level(enum.Enum):
    MUST = "MUST"
    SHOULD = "SHOULD"
    MAY = "MAY"


MUST, SHOULD, MAY = Level.MUST, Level.SHOULD, Level.MAY


@dataclass(frozen=True)
class Case:
    id: str
    topic: str
    level: Level
    section: str  # "9112 2.2"
    quote: str  # the sentence, or its end, that makes it a rule
    steps: tuple[Step, ...]
    expect: Check
    methods: tuple[str, ...]
    probed: bool = True

    @property
    def needs_etag(self) -> bool:
        return any(isinstance(step, bytes) and ETAG.encode() in step for step in self.steps)


class Topic:
    """Collects the cases of one file; its call is one case."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.cases: list[Case] = []

    def __call__(
        self,
        name: str,
        level: Level,
        section: str,
        quote: str,
        send: Step | tuple[Step, ...],
        expect: Check,
        *,
        methods: tuple[str, ...] = (),
        probed: bool = True,
    ) -> None:
        steps = send if isinstance(send, tuple) else (send,)
        if not methods:
            methods = (
                ("HEAD",) if isinstance(steps[0], bytes) and steps[0][:5] == b"HEAD " else ("GET",)
            )
        case = Case(f"{self.name}/{name}", self.name, level, section, quote, steps, expect,
                    methods, probed)  # fmt: skip
        assert all(case.id != other.id for other in self.cases), case.id
        self.cases.append(case)


def lines(*texts: str, body: str | bytes = b"") -> bytes:
    """A message of these lines, each ended by CRLF, then the empty line and the body."""
    head = "".join(text + "\r\n" for text in texts) + "\r\n"
    return head.encode("latin-1") + (body.encode("latin-1") if isinstance(body, str) else body)


def get(*fields: str, target: str = "/file.txt", method: str = "GET") -> bytes:
    """A good request with these further fields."""
    return lines(f"{method} {target} HTTP/1.1", HOST, *fields)


def post(*fields: str, body: str | bytes = b"", target: str = "/echo") -> bytes:
    """A POST whose framing is what the fields say, and nothing else."""
    return lines(f"POST {target} HTTP/1.1", HOST, *fields, body=body)


def chunked(body: str | bytes, *fields: str) -> bytes:
    """A POST with this as its chunked body, byte for byte."""
    return post("Transfer-Encoding: chunked", *fields, body=body)


def byte_by_byte(data: bytes, seconds: float = 0.002) -> tuple[Step, ...]:
    """The same bytes, each in a segment of its own."""
    steps: list[Step] = []
    for value in data:
        steps += [bytes([value]), Pause(seconds)]
    return tuple(steps)


__all__ = [
    "Await", "Case", "ETAG", "FILE", "Finish", "HOST", "LAST_MODIFIED", "Level", "MAY", "MUST",
    "NEXT", "NEXT_BODY", "Pause", "SHOULD", "Step", "Topic", "byte_by_byte", "chunked", "get",
    "lines", "post",
]  # fmt: skip
