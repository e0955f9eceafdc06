"""Connections: order, keeping, closing, HTTP/1.0, pieces and time-outs."""

from ..case import (
    FILE,
    HOST,
    LAST_MODIFIED,
    MAY,
    MUST,
    NEXT,
    NEXT_BODY,
    SHOULD,
    Await,
    Finish,
    Pause,
    Topic,
    byte_by_byte,
    get,
    lines,
    post,
)
from ..checks import (
    bodies,
    body,
    closed,
    echoed,
    fact,
    kept,
    member,
    no_body,
    no_field,
    silence,
    status,
    statuses,
)
from ..site import MAIN

case = Topic("connection")

_PERSISTENT = "HTTP implementations SHOULD support persistent connections."
_ORDER = (
    "it MUST send the corresponding responses in the same order that the requests were received."
)
_CLOSE = (
    'A server that receives a "close" connection option MUST initiate closure of the connection'
)
_CLOSE_SAID = 'The server SHOULD send a "close" connection option in its final response'
_NO_MORE = "The server MUST NOT process any further requests received on that connection."
_SAID = (
    'A server that sends a "close" connection option MUST initiate closure of the connection (see '
    "below) after it sends the response containing"
)
_INTENDS = "when it intends to close a connection."
_CASELESS = "Connection options are case-insensitive."
_EMPTY_MEMBERS = "A recipient MUST parse and ignore a reasonable number of empty list elements"
_HTTP10 = "the connection will persist after the current response"
_ELSE = "The connection will close after the current response."
_SEQUENCE = "A recipient MUST parse an HTTP message as a sequence of octets"
_NO_TE = (
    "A server MUST NOT send a response containing Transfer-Encoding unless the corresponding"
    " request"
)
_UNKNOWN = "Other recipients SHOULD ignore unrecognized header and trailer fields."
_TIMEOUT = "wishes to time out SHOULD issue a graceful close on the connection."
_HALF = "the server performs a half-close"

FINE = status(200) & body(FILE)
HEAD = get(method="HEAD")


def http10(*fields: str, target: str = "/file.txt", method: str = "GET") -> bytes:
    return lines(f"{method} {target} HTTP/1.0", *fields)


# ---- kept

case("kept", SHOULD, "9112 9.3", _PERSISTENT, get(), FINE & kept)
case("kept-after-404", SHOULD, "9112 9.3", _PERSISTENT, get(target="/missing"), status(404) & kept)
case(
    "kept-after-post",
    SHOULD,
    "9112 9.3",
    _PERSISTENT,
    post("Content-Length: 3", body="abc"),
    echoed(b"abc") & kept,
)
case("kept-after-head", SHOULD, "9112 9.3", _PERSISTENT, HEAD, status(200) & no_body & kept)
case(
    "kept-after-304",
    SHOULD,
    "9112 9.3",
    _PERSISTENT,
    get(f"If-Modified-Since: {LAST_MODIFIED}"),
    status(304) & kept,
)
case("kept-after-204", SHOULD, "9112 9.3", _PERSISTENT, get(target="/nothing"), status(204) & kept)
case(
    "kept-three-times",
    SHOULD,
    "9112 9.3",
    _PERSISTENT,
    (get(), Await(1), get(), Await(2), get(), Await(3)),
    statuses(200, 200, 200) & kept,
)
case("kept-when-asked", SHOULD, "9112 9.3", _PERSISTENT, get("Connection: keep-alive"), FINE & kept)
case(
    "kept-with-other-options",
    SHOULD,
    "9112 9.3",
    _PERSISTENT,
    get("Connection: foo, bar"),
    FINE & kept,
)
case(
    "kept-without-saying-close",
    SHOULD,
    "9112 9.3",
    _PERSISTENT,
    get(),
    FINE & kept & fact("no close", lambda a: "close" not in a.members("Connection")),
)
case(
    "close-elsewhere",
    SHOULD,
    "9110 5.1",
    _UNKNOWN,
    get("X-Connection: close", "Keep-Alive: close"),
    FINE & kept,
)
case("proxy-connection", SHOULD, "9110 5.1", _UNKNOWN, get("Proxy-Connection: close"), FINE & kept)

# ---- closed

for name, fields in {
    "plain": ("Connection: close",),
    "upper-case": ("Connection: CLOSE",),
    "in-list": ("Connection: foo, close",),
    "first-in-list": ("Connection: close, foo",),
    "second-line": ("Connection: foo", "Connection: close"),
    "no-blank": ("Connection:close",),
    "beats-keep-alive": ("Connection: keep-alive, close",),
    "tab": ("Connection: foo,\tclose",),
}.items():
    case(f"close-{name}", MUST, "9112 9.6", _CLOSE, get(*fields), FINE & closed)
case("close-mixed-case", MUST, "9110 7.6.1", _CASELESS, get("connection: ClOsE"), FINE & closed)
case(
    "close-empty-members",
    MUST,
    "9110 5.6.1.2",
    _EMPTY_MEMBERS,
    get("Connection: ,, close"),
    FINE & closed,
)
case(
    "close-is-said",
    SHOULD,
    "9112 9.6",
    _CLOSE_SAID,
    get("Connection: close"),
    FINE & member("Connection", "close") & closed,
)
case(
    "close-is-said-for-404",
    SHOULD,
    "9112 9.6",
    _CLOSE_SAID,
    get("Connection: close", target="/missing"),
    status(404) & member("Connection", "close") & closed,
)
case(
    "close-with-post",
    MUST,
    "9112 9.6",
    _CLOSE,
    post("Connection: close", "Content-Length: 3", body="abc"),
    echoed(b"abc") & closed,
)
case(
    "close-with-head",
    MUST,
    "9112 9.6",
    _CLOSE,
    get("Connection: close", method="HEAD"),
    status(200) & no_body & closed,
)
case(
    "nothing-after-close",
    MUST,
    "9112 9.6",
    _NO_MORE,
    get("Connection: close") + NEXT,
    FINE & closed,
)
case(
    "nothing-after-close-and-post",
    MUST,
    "9112 9.6",
    _NO_MORE,
    post("Connection: close", "Content-Length: 3", body="abc") + NEXT,
    echoed(b"abc") & closed,
)
case(
    "close-in-second",
    MUST,
    "9112 9.6",
    _NO_MORE,
    NEXT + get("Connection: close") + NEXT,
    bodies(NEXT_BODY, FILE) & closed,
)
case(
    "big-answer-then-close",
    MUST,
    "9112 9.6",
    _CLOSE,
    get("Connection: close", target="/big.bin"),
    status(200) & body(MAIN["big.bin"]) & closed,
)
case(
    "said-when-refusing",
    SHOULD,
    "9112 9.6",
    _INTENDS,
    get("Content-Length: x"),
    status(400) & member("Connection", "close") & closed,
)
case(
    "said-means-done",
    MUST,
    "9112 9.6",
    _SAID,
    get("Foo : bar") + NEXT,
    status(400) & member("Connection", "close") & closed
    | fact("no close", lambda a: "close" not in a.members("Connection")),
)

# ---- pipelines

case(
    "pipeline",
    MUST,
    "9112 9.3.2",
    _ORDER,
    get() + NEXT + get(),
    bodies(FILE, NEXT_BODY, FILE) & kept,
)
case(
    "pipeline-of-20",
    MUST,
    "9112 9.3.2",
    _ORDER,
    (get() + NEXT) * 10,
    bodies(*[FILE, NEXT_BODY] * 10) & kept,
)
case(
    "pipeline-big-first",
    MUST,
    "9112 9.3.2",
    _ORDER,
    get(target="/big.bin") + NEXT,
    bodies(MAIN["big.bin"], NEXT_BODY) & kept,
)
case(
    "pipeline-with-404",
    MUST,
    "9112 9.3.2",
    _ORDER,
    get(target="/missing") + NEXT,
    statuses(404, 200) & kept,
)
case(
    "pipeline-post-get",
    MUST,
    "9112 9.3.2",
    _ORDER,
    post("Content-Length: 3", body="abc") + NEXT + post("Content-Length: 3", body="def"),
    bodies(b"abc", NEXT_BODY, b"def") & kept,
)
case(
    "pipeline-head-get",
    MUST,
    "9112 9.3.2",
    _ORDER,
    HEAD + NEXT,
    bodies(b"", NEXT_BODY) & kept,
    methods=("HEAD", "GET"),
)
case(
    "pipeline-bad-last",
    MUST,
    "9112 9.3.2",
    _ORDER,
    get() + NEXT + get("Content-Length: x"),
    statuses(200, 200, 400) & closed,
)
case(
    "pipeline-cut-mid-request",
    MUST,
    "9112 9.3.2",
    _ORDER,
    (get() + NEXT[:20], Await(1), NEXT[20:]),
    bodies(FILE, NEXT_BODY) & kept,
)
case(
    "pipeline-then-half-close",
    MAY,
    "9112 9.6",
    _HALF,
    (get() + NEXT, Finish()),
    bodies(FILE, NEXT_BODY) & closed | status(200) & closed,
)

# ---- HTTP/1.0

case("http10-closes", MUST, "9112 9.3", _ELSE, http10(HOST), FINE & closed)
case(
    "http10-without-host",
    MUST,
    "9112 3.2",
    "any HTTP/1.1 request message that lacks a Host header field",
    http10(),
    status(200) & closed,
)
case(
    "http10-keep-alive",
    MAY,
    "9112 9.3",
    _HTTP10,
    http10(HOST, "Connection: keep-alive"),
    FINE & kept & member("Connection", "keep-alive") | FINE & closed,
)
case(
    "http10-kept-is-said",
    MUST,
    "9112 9.3",
    'or receives an HTTP/1.0 response without a "keep-alive" connection option',
    http10(HOST, "Connection: Keep-Alive"),
    FINE & closed | FINE & member("Connection", "keep-alive"),
)
case(
    "http10-both-options",
    MUST,
    "9112 9.3",
    'If the "close" connection option is present',
    http10(HOST, "Connection: keep-alive, close"),
    FINE & closed,
)
case(
    "http10-no-chunks",
    MUST,
    "9112 6.1",
    _NO_TE,
    http10(HOST, target="/text.txt"),
    status(200) & no_field("Transfer-Encoding") & body(MAIN["text.txt"]),
)
case(
    "http10-no-chunks-for-404",
    MUST,
    "9112 6.1",
    _NO_TE,
    http10(HOST, target="/missing"),
    status(404) & no_field("Transfer-Encoding") & closed,
)
case(
    "http10-no-chunks-for-post",
    MUST,
    "9112 6.1",
    _NO_TE,
    lines("POST /echo HTTP/1.0", HOST, "Content-Length: 3", body="abc"),
    echoed(b"abc") & no_field("Transfer-Encoding"),
)
case(
    "http10-head",
    MUST,
    "9110 9.3.2",
    "the server MUST NOT send content in the response.",
    http10(HOST, method="HEAD"),
    status(200) & no_body & closed,
)
case("http10-nothing-behind", MUST, "9112 9.3", _ELSE, http10(HOST) + NEXT, FINE & closed)
case(
    "http10-second-of-two",
    MUST,
    "9112 9.3",
    _ELSE,
    get() + http10(HOST),
    statuses(200, 200) & closed,
)

# ---- pieces

case("byte-by-byte", MUST, "9112 2.2", _SEQUENCE, byte_by_byte(get("Foo: bar")), FINE & kept)
case(
    "byte-by-byte-post",
    MUST,
    "9112 2.2",
    _SEQUENCE,
    byte_by_byte(post("Content-Length: 3", body="abc")),
    echoed(b"abc") & kept,
)
case(
    "byte-by-byte-two",
    MUST,
    "9112 2.2",
    _SEQUENCE,
    byte_by_byte(get() + NEXT),
    bodies(FILE, NEXT_BODY) & kept,
)
case(
    "byte-by-byte-bad",
    MUST,
    "9112 5.1",
    "A server MUST reject, with a response status code of 400",
    byte_by_byte(get("Foo : bar")),
    status(400),
)
_REQUEST = get("Foo: bar")
for name, cut in {
    "method": 2,
    "target": 8,
    "version": 18,
    "cr-of-line": 24,
    "field-name": 28,
    "before-last-lf": len(_REQUEST) - 1,
    "before-empty-line": len(_REQUEST) - 2,
}.items():
    case(
        f"cut-at-{name}",
        MUST,
        "9112 2.2",
        _SEQUENCE,
        (_REQUEST[:cut], Pause(0.1), _REQUEST[cut:]),
        FINE & kept,
    )

# ---- one side closes

case("half-close", MAY, "9112 9.6", _HALF, (get(), Finish()), (FINE | silence) & closed)
case(
    "half-close-ends-it",
    MUST,
    "9112 9.5",
    "SHOULD constantly monitor open connections for a received closure signal",
    (get(), Await(1), Finish()),
    FINE & closed,
)
case(
    "nothing-sent",
    MAY,
    "9112 9.5",
    "MAY close the transport connection at any time.",
    (Finish(),),
    silence | status(400, 408) & closed,
)
case(
    "empty-line-only",
    MAY,
    "9112 9.5",
    "MAY close the transport connection at any time.",
    (b"\r\n", Finish()),
    silence | status(400, 408) & closed,
)

# ---- time

for name, start in {"head": get()[:-2], "request-line": b"GET /file", "field": get()[:30]}.items():
    case(
        f"timeout-in-{name}",
        SHOULD,
        "9112 9.5",
        _TIMEOUT,
        (start, Await(1, 12.0)),
        status("4xx") & closed | silence,
    )
case(
    "timeout-says-close",
    SHOULD,
    "9112 9.6",
    _INTENDS,
    (get()[:-2], Await(1, 12.0)),
    status("4xx") & member("Connection", "close") & closed | silence,
)
