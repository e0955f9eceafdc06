"""Requests that two programs could cut in two ways: the hidden request must stay hidden."""

from ..case import FILE, HOST, MAY, MUST, NEXT, Await, Finish, Topic, chunked, get, lines, post
from ..checks import Check, body, closed, echoed, first, kept, of_all, silence, status, statuses
from ..site import SMUGGLED
from ..talk import Talk

case = Topic("smuggling")

_BOTH = (
    "Regardless, the server MUST close the connection after responding to such a request to "
    "avoid the potential attacks."
)
_OVERRIDES = "the Transfer-Encoding overrides the Content-Length."
_NOT_FINAL = (
    "the server MUST respond with the 400 (Bad Request) status code and then close the connection."
)
_BAD_LENGTH = (
    "the server MUST respond with a 400 (Bad Request) status code and then close the connection."
)
_SPACE = "A server MUST reject, with a response status code of 400 (Bad Request)"
_BARE_CR = "MUST consider that element to be invalid or replace each bare CR with SP"
_FOLD = "MUST either reject the message by sending a 400 (Bad Request)"
_HTTP10 = "MUST treat the message as if the framing is faulty, even if a Content-Length is present"
_LF = "a recipient MAY recognize a single LF as a line terminator and ignore any preceding CR."
_READ_ALL = "A server MUST read the entire request message body or close the connection"
_ORDER = (
    "it MUST send the corresponding responses in the same order that the requests were received."
)
_LENGTH = "its decimal value defines the expected message body length in octets."
_CHUNK_SIZE = (
    "recipients MUST anticipate potentially large hexadecimal numerals and prevent parsing errors"
)

HIDDEN = b"GET /smuggled.txt HTTP/1.1\r\nHost: main.test\r\n\r\n"
BAD = status(400) & closed
REFUSED = status(400, 501) & closed
FINE = status(200) & body(FILE)


def _not_answered(talk: Talk) -> str:
    found = any(answer.body == SMUGGLED for answer in talk.answers)
    return "the hidden request was answered" if found else ""


hidden = of_all("the hidden request is not answered", _not_answered, 1)
_ALONE_OR_BAD: Check = status("2xx", "4xx", "5xx") & closed & hidden

# ---- both lengths: CL.TE and TE.CL

for name, fields in {
    "length-first": ("Content-Length: 5", "Transfer-Encoding: chunked"),
    "coding-first": ("Transfer-Encoding: chunked", "Content-Length: 5"),
    "apart": ("Content-Length: 5", "Foo: bar", "Transfer-Encoding: chunked"),
    "upper-case": ("CONTENT-LENGTH: 5", "TRANSFER-ENCODING: CHUNKED"),
}.items():
    case(
        f"both-{name}",
        MUST,
        "9112 6.1",
        _BOTH,
        post(*fields, body="0\r\n\r\n"),
        status(200, 400) & closed,
    )
case(
    "both-then-request",
    MUST,
    "9112 6.1",
    _BOTH,
    post("Content-Length: 5", "Transfer-Encoding: chunked", body="0\r\n\r\n") + HIDDEN,
    _ALONE_OR_BAD,
)
case(
    "cl-te",
    MUST,
    "9112 6.3",
    _OVERRIDES,
    post(
        f"Content-Length: {5 + len(HIDDEN)}",
        "Transfer-Encoding: chunked",
        body=b"0\r\n\r\n" + HIDDEN,
    ),
    (status(400) | echoed(b"")) & closed & hidden,
)
case(
    "te-cl",
    MUST,
    "9112 6.3",
    _OVERRIDES,
    post(
        "Content-Length: 4",
        "Transfer-Encoding: chunked",
        body=b"%x\r\n%s\r\n0\r\n\r\n" % (len(HIDDEN), HIDDEN),
    ),
    (status(400) | echoed(HIDDEN)) & closed & hidden,
)
case(
    "both-zero-length",
    MUST,
    "9112 6.3",
    _OVERRIDES,
    post("Content-Length: 0", "Transfer-Encoding: chunked", body="3\r\nabc\r\n0\r\n\r\n"),
    (status(400) | echoed(b"abc")) & closed,
)
case(
    "both-on-get",
    MUST,
    "9112 6.1",
    _BOTH,
    get("Content-Length: 5", "Transfer-Encoding: chunked") + b"0\r\n\r\n" + HIDDEN,
    _ALONE_OR_BAD,
)
case(
    "both-bad-length",
    MUST,
    "9112 6.1",
    _BOTH,
    post("Content-Length: x", "Transfer-Encoding: chunked", body="0\r\n\r\n") + HIDDEN,
    _ALONE_OR_BAD,
)
case(
    "both-keep-alive-asked",
    MUST,
    "9112 6.1",
    _BOTH,
    post(
        "Connection: keep-alive",
        "Content-Length: 5",
        "Transfer-Encoding: chunked",
        body="0\r\n\r\n",
    )
    + HIDDEN,
    _ALONE_OR_BAD,
)

# ---- one coding, two spellings: TE.TE

for name, line in {
    "cow-second": "Transfer-Encoding: chunked\r\nTransfer-Encoding: cow",
    "identity-second": "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
    "identity-last": "Transfer-Encoding: chunked, identity",
    "x-chunked": "Transfer-Encoding: xchunked",
    "quoted": 'Transfer-Encoding: "chunked"',
    "vertical-tab": "Transfer-Encoding: \vchunked",
    "form-feed": "Transfer-Encoding: chunked\f",
    "high-blank": "Transfer-Encoding: \xa0chunked",
    "comma-in-word": "Transfer-Encoding: chu,nked",
}.items():
    case(
        f"te-te-{name}",
        MUST,
        "9112 6.3",
        _NOT_FINAL,
        post(line, "Content-Length: 5", body="0\r\n\r\n") + HIDDEN,
        REFUSED & hidden,
    )
case(
    "te-te-blank-before-colon",
    MUST,
    "9112 5.1",
    _SPACE,
    post("Transfer-Encoding : chunked", "Content-Length: 5", body="0\r\n\r\n") + HIDDEN,
    status(400) & hidden,
)
case(
    "te-te-folded",
    MUST,
    "9112 5.2",
    _FOLD,
    post("Transfer-Encoding:", " chunked", "Content-Length: 5", body="0\r\n\r\n") + HIDDEN,
    (status(400, 501) | echoed(b"")) & closed & hidden,
)
case(
    "te-te-folded-tail",
    MUST,
    "9112 5.2",
    _FOLD,
    post("Transfer-Encoding: chunked", " cow", "Content-Length: 5", body="0\r\n\r\n") + HIDDEN,
    REFUSED & hidden,
)
for name, prefix in {"cr": "Foo: bar\r", "cr-cr": "Foo: bar\r\r"}.items():
    case(
        f"te-behind-{name}",
        MUST,
        "9112 2.2",
        _BARE_CR,
        post(
            f"{prefix}Transfer-Encoding: chunked",
            f"Content-Length: {5 + len(HIDDEN)}",
            body=b"0\r\n\r\n" + HIDDEN,
        ),
        (status(400) | echoed(b"0\r\n\r\n" + HIDDEN)) & hidden,
    )
case(
    "te-behind-lf",
    MAY,
    "9112 2.2",
    _LF,
    post(
        "Foo: bar\nTransfer-Encoding: chunked",
        f"Content-Length: {5 + len(HIDDEN)}",
        body=b"0\r\n\r\n" + HIDDEN,
    ),
    (status(400) | echoed(b"") & closed) & hidden,
)
case(
    "te-http10-and-length",
    MUST,
    "9112 6.1",
    _HTTP10,
    lines(
        "POST /echo HTTP/1.0",
        HOST,
        "Connection: keep-alive",
        "Transfer-Encoding: chunked",
        f"Content-Length: {len(HIDDEN)}",
        body=HIDDEN,
    ),
    status(400, 501, 200) & closed & hidden,
)

# ---- two lengths: CL.CL

for name, lengths in {
    "short-first": ("0", str(len(HIDDEN))),
    "long-first": (str(len(HIDDEN)), "0"),
    "list": (f"0, {len(HIDDEN)}",),
    "plus": (f"+{len(HIDDEN)}",),
    "hex": (hex(len(HIDDEN)),),
    "blank-digits": (f"0 {len(HIDDEN)}",),
    "sign-and-good": ("-1", str(len(HIDDEN))),
}.items():
    case(
        f"cl-cl-{name}",
        MUST,
        "9112 6.3",
        _BAD_LENGTH,
        post(*(f"Content-Length: {value}" for value in lengths), body=HIDDEN),
        BAD & hidden,
    )
case(
    "cl-wraps-at-64-bit",
    MUST,
    "9110 8.6",
    "MUST anticipate potentially large decimal numerals",
    (post(f"Content-Length: {2**64 + len(NEXT)}", body=NEXT) + HIDDEN, Await(1, 1.0), Finish()),
    (status("4xx", "5xx") | silence) & closed & hidden,
)
case(
    "chunk-wraps-at-64-bit",
    MUST,
    "9112 7.1",
    _CHUNK_SIZE,
    (chunked(b"10000000000000003\r\nabc\r\n0\r\n\r\n" + HIDDEN), Await(1, 1.0), Finish()),
    (status("4xx", "5xx") | silence) & closed & hidden,
)
case(
    "chunk-wraps-at-32-bit",
    MUST,
    "9112 7.1",
    _CHUNK_SIZE,
    (chunked(b"100000003\r\nabc\r\n0\r\n\r\n" + HIDDEN), Await(1, 1.0), Finish()),
    (status("4xx", "5xx") | silence) & closed & hidden,
)

# ---- bodies nobody reads: CL.0 and 0.CL

for name, message in {
    "get-file": get(f"Content-Length: {len(HIDDEN)}") + HIDDEN,
    "post-file": post(f"Content-Length: {len(HIDDEN)}", body=HIDDEN, target="/file.txt"),
    "post-missing": post(f"Content-Length: {len(HIDDEN)}", body=HIDDEN, target="/missing"),
    "post-folder": post(f"Content-Length: {len(HIDDEN)}", body=HIDDEN, target="/folder"),
    "options": get(f"Content-Length: {len(HIDDEN)}", method="OPTIONS") + HIDDEN,
    "unknown-method": get(f"Content-Length: {len(HIDDEN)}", method="BREW") + HIDDEN,
    "post-nothing": post(f"Content-Length: {len(HIDDEN)}", body=HIDDEN, target="/nothing"),
    "not-modified": get("If-None-Match: *", f"Content-Length: {len(HIDDEN)}") + HIDDEN,
    "get-chunked": (
        get("Transfer-Encoding: chunked") + b"%x\r\n%s\r\n0\r\n\r\n" % (len(HIDDEN), HIDDEN)
    ),
    "upgrade": (
        get("Connection: upgrade", "Upgrade: websocket", f"Content-Length: {len(HIDDEN)}") + HIDDEN
    ),
}.items():
    case(
        f"cl-0-{name}",
        MUST,
        "9112 9.3",
        _READ_ALL,
        message,
        first("2xx", "3xx", "4xx", "5xx") & hidden,
    )
case(
    "head-cl-0",
    MUST,
    "9112 9.3",
    _READ_ALL,
    get(f"Content-Length: {len(HIDDEN)}", method="HEAD") + HIDDEN,
    status(200) | status("4xx") & closed,
)
case(
    "two-in-order",
    MUST,
    "9112 9.3.2",
    _ORDER,
    post("Content-Length: 3", body="abc") + HIDDEN,
    statuses(200, 200) & body(SMUGGLED) & kept,
)
case(
    "chunked-then-request",
    MUST,
    "9112 9.3.2",
    _ORDER,
    chunked(b"3\r\nabc\r\n0\r\n\r\n" + HIDDEN),
    statuses(200, 200) & body(SMUGGLED) & kept,
)
case(
    "length-hides-request",
    MUST,
    "9112 6.3",
    _LENGTH,
    post(f"Content-Length: {len(HIDDEN)}", body=HIDDEN) + NEXT,
    statuses(200, 200) & hidden,
)
case(
    "nothing-after-refusal",
    MUST,
    "9112 6.3",
    _BAD_LENGTH,
    post("Content-Length: x", body="abc") + HIDDEN + HIDDEN,
    BAD & hidden,
)
