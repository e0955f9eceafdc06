"""Reads the responses of a server, strictly: what RFC 9112 forbids a sender is a Fault."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_STATUS_LINE = re.compile(rb"(HTTP/\d\.\d) (\d{3}) [\t\x20-\x7e\x80-\xff]*")
_FIELD_LINE = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*", re.DOTALL)
_FIELD_VALUE = re.compile(rb"[\t\x20-\x7e\x80-\xff]*")
_CHUNK_LINE = re.compile(rb"([0-9A-Fa-f]+)[\t ]*(;[\t\x20-\x7e\x80-\xff]*)?")
_HEAD_MAX = 65536


class Fault(Exception):
    """The bytes are not a response, or not one that has a single reading."""


@dataclass
class Answer:
    """One final response, and the 1xx responses that came before it."""

    version: str
    status: int
    fields: list[tuple[str, str]]
    interim: list[Answer] = field(default_factory=list)
    body: bytes = b""
    framing: str = "none"  # how the end of the body was told: none, length, chunked or close
    complete: bool = False

    def all(self, name: str) -> list[str]:
        """The values of every field line with this name."""
        return [value for key, value in self.fields if key.lower() == name.lower()]

    def get(self, name: str) -> str | None:
        """The combined value of a field; None when it is not there (RFC 9110 5.2)."""
        values = self.all(name)
        return ", ".join(values) if values else None

    def members(self, name: str) -> list[str]:
        """The members of a list field whose members hold no comma, in lower case."""
        found = (part.strip().lower() for part in (self.get(name) or "").split(","))
        return [part for part in found if part]


class Reader:
    """Bytes in, answers out. `methods`: those of the requests, in order; the last one repeats."""

    def __init__(self, methods: tuple[str, ...] = ("GET",)) -> None:
        self.answers: list[Answer] = []
        self.interim: list[Answer] = []
        self._methods = methods
        self._buffer = b""
        self._current: Answer | None = None
        self._ended = False
        self._switched = False  # to another protocol: what follows is none of ours

    @property
    def is_between(self) -> bool:
        """True when every byte so far belongs to a complete response."""
        return not self._buffer and self._current is None and not self.interim

    def expect_methods(self, methods: tuple[str, ...]) -> None:
        """From now on; those of answers that came already are history."""
        self._methods = self._methods[: len(self.answers)] + methods

    def feed(self, data: bytes) -> None:
        self._buffer = b"" if self._switched else self._buffer + data
        while self._step():
            pass

    def end(self) -> None:
        """No byte will follow."""
        self._ended = True
        while self._step():
            pass
        if self._current is not None and self._current.framing == "close":
            self._finish(self._buffer)
            self._buffer = b""
        elif self._current is not None:
            raise Fault("the connection ended inside a body")
        elif self._buffer:
            raise Fault(f"the connection ended inside a head: {self._buffer[:60]!r}")

    def _step(self) -> bool:
        if self._current is None:
            return self._read_head()
        if self._current.framing == "length":
            return self._read_length()
        if self._current.framing == "chunked":
            return self._read_chunked()
        return False

    # ---- heads

    def _read_head(self) -> bool:
        if self._switched:
            self._buffer = b""
        if not self._buffer:
            return False
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            wanted = b"HTTP/"
            if not self._buffer.startswith(wanted[: len(self._buffer)]):
                raise Fault(f"not a status line: {self._buffer[:60]!r}")
            if b"\n\n" in self._buffer or len(self._buffer) > _HEAD_MAX:
                raise Fault(f"a head that does not end with an empty line: {self._buffer[:60]!r}")
            return False
        lines = self._buffer[:end].split(b"\r\n")
        self._buffer = self._buffer[end + 4 :]
        answer = _parse_head(lines)
        if answer.status < 200 and answer.status != 101:
            if answer.get("Content-Length") or answer.get("Transfer-Encoding"):
                raise Fault(f"a {answer.status} response with Content-Length or Transfer-Encoding")
            self.interim.append(answer)
            return True
        answer.interim, self.interim = self.interim, []
        answer.framing = self._framing_of(answer)
        self._current = answer
        if answer.framing == "none":
            self._finish(b"")
        self._switched = answer.status == 101
        return True

    def _framing_of(self, answer: Answer) -> str:
        """RFC 9112 6.3."""
        method = self._methods[min(len(self.answers), len(self._methods) - 1)]
        codings, lengths = answer.members("Transfer-Encoding"), answer.all("Content-Length")
        if codings and lengths:
            raise Fault("a response with both Transfer-Encoding and Content-Length")
        if lengths and (len(set(lengths)) > 1 or not re.fullmatch("[0-9]+", lengths[0])):
            raise Fault(f"Content-Length: {lengths}")
        if codings and codings != ["chunked"]:
            raise Fault(f"Transfer-Encoding: {codings}, which nobody asked for")
        if answer.status == 204 and (codings or lengths):
            raise Fault("a 204 response with Content-Length or Transfer-Encoding")
        if method == "HEAD" or answer.status in (101, 204, 304):
            return "none"
        return "chunked" if codings else "length" if lengths else "close"

    # ---- bodies

    def _finish(self, body: bytes) -> None:
        assert self._current is not None
        self._current.body += body
        self._current.complete = True
        self.answers.append(self._current)
        self._current = None

    def _read_length(self) -> bool:
        assert self._current is not None
        size = int(self._current.all("Content-Length")[0])
        if len(self._buffer) < size:
            return False
        body, self._buffer = self._buffer[:size], self._buffer[size:]
        self._finish(body)
        return True

    def _read_chunked(self) -> bool:
        assert self._current is not None
        end = self._buffer.find(b"\r\n")
        if end < 0:
            return False
        match = _CHUNK_LINE.fullmatch(self._buffer[:end])
        if match is None:
            raise Fault(f"not a chunk line: {self._buffer[:end][:60]!r}")
        size = int(match[1], 16)
        if size == 0:
            return self._read_trailers(end + 2)
        if len(self._buffer) < end + 2 + size + 2:
            return False
        data = self._buffer[end + 2 : end + 2 + size]
        if self._buffer[end + 2 + size : end + 4 + size] != b"\r\n":
            raise Fault("chunk data that no CRLF follows")
        self._buffer = self._buffer[end + 4 + size :]
        self._current.body += data
        return True

    def _read_trailers(self, begin: int) -> bool:
        if self._buffer[begin : begin + 2] == b"\r\n":
            self._buffer = self._buffer[begin + 2 :]
            self._finish(b"")
            return True
        end = self._buffer.find(b"\r\n\r\n", begin)
        if end < 0:
            return False
        for line in self._buffer[begin:end].split(b"\r\n"):
            _parse_field(line)
        self._buffer = self._buffer[end + 4 :]
        self._finish(b"")
        return True


def _parse_head(lines: list[bytes]) -> Answer:
    match = _STATUS_LINE.fullmatch(lines[0])
    if match is None:
        raise Fault(f"not a status line: {lines[0][:60]!r}")
    fields = [_parse_field(line) for line in lines[1:]]
    return Answer(match[1].decode(), int(match[2]), fields)


def _parse_field(line: bytes) -> tuple[str, str]:
    match = _FIELD_LINE.fullmatch(line)
    if match is None or not _FIELD_VALUE.fullmatch(match[2]):
        raise Fault(f"not a field line: {line[:60]!r}")
    return match[1].decode("latin-1"), match[2].decode("latin-1")
