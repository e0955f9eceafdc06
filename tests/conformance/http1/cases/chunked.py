"""Chunked bodies: sizes, extensions, trailers, and where they break."""

from ..case import FILE, MUST, NEXT, SHOULD, Await, Finish, Topic, byte_by_byte, chunked, get, post
from ..checks import body, closed, echoed, kept, silence, status, statuses

case = Topic("chunked")

_DECODE = "A recipient MUST be able to parse and decode the chunked transfer coding."
_LARGE = (
    "recipients MUST anticipate potentially large hexadecimal numerals and prevent parsing errors"
)
_EXTENSION = "A recipient MUST ignore unrecognized chunk extensions."
_EXTENSION_SIZE = (
    "A server ought to limit the total length of chunk extensions received in a request"
)
_BLANKS = "A recipient MUST parse for such bad whitespace and remove it before interpreting"
_MERGE = "A recipient MUST NOT merge a received trailer field into the header section unless"
_UNKNOWN = "Other recipients SHOULD ignore unrecognized header and trailer fields."
_INCOMPLETE = (
    "is incomplete if the zero-sized chunk that terminates the encoding has not been received"
)
_GRAMMAR = (
    "does not match the HTTP-message grammar aside from the robustness exceptions listed above, "
    "the server SHOULD respond with a 400 (Bad Request) response and close the "
    "connection."
)

ABC = b"abc"
END = "0\r\n\r\n"
BAD = status(400) & closed

# ---- good ones

for name, coded, content in (
    ("one-chunk", "3\r\nabc\r\n0\r\n\r\n", b"abc"),
    ("empty", "0\r\n\r\n", b""),
    ("three-chunks", "1\r\na\r\n1\r\nb\r\n1\r\nc\r\n0\r\n\r\n", b"abc"),
    ("upper-case-size", "A\r\n0123456789\r\n0\r\n\r\n", b"0123456789"),
    ("lower-case-size", "a\r\n0123456789\r\n0\r\n\r\n", b"0123456789"),
    ("leading-zeros", "0003\r\nabc\r\n0\r\n\r\n", b"abc"),
    ("many-leading-zeros", "00000000000003\r\nabc\r\n0\r\n\r\n", b"abc"),
    ("last-chunk-of-zeros", "3\r\nabc\r\n000\r\n\r\n", b"abc"),
    ("crlf-as-data", "4\r\n\r\n\r\n\r\n0\r\n\r\n", b"\r\n\r\n"),
    ("last-chunk-as-data", "5\r\n0\r\n\r\n\r\n0\r\n\r\n", b"0\r\n\r\n"),
    ("of-4096", "1000\r\n" + "x" * 4096 + "\r\n0\r\n\r\n", b"x" * 4096),
    ("of-70000", "11170\r\n" + "x" * 70000 + "\r\n0\r\n\r\n", b"x" * 70000),
    ("of-500-chunks", "2\r\nxy\r\n" * 500 + "0\r\n\r\n", b"xy" * 500),
):
    case(name, MUST, "9112 7.1", _DECODE, chunked(coded), echoed(content) & kept)
case(
    "binary",
    MUST,
    "9112 7.1",
    _DECODE,
    chunked(b"100\r\n" + bytes(range(256)) + b"\r\n0\r\n\r\n"),
    echoed(bytes(range(256))),
)
case(
    "byte-by-byte",
    MUST,
    "9112 7.1",
    _DECODE,
    byte_by_byte(chunked("3;a=b\r\nabc\r\n0\r\nFoo: bar\r\n\r\n")),
    echoed(ABC) & kept,
)
case(
    "late-pieces",
    MUST,
    "9112 7.1",
    _DECODE,
    (chunked("3\r"), Await(1, 0.1), b"\nab", Await(1, 0.1), b"c\r\n0\r\n", Await(1, 0.1), b"\r\n"),
    echoed(ABC) & kept,
)
case(
    "next-behind-it",
    MUST,
    "9112 7.1",
    _DECODE,
    chunked("3\r\nabc\r\n0\r\n\r\n") + NEXT,
    statuses(200, 200) & kept,
)
case(
    "two-chunked",
    MUST,
    "9112 7.1",
    _DECODE,
    chunked("3\r\nabc\r\n" + END) * 2,
    statuses(200, 200) & body(ABC) & kept,
)
case(
    "on-get",
    MUST,
    "9112 7.1",
    _DECODE,
    get("Transfer-Encoding: chunked") + b"3\r\nabc\r\n0\r\n\r\n",
    status(200) & body(FILE) | status("4xx") & closed,
)

# ---- extensions

for name, line in {
    "name": "3;foo",
    "value": "3;foo=bar",
    "quoted": '3;foo="bar"',
    "two": "3;foo=bar;baz",
    "quoted-semicolon": '3;foo="a;b"',
    "quoted-escape": '3;foo="a\\"b"',
    "empty-quoted": '3;foo=""',
    "tokens": "3;!#$%=&'*+",
    "quoted-colon": '3;foo="a: b"',
}.items():
    case(
        f"extension-{name}",
        MUST,
        "9112 7.1.1",
        _EXTENSION,
        chunked(f"{line}\r\nabc\r\n0\r\n\r\n"),
        echoed(ABC) & kept,
    )
case(
    "extension-of-last-chunk",
    MUST,
    "9112 7.1.1",
    _EXTENSION,
    chunked("3\r\nabc\r\n0;foo=bar\r\n\r\n"),
    echoed(ABC) & kept,
)
for name, line in {
    "before-semicolon": "3 ;foo=bar",
    "behind-semicolon": "3; foo=bar",
    "tab": "3\t;\tfoo=bar",
    "around-equals": "3;foo = bar",
}.items():
    case(
        f"blanks-{name}",
        MUST,
        "9110 5.6.3",
        _BLANKS,
        chunked(f"{line}\r\nabc\r\n0\r\n\r\n"),
        echoed(ABC) & kept,
    )
case(
    "extensions-of-1-mib",
    MUST,
    "9112 7.1.1",
    _EXTENSION_SIZE,
    chunked("3;foo=" + "x" * (1 << 20) + "\r\nabc\r\n0\r\n\r\n"),
    status("4xx") & closed | echoed(ABC),
)
for name, line in {
    "bare-cr": "3;foo=a\rb",
    "nul": "3;foo=a\0b",
    "control": "3;foo=a\x01b",
    "open-quote": '3;foo="bar',
}.items():
    case(
        f"extension-with-{name}",
        SHOULD,
        "9112 2.2",
        _GRAMMAR,
        chunked(f"{line}\r\nabc\r\n0\r\n\r\n"),
        BAD,
    )

# ---- sizes that are none

for name, line in {
    "letter": "g",
    "minus": "-3",
    "plus": "+3",
    "prefix": "0x3",
    "empty": "",
    "blank-first": " 3",
    "comma": "3,3",
    "underscore": "0_3",
    "dot": "3.0",
    "two-words": "3 3",
    "nul": "3\0",
    "word": "three",
    "high-byte": "\xb3",
    "colon": "3:",
    "only-extension": ";foo=bar",
    "letter-behind": "3x",
}.items():
    case(f"size-{name}", SHOULD, "9112 2.2", _GRAMMAR, chunked(f"{line}\r\nabc\r\n0\r\n\r\n"), BAD)
for name, line in {
    "of-17-digits": "1" + "0" * 16 + "3",
    "of-16-f": "f" * 16,
    "of-40-digits": "1" * 40,
    "2-to-63": "8" + "0" * 15,
    "2-to-32-and-3": "100000003",
    "2-to-31": "80000000",
}.items():
    case(
        f"size-{name}",
        MUST,
        "9112 7.1",
        _LARGE,
        (chunked(f"{line}\r\nabc\r\n0\r\n\r\n"), Await(1, 1.5), Finish()),
        (status("4xx", "5xx") | silence) & closed,
    )

# ---- ends that are none

for name, coded in {
    "no-crlf-behind-data": "3\r\nabc0\r\n\r\n",
    "more-data-than-size": "3\r\nabcdef\r\n0\r\n\r\n",
    "less-data-than-size": "5\r\nabc\r\n0\r\n\r\n",
    "cr-alone-behind-data": "3\r\nabc\r0\r\n\r\n",
    "cr-alone-behind-size": "3\rabc\r\n0\r\n\r\n",
    "other-bytes-behind-data": "3\r\nabcXX0\r\n\r\n",
    "blanks-behind-data": "3\r\nabc  \r\n0\r\n\r\n",
    "two-crlf-behind-data": "3\r\nabc\r\n\r\n0\r\n\r\n",
}.items():
    case(name, SHOULD, "9112 2.2", _GRAMMAR, (chunked(coded), Await(1, 1.0), Finish()), BAD)
for name, coded in {
    "lf-behind-size": "3\nabc\r\n0\r\n\r\n",
    "lf-behind-data": "3\r\nabc\n0\r\n\r\n",
    "lf-at-the-end": "3\r\nabc\r\n0\r\n\n",
}.items():
    # LF alone ends a line of a head or a trailer section by leave; a chunk has no such leave.
    case(
        name,
        SHOULD,
        "9112 2.2",
        _GRAMMAR,
        (chunked(coded), Await(1, 1.0), Finish()),
        BAD | echoed(ABC) if name == "lf-at-the-end" else BAD,
    )

for name, coded in {
    "no-last-chunk": "3\r\nabc\r\n",
    "in-data": "3\r\nab",
    "in-size": "3",
    "nothing": "",
    "no-final-crlf": "3\r\nabc\r\n0\r\n",
    "in-trailer": "3\r\nabc\r\n0\r\nFoo: b",
}.items():
    case(
        f"cut-{name}",
        MUST,
        "9112 8",
        _INCOMPLETE,
        (chunked(coded), Finish()),
        (status("4xx", "5xx") | silence) & closed,
    )

# ---- trailers

case(
    "trailer",
    SHOULD,
    "9110 5.1",
    _UNKNOWN,
    chunked("3\r\nabc\r\n0\r\nFoo: bar\r\n\r\n"),
    echoed(ABC) & kept,
)
case(
    "trailer-announced",
    SHOULD,
    "9110 5.1",
    _UNKNOWN,
    post("Trailer: Foo", "Transfer-Encoding: chunked", body="3\r\nabc\r\n0\r\nFoo: bar\r\n\r\n"),
    echoed(ABC) & kept,
)
case(
    "trailers",
    SHOULD,
    "9110 5.1",
    _UNKNOWN,
    chunked("3\r\nabc\r\n0\r\nFoo: bar\r\nBar: foo\r\nFoo: baz\r\n\r\n"),
    echoed(ABC) & kept,
)
for name, field in {
    "length": "Content-Length: 40",
    "coding": "Transfer-Encoding: chunked",
    "host": "Host: other.test",
    "connection": "Connection: close",
    "coding-unknown": "Transfer-Encoding: cow",
}.items():
    case(
        f"trailer-{name}",
        MUST,
        "9112 7.1.2",
        _MERGE,
        chunked(f"3\r\nabc\r\n0\r\n{field}\r\n\r\n") + NEXT,
        (statuses(200, 200) & kept) | status(400) & closed,
    )
case(
    "trailer-range",
    MUST,
    "9112 7.1.2",
    _MERGE,
    get("Transfer-Encoding: chunked") + b"0\r\nRange: bytes=0-1\r\n\r\n",
    status(200) & body(FILE) | status("4xx") & closed,
)
for name, line in {
    "no-colon": "Foo",
    "blank-before-colon": "Foo : bar",
    "no-name": ": bar",
    "nul": "Foo: a\0b",
    "control-in-name": "F\x01: b",
}.items():
    case(
        f"trailer-bad-{name}",
        SHOULD,
        "9112 2.2",
        _GRAMMAR,
        (chunked(f"3\r\nabc\r\n0\r\n{line}\r\n\r\n"), Await(1, 1.0), Finish()),
        BAD,
    )
case(
    "trailers-of-1-mib",
    MUST,
    "9110 5.4",
    "MUST respond with an appropriate 4xx (Client Error) status code.",
    chunked("3\r\nabc\r\n0\r\n" + "Foo: bar\r\n" * 100_000 + "\r\n"),
    status("4xx") & closed | echoed(ABC),
)
