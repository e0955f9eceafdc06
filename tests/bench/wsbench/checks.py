"""Is what a server answers right, to the byte? Asked of every server before it is timed."""

from __future__ import annotations

import os

from .client import Message, Opcode, WebSocket, WebSocketError, frame, opened
from .rows import Row

PATIENCE = 10.0
_TURNS = 2
_SHORT = 1000  # bytes of a last frame


class _WrongAnswer(Exception):
    """The text says what of it."""


def problem(port: int, row: Row, path: str) -> str:
    """What is wrong with this server's answers for the row, or nothing; `path`: where it gives
    them."""
    try:
        _CONTRACTS[row.path](port, row, path)
    except (OSError, WebSocketError, _WrongAnswer) as error:
        return str(error) or type(error).__name__
    return ""


def _echoes(port: int, row: Row, path: str) -> None:
    """As many messages as the row sends at once come back as they were, in their order."""
    with opened(port, path, PATIENCE) as peer:
        for _ in range(_TURNS):
            sent = [_binary(row.size) for _ in range(row.depth)]
            peer.send(b"".join(frame(message.opcode, message.payload) for message in sent))
            for message in sent:
                _compare(peer.message(), message)


def _counts(port: int, row: Row, path: str) -> None:
    """A message in frames, as the load sends it, and a short one, from which nothing is left."""
    with opened(port, path, PATIENCE) as peer:
        for sizes in ((row.size, row.size, _SHORT), (_SHORT,)):
            _send_in_frames(peer, sizes)
            _compare(peer.message(), Message(Opcode.TEXT, str(sum(sizes)).encode()))


def _reaches_others(port: int, row: Row, path: str) -> None:
    """In turn each says something that the other hears once. It may hear itself too.

    Behind its handshake one may not be in the audience yet, but is when the server reads from it:
    so who came last speaks first.
    """
    with opened(port, path, PATIENCE) as first, opened(port, path, PATIENCE) as last:
        own: Message | None = None
        for speaker, listener in ((last, first), (first, last), (last, first)):
            said = _binary(row.size)
            speaker.send(frame(said.opcode, said.payload))
            heard = listener.message()
            _compare(listener.message() if heard == own else heard, said)
            own = said


_CONTRACTS = {
    "/echo": _echoes,
    "/sink": _counts,
    "/whole": _counts,
    "/broadcast": _reaches_others,
}


def _binary(size: int) -> Message:
    return Message(Opcode.BINARY, os.urandom(size))


def _send_in_frames(peer: WebSocket, sizes: tuple[int, ...]) -> None:
    opcode = Opcode.BINARY
    for index, size in enumerate(sizes, 1):
        peer.send(frame(opcode, os.urandom(size), fin=index == len(sizes)))
        opcode = Opcode.CONTINUATION


def _compare(answer: Message, wanted: Message) -> None:
    if answer.opcode != wanted.opcode:
        raise _WrongAnswer(f"opcode {answer.opcode}, not {wanted.opcode}")
    if answer.payload == wanted.payload:
        return
    if wanted.opcode == Opcode.TEXT:
        raise _WrongAnswer(f"{answer.payload[:40]!r}, not {wanted.payload!r}")
    sizes = f"{len(answer.payload)} bytes differs from the {len(wanted.payload)} expected"
    raise _WrongAnswer(f"message of {sizes}")
