"""One connection to a server: what a case sends, and what came back."""

from __future__ import annotations

import socket
import time
from dataclasses import dataclass, field

from .wire import Answer, Fault, Reader

PROBE = b"GET /probe.txt HTTP/1.1\r\nHost: main.test\r\n\r\n"
PROBE_BODY = b"probe\n"

_QUIET = 0.05  # how long nothing must come before the connection is probed


@dataclass(frozen=True)
class Pause:
    """Nothing is sent for so long."""

    seconds: float


@dataclass(frozen=True)
class Await:
    """Nothing is sent until so many final answers are there; or a head, when `answers` is 0."""

    answers: int
    seconds: float = 5.0


@dataclass(frozen=True)
class Finish:
    """This side sends no more: shutdown(SHUT_WR)."""


Step = bytes | Pause | Await | Finish


@dataclass
class Talk:
    """What came back."""

    answers: list[Answer] = field(default_factory=list)
    interim: list[Answer] = field(default_factory=list)  # 1xx that no final answer followed
    early: bool = False  # a head was there when Await(0) stopped waiting
    kept: bool = False  # the probe, one more request, was answered as it should be
    ended: bool = False  # the server closed or reset the connection
    fault: str = ""
    seconds: float = 0.0


@dataclass(frozen=True)
class Patience:
    """How long a talk waits; a server that is slow by design gets more."""

    answer: float = 10.0  # for the first answer
    more: float = 5.0  # for another one after that
    end: float = 5.0  # for the answer to the probe, or the end


class Conversation:
    """Plays the steps of a case; run() may be called once."""

    def __init__(self, address: tuple[str, int], methods: tuple[str, ...]) -> None:
        self._socket = socket.create_connection(address, timeout=5)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._reader = Reader(methods)
        self._methods = methods
        self._talk = Talk()

    def run(self, steps: tuple[Step, ...], wanted: int, probed: bool, patience: Patience) -> Talk:
        began = time.monotonic()
        try:
            with self._socket:
                self._play(steps)
                self._collect(wanted, patience)
                if probed and not self._talk.ended and self._reader.answers:
                    self._probe(patience)
        except Fault as fault:
            self._talk.fault = str(fault)
        self._talk.answers = self._reader.answers
        if self._talk.kept:
            self._talk.answers.pop()
        self._talk.interim = self._reader.interim
        self._talk.seconds = time.monotonic() - began
        return self._talk

    def _play(self, steps: tuple[Step, ...]) -> None:
        for step in steps:
            if self._talk.ended:
                return
            if isinstance(step, Pause):
                self._receive(step.seconds, lambda: False)
            elif isinstance(step, Await):
                self._await(step)
            elif isinstance(step, Finish):
                self._socket.shutdown(socket.SHUT_WR)
            else:
                self._send(step)

    def _await(self, step: Await) -> None:
        if step.answers > 0:
            self._receive(step.seconds, lambda: len(self._reader.answers) >= step.answers)
            return
        self._receive(step.seconds, lambda: bool(self._reader.interim or self._reader.answers))
        self._talk.early = bool(self._reader.interim or self._reader.answers)

    def _collect(self, wanted: int, patience: Patience) -> None:
        self._receive(patience.answer, lambda: len(self._reader.answers) > 0)
        if self._reader.answers:
            self._receive(patience.more, lambda: len(self._reader.answers) >= wanted)

    def _probe(self, patience: Patience) -> None:
        self._receive(_QUIET, lambda: False)
        if self._talk.ended or not self._reader.is_between:
            return
        count = len(self._reader.answers)
        self._reader.expect_methods(("GET",))
        self._send(PROBE)
        self._receive(patience.end, lambda: self._is_probe_answered(count))
        self._talk.kept = self._is_probe_answered(count)

    def _is_probe_answered(self, count: int) -> bool:
        answers = self._reader.answers
        return len(answers) > count and answers[-1].body == PROBE_BODY

    def _send(self, data: bytes) -> None:
        try:
            self._socket.settimeout(5)
            self._socket.sendall(data)
        except (ConnectionError, TimeoutError):
            pass  # what the server had to say may still be there to read

    def _receive(self, seconds: float, is_enough: object) -> None:
        """Reads until `is_enough`, the end, or so long."""
        deadline = time.monotonic() + seconds
        while not self._talk.ended and not is_enough():
            left = deadline - time.monotonic()
            if left <= 0:
                return
            self._socket.settimeout(left)
            try:
                data = self._socket.recv(65536)
            except TimeoutError:
                return
            except ConnectionError:
                data = b""
            if data:
                self._reader.feed(data)
            else:
                self._talk.ended = True
                self._reader.end()
