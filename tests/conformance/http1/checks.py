"""What a case accepts: statements about a Talk, joined by & and |, that can say what they are.

`status(400) & closed | status(200) & kept` reads as it behaves. A check returns "" when it holds,
and otherwise what is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from .talk import Talk
from .wire import Answer


@dataclass(frozen=True)
class Check:
    text: str
    test: Callable[[Talk], str]
    wanted: int = 1  # final answers that it hopes for

    def __and__(self, other: Check) -> Check:
        def both(talk: Talk) -> str:
            return self.test(talk) or other.test(talk)

        text = f"{_grouped(self.text)} and {_grouped(other.text)}"
        return Check(text, both, max(self.wanted, other.wanted))

    def __or__(self, other: Check) -> Check:
        def either(talk: Talk) -> str:
            first = self.test(talk)
            second = other.test(talk) if first else ""
            return f"{first}; {second}" if first and second else ""

        return Check(f"{self.text} or {other.text}", either, max(self.wanted, other.wanted))


def _grouped(text: str) -> str:
    return f"({text})" if " or " in text else text


def _shown(talk: Talk) -> str:
    got = ", ".join(str(answer.status) for answer in talk.answers) or "no answer"
    end = "kept" if talk.kept else "closed" if talk.ended else "left open"
    return f"got {got}, {end}"


def _about_last(text: str, test: Callable[[Answer], bool | str]) -> Check:
    """About the last answer: the only one, or the one behind the preparations."""

    def checked(talk: Talk) -> str:
        if not talk.answers:
            return f"{text}: {_shown(talk)}"
        found = test(talk.answers[-1])
        if isinstance(found, str):
            return f"{text}: {found}" if found else ""
        return "" if found else f"{text}: not so"

    return Check(text, checked)


# ---- status codes

Code = int | str  # 400, or a class such as "4xx"


def _is(code: Code, status: int) -> bool:
    return status == code if isinstance(code, int) else str(status)[0] == code[0]


def status(*codes: Code) -> Check:
    """Exactly one final answer, with one of these codes."""
    text = " or ".join(str(code) for code in codes)

    def test(talk: Talk) -> str:
        alone = len(talk.answers) == 1
        good = alone and any(_is(code, talk.answers[0].status) for code in codes)
        return "" if good else f"one answer, {text}: {_shown(talk)}"

    return Check(f"one answer: {text}" if len(codes) == 1 else f"one answer of {text}", test)


def statuses(*codes: Code) -> Check:
    """Exactly these final answers, in this order."""
    text = "answers " + ", ".join(str(code) for code in codes)

    def test(talk: Talk) -> str:
        got = [answer.status for answer in talk.answers]
        same = len(got) == len(codes) and all(map(_is, codes, got))
        return "" if same else f"{text}: {_shown(talk)}"

    return Check(text, test, len(codes))


def first(*codes: Code) -> Check:
    """The first answer has one of these codes, whatever follows."""
    text = "first answer " + " or ".join(str(code) for code in codes)

    def test(talk: Talk) -> str:
        good = talk.answers and any(_is(code, talk.answers[0].status) for code in codes)
        return "" if good else f"{text}: {_shown(talk)}"

    return Check(text, test)


# ---- the connection


def _state(text: str, test: Callable[[Talk], bool]) -> Check:
    return Check(text, lambda talk: "" if test(talk) else f"{text}: {_shown(talk)}")


kept = _state("connection kept", lambda talk: talk.kept)
closed = _state("connection closed", lambda talk: talk.ended)
silence = _state("closed without an answer", lambda talk: talk.ended and not talk.answers)
continued = _state(
    "100 before the final answer",
    lambda talk: bool(talk.answers) and [a.status for a in talk.answers[0].interim] == [100],
)
no_interim = _state(
    "no 1xx", lambda talk: not talk.interim and not any(a.interim for a in talk.answers)
)
early = _state("a head before the body was sent", lambda talk: talk.early)


# ---- facts about the last answer


def body(content: bytes) -> Check:
    def test(answer: Answer) -> str:
        return "" if answer.body == content else f"{len(answer.body)} bytes, {answer.body[:40]!r}"

    return _about_last(f"body of {_brief(content)}", test)


def _brief(content: bytes) -> str:
    return repr(content)[1:] if len(content) <= 24 else f"{len(content)} bytes"


def bodies(*contents: bytes) -> Check:
    """Exactly these bodies, in this order."""

    def test(talk: Talk) -> str:
        got = [answer.body for answer in talk.answers]
        return "" if got == list(contents) else f"bodies in order: {[b[:20] for b in got]}"

    return Check("these bodies in order", test, len(contents))


def echoed(content: bytes) -> Check:
    return status(200) & body(content)


def field(name: str, pattern: str = r".+") -> Check:
    """The field is there and its combined value matches."""
    text = name if pattern == r".+" else f"{name} like {pattern}"

    def test(answer: Answer) -> str:
        value = answer.get(name)
        good = value is not None and re.fullmatch(pattern, value, re.IGNORECASE)
        return "" if good else f"it is {value!r}"

    return _about_last(text, test)


def no_field(name: str) -> Check:
    return _about_last(f"no {name}", lambda answer: answer.get(name) is None)


def member(name: str, wanted: str) -> Check:
    return _about_last(f"{wanted} in {name}", lambda answer: wanted.lower() in answer.members(name))


def fact(text: str, test: Callable[[Answer], bool | str]) -> Check:
    """Something about the last answer that needs code; a string says what is wrong."""
    return _about_last(text, test)


def of_all(text: str, test: Callable[[Talk], str], wanted: int) -> Check:
    """Something about all answers together."""
    return Check(text, test, wanted)


no_body = _about_last("no body", lambda answer: answer.body == b"")
same_as_get = of_all(
    "the fields of GET",
    lambda talk: _compare(talk.answers[0], talk.answers[1]) if len(talk.answers) > 1 else "one",
    2,
)
_OF_THE_MOMENT = ("date", "connection", "keep-alive", "transfer-encoding", "content-length", "age")


def _compare(get: Answer, head: Answer) -> str:
    """RFC 9110 9.3.2: fields whose value needs the content may be missing in the second."""

    def of(answer: Answer) -> set[tuple[str, str]]:
        found = {(key.lower(), value) for key, value in answer.fields}
        return {pair for pair in found if pair[0] not in _OF_THE_MOMENT}

    differing = of(get) ^ of(head)
    return f"GET and HEAD differ in {sorted(differing)}" if differing else ""
