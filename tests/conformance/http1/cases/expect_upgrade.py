"""Expect: 100-continue, expectations nobody knows, and Upgrade."""

from ..case import FILE, HOST, MAY, MUST, NEXT, Await, Finish, Topic, get, lines, post
from ..checks import (
    body,
    closed,
    continued,
    early,
    echoed,
    fact,
    field,
    kept,
    no_interim,
    status,
    statuses,
)

case = Topic("expect-upgrade")

_EITHER = (
    "an immediate 100 (Continue) response to encourage the client to send the request content."
)
_NO_WAIT = (
    "The origin server MUST NOT wait for the content before sending the 100 (Continue) response."
)
_CASELESS = "The Expect field value is case-insensitive."
_HTTP10 = "A server that receives a 100-continue expectation in an HTTP/1.0 request MUST ignore"
_OMIT = "if the framing indicates that there is no content."
_FINAL = (
    "MUST ultimately send a final status code, once it receives and processes the request content"
)
_UNKNOWN = "MAY respond with a 417 (Expectation Failed) status code"
_EMPTY_MEMBERS = "A recipient MUST parse and ignore a reasonable number of empty list elements"
_IGNORE = "A server MAY ignore a received Upgrade header field if it wishes to continue using"
_NOT_ASKED = "A server MUST NOT switch to a protocol that was not indicated by the client"
_UPGRADE10 = (
    "A server that receives an Upgrade header field in an HTTP/1.0 request MUST ignore that"
)
_SEND_UPGRADE = (
    "A server that sends a 101 (Switching Protocols) response MUST send an Upgrade header field"
)
_WEBSOCKET = "The method of the request MUST be GET, and the HTTP version MUST be at least 1.1."
_WS_VERSION = (
    "If this version does not match a version understood by the server, the server MUST abort"
)
_WS_KEY = (
    "If the server doesn't wish to accept this connection, it MUST return an appropriate HTTP error"
)

FINE = status(200) & body(FILE)
EXPECT = "Expect: 100-continue"
KEY = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="

# ---- 100-continue

case(
    "continue",
    MUST,
    "9110 10.1.1",
    _EITHER,
    (post(EXPECT, "Content-Length: 3"), Await(0, 3.0), b"abc"),
    early & (echoed(b"abc") & continued & kept | status(417)),
)
case(
    "continue-chunked",
    MUST,
    "9110 10.1.1",
    _EITHER,
    (post(EXPECT, "Transfer-Encoding: chunked"), Await(0, 3.0), b"3\r\nabc\r\n0\r\n\r\n"),
    early & (echoed(b"abc") & continued & kept | status(417)),
)
case(
    "continue-not-waited",
    MUST,
    "9110 10.1.1",
    _NO_WAIT,
    (post(EXPECT, "Content-Length: 3"), Await(0, 3.0), Finish()),
    early,
    probed=False,
)
case(
    "continue-upper-case",
    MUST,
    "9110 10.1.1",
    _CASELESS,
    (post("Expect: 100-CONTINUE", "Content-Length: 3"), Await(0, 3.0), b"abc"),
    early & (echoed(b"abc") & continued | status(417)),
)
case(
    "continue-empty-members",
    MUST,
    "9110 5.6.1.2",
    _EMPTY_MEMBERS,
    (post("Expect: , 100-continue", "Content-Length: 3"), Await(0, 3.0), b"abc"),
    early & echoed(b"abc") & continued,
)
case(
    "continue-body-is-here",
    MAY,
    "9110 10.1.1",
    "A server MAY omit sending a 100 (Continue) response",
    post(EXPECT, "Content-Length: 3", body="abc"),
    echoed(b"abc") | status(417),
)
case("continue-without-body", MAY, "9110 10.1.1", _OMIT, get(EXPECT), FINE | status(417))
case(
    "continue-final",
    MUST,
    "9110 10.1.1",
    _FINAL,
    (post(EXPECT, "Content-Length: 6"), Await(0, 3.0), b"abc", Await(1, 0.1), b"def"),
    echoed(b"abcdef") & kept | status(417),
)
case(
    "continue-for-missing",
    MUST,
    "9110 10.1.1",
    "if that status can be determined by examining just the method, target URI, and header fields",
    (post(EXPECT, "Content-Length: 3", target="/missing"), Await(0, 3.0), Finish()),
    early,
    probed=False,
)
case(
    "continue-too-large",
    MUST,
    "9110 10.1.1",
    _EITHER,
    (post(EXPECT, "Content-Length: 4000000"), Await(0, 3.0), Finish()),
    early,
    probed=False,
)
case(
    "continue-bad-length",
    MUST,
    "9112 6.3",
    "the server MUST respond with a 400 (Bad Request) status code",
    post(EXPECT, "Content-Length: x"),
    status(400) & no_interim & closed,
)
case(
    "continue-http10",
    MUST,
    "9110 10.1.1",
    _HTTP10,
    (lines("POST /echo HTTP/1.0", HOST, EXPECT, "Content-Length: 3"), Await(0, 0.3), b"abc"),
    echoed(b"abc") & no_interim,
)
case(
    "no-continue-unasked",
    MUST,
    "9110 15.2",
    "a server MUST NOT send a 1xx response to an HTTP/1.0 client.",
    (lines("POST /echo HTTP/1.0", HOST, "Content-Length: 3"), Await(0, 0.3), b"abc"),
    echoed(b"abc") & no_interim,
)
case(
    "continue-then-next",
    MUST,
    "9110 10.1.1",
    _FINAL,
    (post(EXPECT, "Content-Length: 3"), Await(0, 3.0), b"abc" + NEXT),
    statuses(200, 200) & kept | statuses(417, 200),
)

# ---- what nobody knows

for name, value in {
    "word": "cow",
    "pair": "cow=milk",
    "with-continue": "100-continue, cow",
}.items():
    case(
        f"unknown-{name}", MAY, "9110 10.1.1", _UNKNOWN, get(f"Expect: {value}"), FINE | status(417)
    )
case(
    "unknown-http10",
    MAY,
    "9110 10.1.1",
    _UNKNOWN,
    lines("GET /file.txt HTTP/1.0", HOST, "Expect: cow"),
    FINE | status(417),
)

# ---- Upgrade

for name, fields in {
    "unknown": ("Connection: upgrade", "Upgrade: cow/1.0"),
    "two-unknown": ("Connection: Upgrade", "Upgrade: cow/1, moo"),
    "http2-without-settings": ("Connection: Upgrade", "Upgrade: h2c"),
    "http1": ("Connection: Upgrade", "Upgrade: HTTP/1.1"),
    "without-connection": ("Upgrade: websocket",),
    "without-upgrade": ("Connection: upgrade",),
}.items():
    case(f"upgrade-{name}", MAY, "9110 7.8", _IGNORE, get(*fields), FINE)
case(
    "upgrade-http10",
    MUST,
    "9110 7.8",
    _UPGRADE10,
    lines(
        "GET /file.txt HTTP/1.0",
        HOST,
        "Connection: upgrade",
        "Upgrade: websocket",
        KEY,
        "Sec-WebSocket-Version: 13",
    ),
    FINE,
)
case(
    "upgrade-not-asked",
    MUST,
    "9110 7.8",
    _NOT_ASKED,
    get(),
    FINE & fact("no 101", lambda answer: answer.status != 101),
)
case(
    "upgrade-with-body",
    MAY,
    "9110 7.8",
    _IGNORE,
    post("Connection: upgrade", "Upgrade: cow", "Content-Length: 3", body="abc"),
    echoed(b"abc"),
)
case(
    "upgrade-and-continue",
    MUST,
    "9110 10.1.1",
    _EITHER,
    (
        post("Connection: upgrade", "Upgrade: cow", EXPECT, "Content-Length: 3"),
        Await(0, 3.0),
        b"abc",
    ),
    early & (echoed(b"abc") & continued | status(417)),
)

_SOCKET = ("Connection: Upgrade", "Upgrade: websocket")
for name, message, section, quote in (
    ("no-key", get(*_SOCKET, "Sec-WebSocket-Version: 13"), "6455 4.2.2", _WS_KEY),
    (
        "post",
        post(*_SOCKET, KEY, "Sec-WebSocket-Version: 13", "Content-Length: 0", target="/file.txt"),
        "6455 4.1",
        _WEBSOCKET,
    ),
    ("version-0", get(*_SOCKET, KEY, "Sec-WebSocket-Version: 0"), "6455 4.2.2", _WS_VERSION),
    ("good-but-a-file", get(*_SOCKET, KEY, "Sec-WebSocket-Version: 13"), "6455 4.2.2", _WS_KEY),
):
    case(f"websocket-{name}", MUST, section, quote, message, status("2xx", "4xx", 501))
case(
    "switch-names-protocol",
    MUST,
    "9110 7.8",
    _SEND_UPGRADE,
    get("Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAAP__"),
    FINE | status(101) & field("Upgrade", "h2c"),
    probed=False,
)
