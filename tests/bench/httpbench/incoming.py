"""What a peer has sent, taken in the pieces that a protocol has."""

from __future__ import annotations

from collections.abc import Callable


class Incoming:
    """`receive`: some bytes more, at least one; raises where there are none."""

    def __init__(self, receive: Callable[[], bytes]) -> None:
        self._receive = receive
        self._held = b""

    def take(self, size: int) -> bytes:
        parts, have = [self._held], len(self._held)
        while have < size:
            part = self._receive()
            parts.append(part)
            have += len(part)
        whole = b"".join(parts)
        self._held = whole[size:]
        return whole[:size]

    def take_until(self, end: bytes) -> bytes:
        """What stands before `end`, which is gone too."""
        while end not in self._held:
            self._held += self._receive()
        found, _, self._held = self._held.partition(end)
        return found
