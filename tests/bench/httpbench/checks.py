"""Is the answer right? Asked of every server before it is timed."""

from __future__ import annotations

from . import client
from .model import Row


def problem(port: int, row: Row, expected: bytes) -> str:
    """What is wrong with this server's answer for the row, or nothing."""
    try:
        return _keep_alive(port, row, expected) or _pipelined(port, row, expected)
    except (OSError, client.HttpError, ValueError) as error:
        return str(error) or type(error).__name__


def wire_size(port: int, row: Row) -> int:
    """Bytes of one whole answer, for rows whose requests are counted by bytes."""
    with client.connect(port) as peer:
        peer.sendall(client.request_bytes(row.path))
        return client.Reader(peer).answer().wire_size


def _target(row: Row, number: int) -> str:
    """What the load asks for in its request of that number: load.lua."""
    return f"{row.path}?n={number}" if row.varied else row.path


def _judge(answer: client.Answer, expected: bytes) -> str:
    if answer.status != 200:
        return f"status {answer.status}"
    if answer.body != expected:
        return f"body of {len(answer.body)} bytes differs from the {len(expected)} expected"
    return ""


def _keep_alive(port: int, row: Row, expected: bytes) -> str:
    """Two answers on one connection."""
    with client.connect(port) as peer:
        reader = client.Reader(peer)
        for number in (1, 2):
            peer.sendall(client.request_bytes(_target(row, number)))
            fault = _judge(reader.answer(), expected)
            if fault:
                return fault
    return ""


def _pipelined(port: int, row: Row, expected: bytes) -> str:
    """As many answers as requests came in one packet."""
    if row.depth == 1:
        return ""
    with client.connect(port) as peer:
        peer.sendall(client.request_bytes(row.path) * row.depth)
        reader = client.Reader(peer)
        faults = [_judge(reader.answer(), expected) for _ in range(row.depth)]
    return next((fault for fault in faults if fault), "")
