"""Where the suite's cases, which hold bytes as text, meet its engine, which wants bytes.

convert.py makes the cases call the functions of this module; install() wraps the engine.
"""

from __future__ import annotations

import binascii
import functools
import json

from autobahn.websocket import utf8validator

_LOGGED_MAX = 64


def to_bytes(value):
    """Text of a case as the bytes that it means; anything else as it is."""
    return value.encode("latin-1") if isinstance(value, str) else value


def to_text(value):
    """The reverse."""
    is_bytes = isinstance(value, (bytes, bytearray, memoryview))
    return bytes(value).decode("latin-1") if is_bytes else value


def hexed(value) -> str:
    return binascii.hexlify(to_bytes(value)).decode("ascii")


def to_json(value, **options) -> str:
    options["default"] = lambda item: to_text(item) if isinstance(item, bytes) else str(item)
    return json.dumps(value, **options)


class Utf8Validator:
    def __init__(self):
        self._validator = utf8validator.Utf8Validator()

    def reset(self):
        self._validator.reset()

    def validate(self, value):
        return self._validator.validate(to_bytes(value))


def shown_as_hex(data, maxlen=_LOGGED_MAX):
    data = to_bytes(data)
    return hexed(data[:maxlen]) + (" ..." if len(data) > maxlen else "")


def shown_as_text(data, maxlen=_LOGGED_MAX, replace=False):
    data = to_bytes(data)
    try:
        shown = data[:maxlen].decode("utf-8", errors="replace" if replace else "strict")
    except UnicodeDecodeError:
        return "0x" + shown_as_hex(data, maxlen)
    return shown + (" ..." if len(data) > maxlen else "")


def install(fuzzing, case) -> None:
    """Wraps what the engine's protocol is told by cases, and what it tells them."""
    protocol, factory = fuzzing.FuzzingProtocol, fuzzing.FuzzingFactory
    fuzzing.binLogData, fuzzing.asciiLogData = shown_as_hex, shown_as_text
    # The suite compares pickles, which tell apart what is equal in Python 3.
    case.Case.compare = lambda self, one, other: list(one) == list(other)
    factory.createReports = functools.partialmethod(factory.createReports, produceHtml=False)
    for name, position, keyword in (
        ("sendFrame", 1, "payload"),
        ("sendMessage", 0, "payload"),
        ("sendPing", 0, "payload"),
        ("sendPong", 0, "payload"),
        ("sendCloseFrame", 1, "reasonUtf8"),
        ("sendMessageFrame", 0, "payload"),
        ("sendMessageFrameData", 0, "payload"),
    ):
        setattr(protocol, name, _sender(protocol, name, position, keyword))
    _tell_cases_text(protocol)


def _sender(protocol, name, position, keyword):
    """The method of the library, given bytes."""

    def send(self, *arguments, **more):
        arguments = list(arguments)
        if len(arguments) > position:
            arguments[position] = to_bytes(arguments[position])
        if keyword in more:
            more[keyword] = to_bytes(more[keyword])
        length = more.pop("payload_len", None)
        if length is not None:  # the library repeats the payload by a division that is a float now
            repeated = more[keyword]
            more[keyword] = (repeated * (length // len(repeated) + 1))[:length]
        return getattr(super(protocol, self), name)(*arguments, **more)

    return send


def _tell_cases_text(protocol) -> None:
    on_message, on_pong = protocol.onMessage, protocol.onPong

    def tell_message(self, message, is_binary):
        # Those of compression were written later, with bytes.
        wants_bytes = type(self.runCase).__name__.startswith(("Case12_", "Case13_"))
        return on_message(self, message if wants_bytes else to_text(message), is_binary)

    protocol.onMessage = tell_message
    protocol.onPong = lambda self, payload: on_pong(self, to_text(payload))
