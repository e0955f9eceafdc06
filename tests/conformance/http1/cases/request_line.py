"""The request line: its shape, the method, the version, and what may stand before it."""

from ..case import (
    FILE,
    HOST,
    MAY,
    MUST,
    NEXT,
    SHOULD,
    Await,
    Finish,
    Topic,
    get,
    lines,
    post,
)
from ..checks import body, fact, no_body, silence, status, statuses

case = Topic("request-line")

_GENERAL = "All general-purpose servers MUST support the methods GET and HEAD."
_INVALID = (
    "Recipients of an invalid request-line SHOULD respond with either a 400 (Bad Request) "
    "error or a 301 (Moved Permanently) redirect"
)
_EMPTY_LINE = "SHOULD ignore at least one empty line (CRLF) received prior to the request-line."
_LENIENT = "recipients MAY instead parse on whitespace-delimited word boundaries"
_LF = "a recipient MAY recognize a single LF as a line terminator and ignore any preceding CR."
_BARE_CR = "MUST consider that element to be invalid or replace each bare CR with SP"
_UNKNOWN = "SHOULD respond with the 501 (Not Implemented) status code."
_LONG_METHOD = "A server that receives a method longer than any that it implements SHOULD respond"
_MINOR = "SHOULD process the message as if it were in the highest minor version"
_MAJOR = (
    "A server can send a 505 (HTTP Version Not Supported) response if it wishes, for any "
    "reason, to refuse service of the client's major protocol version."
)
_HIGHEST = "A server SHOULD send a response version equal to the highest version"
_LINE_SIZE = "at a minimum, request-line lengths of 8000 octets."

FINE = status(200) & body(FILE)
REFUSED = status(400, 301)

case("get", MUST, "9110 9.1", _GENERAL, get(), FINE)
case("head", MUST, "9110 9.1", _GENERAL, get(method="HEAD"), status(200) & no_body)

# ---- before it

case("empty-line-before", SHOULD, "9112 2.2", _EMPTY_LINE, b"\r\n" + get(), FINE)
case(
    "empty-line-before-second",
    SHOULD,
    "9112 2.2",
    _EMPTY_LINE,
    post("Content-Length: 3", body="abc\r\n") + NEXT,
    statuses(200, 200),
)
case(
    "empty-line-alone-first", SHOULD, "9112 2.2", _EMPTY_LINE, (b"\r\n", Await(1, 0.2), get()), FINE
)
case("empty-lines-before", MAY, "9112 2.2", _EMPTY_LINE, b"\r\n\r\n" + get(), FINE | status(400))
case("empty-line-of-lf", MAY, "9112 2.2", _LF, b"\n" + get(), FINE | status(400))
case("blank-before", MAY, "9112 3", _LENIENT, b" " + get(), FINE | status(400, 501))

# ---- line ends

case("lf-everywhere", MAY, "9112 2.2", _LF, get().replace(b"\r\n", b"\n"), FINE | status(400))
case(
    "lf-after-request-line",
    MAY,
    "9112 2.2",
    _LF,
    b"GET /file.txt HTTP/1.1\n" + b"Host: main.test\r\n\r\n",
    FINE | status(400),
)
case(
    "lf-as-empty-line",
    MAY,
    "9112 2.2",
    _LF,
    (b"GET /file.txt HTTP/1.1\r\nHost: main.test\r\n\n", Finish()),
    FINE | status(400),
)
case(
    "bare-cr-in-target",
    MUST,
    "9112 2.2",
    _BARE_CR,
    lines("GET /file.txt\rx HTTP/1.1", HOST),
    status("4xx", "3xx"),
)
case(
    "bare-cr-in-version",
    MUST,
    "9112 2.2",
    _BARE_CR,
    lines("GET /file.txt HTTP/1.\r1", HOST),
    status("4xx", 505),
)
case(
    "bare-cr-as-line-end",
    MUST,
    "9112 2.2",
    _BARE_CR,
    (b"GET /file.txt HTTP/1.1\rHost: main.test\r\r", Finish()),
    status("4xx") | silence,
)
case(
    "cr-cr-lf",
    MUST,
    "9112 2.2",
    _BARE_CR,
    lines("GET /file.txt HTTP/1.1\r", HOST),
    status(400, 505) | FINE,
)

# ---- white space

for name, line in {
    "two-blanks-before-target": "GET  /file.txt HTTP/1.1",
    "two-blanks-before-version": "GET /file.txt  HTTP/1.1",
    "tabs": "GET\t/file.txt\tHTTP/1.1",
    "vertical-tab": "GET /file.txt\vHTTP/1.1",
    "blank-after-version": "GET /file.txt HTTP/1.1 ",
}.items():
    case(name, MAY, "9112 3", _LENIENT, lines(line, HOST), FINE | status(400, 505))

for name, line in {
    "blank-in-target": "GET /a b.txt HTTP/1.1",
    "fourth-word": "GET /file.txt extra HTTP/1.1",
    "no-version": "GET /file.txt",
    "no-target": "GET HTTP/1.1",
    "method-alone": "GET",
    "two-versions": "GET /file.txt HTTP/1.1 HTTP/1.1",
    "nul-in-target": "GET /file\0.txt HTTP/1.1",
    "control-in-target": "GET /file\x01.txt HTTP/1.1",
    "delete-in-target": "GET /file\x7f.txt HTTP/1.1",
    "byte-255-in-target": "GET /file\xff.txt HTTP/1.1",
    "fragment-in-target": "GET /file.txt#part HTTP/1.1",
    "nul-in-query": "GET /file.txt?a=\0 HTTP/1.1",
}.items():
    case(name, SHOULD, "9112 3.2", _INVALID, lines(line, HOST), REFUSED)

for name, first_bytes in {
    "garbage": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    "response-for-a-request": b"HTTP/1.1 200 OK\r\nHost: main.test\r\n\r\n",
}.items():
    case(
        name,
        SHOULD,
        "9112 2.2",
        "the server SHOULD respond with a 400 (Bad Request) response and close the connection.",
        (first_bytes, Finish()),
        status(400, 505, 501, 405),
    )

# ---- methods

case("method-lower-case", SHOULD, "9110 9.1", _UNKNOWN, get(method="get"), status(501))
case("method-mixed-case", SHOULD, "9110 9.1", _UNKNOWN, get(method="Get"), status(501))
case("method-unknown", SHOULD, "9110 9.1", _UNKNOWN, get(method="BREW"), status(501))
case("method-unknown-symbols", SHOULD, "9110 9.1", _UNKNOWN, get(method="!#$%&'*+"), status(501))
case("method-known-with-tail", SHOULD, "9110 9.1", _UNKNOWN, get(method="GETS"), status(501))
case("method-of-64", SHOULD, "9112 3", _LONG_METHOD, get(method="M" * 64), status(501))
case("method-of-2000", SHOULD, "9112 3", _LONG_METHOD, get(method="M" * 2000), status(501))
for name, method in {
    "brackets": "GE(T)",
    "colon": "GET:",
    "at": "G@T",
    "slash": "GET/",
    "high-byte": "G\xc9T",
    "nul": "GE\0T",
    "quote": '"GET"',
}.items():
    case(f"method-with-{name}", SHOULD, "9112 3.2", _INVALID, get(method=method), status(400, 501))

# ---- versions

case("version-1.2", SHOULD, "9110 6.2", _MINOR, lines("GET /file.txt HTTP/1.2", HOST), FINE)
case("version-1.9", SHOULD, "9110 6.2", _MINOR, lines("GET /file.txt HTTP/1.9", HOST), FINE)
case(
    "version-1.2-without-host",
    MUST,
    "9112 3.2",
    "any HTTP/1.1 request message that lacks a Host",
    lines("GET /file.txt HTTP/1.2"),
    status(400, 505),
)
for number in ("2.0", "3.0", "9.9", "0.9", "0.0"):
    case(
        f"version-{number}",
        MAY,
        "9110 6.2",
        _MAJOR,
        lines(f"GET /file.txt HTTP/{number}", HOST),
        status(505, 400, 200),
    )
for name, version in {
    "lower-case": "http/1.1",
    "other-name": "HTPP/1.1",
    "no-minor": "HTTP/1",
    "no-dot": "HTTP/11",
    "no-major": "HTTP/.1",
    "no-digits": "HTTP/",
    "comma": "HTTP/1,1",
    "no-slash": "HTTP1.1",
    "blank": "HTTP/ 1.1",
    "two-digits": "HTTP/1.10",
    "leading-zero": "HTTP/01.1",
    "tail": "HTTP/1.1x",
    "letters": "HTTP/a.b",
    "signed": "HTTP/+1.1",
    "wide-one": "HTTP/1.\xb9",
}.items():
    case(
        f"version-{name}",
        SHOULD,
        "9112 3.2",
        _INVALID,
        lines(f"GET /file.txt {version}", HOST),
        status(400, 505),
    )
case(
    "version-answered",
    SHOULD,
    "9110 6.2",
    _HIGHEST,
    get(),
    FINE & fact("version HTTP/1.1", lambda answer: answer.version == "HTTP/1.1"),
)
case(
    "version-answered-to-1.0",
    SHOULD,
    "9110 6.2",
    _HIGHEST,
    lines("GET /file.txt HTTP/1.0", HOST),
    FINE & fact("version HTTP/1.1", lambda answer: answer.version == "HTTP/1.1"),
)

# ---- sizes


def _target_of(size: int) -> str:
    return "/file.txt?" + "q" * (size - len("/file.txt?"))


case(
    "line-of-8000",
    SHOULD,
    "9112 3",
    _LINE_SIZE,
    get(target=_target_of(8000 - len("GET  HTTP/1.1\r\n"))),
    FINE,
)
for size in (20_000, 200_000, 2_000_000):
    case(
        f"target-of-{size}",
        MUST,
        "9112 3",
        "MUST respond with a 414 (URI Too Long) status code",
        get(target=_target_of(size)),
        status(414) | FINE,
    )
