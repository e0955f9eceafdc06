"""The length of a body: Content-Length and Transfer-Encoding, alone."""

from ..case import FILE, HOST, MAY, MUST, NEXT, SHOULD, Await, Finish, Topic, get, lines, post
from ..checks import body, closed, echoed, kept, silence, status, statuses

case = Topic("length")

_BAD_LENGTH = (
    "the server MUST respond with a 400 (Bad Request) status code and then close the connection."
)
_LARGE = "a recipient MUST anticipate potentially large decimal numerals and prevent parsing errors"
_SAME = "MAY either reject the message as invalid or replace that invalid field value"
_LENGTH = "its decimal value defines the expected message body length in octets."
_INCOMPLETE = "the recipient MUST consider the message to be incomplete and close the connection."
_NOT_FINAL = (
    "the server MUST respond with the 400 (Bad Request) status code and then close the connection."
)
_UNKNOWN_CODING = (
    "A server that receives a request message with a transfer coding it does not "
    "understand SHOULD respond with 501 (Not Implemented)."
)
_CHUNKED = "A recipient MUST be able to parse the chunked transfer coding"
_CASELESS = "All transfer-coding names are case-insensitive"
_ONCE = "A sender MUST NOT apply the chunked transfer coding more than once to a message body"
_HTTP10 = "MUST treat the message as if the framing is faulty, even if a Content-Length is present"
_PARAMETERS = (
    "The chunked coding does not define any parameters. Their presence SHOULD be treated "
    "as an error."
)
_NONE = (
    "If this is a request message and none of the above are true, then the message body length is"
    " zero"
)
_READ_ALL = "A server MUST read the entire request message body or close the connection"
_TOO_LARGE = "otherwise, the server MAY close the connection."

BAD = status(400) & closed
FINE = status(200) & body(FILE)
EMPTY_CHUNKED = "0\r\n\r\n"

# ---- Content-Length

case(
    "whole",
    MUST,
    "9112 6.3",
    _LENGTH,
    post("Content-Length: 10", body="0123456789"),
    echoed(b"0123456789") & kept,
)
case("zero", MUST, "9112 6.3", _LENGTH, post("Content-Length: 0"), echoed(b"") & kept)
case("none", MUST, "9112 6.3", _NONE, post(), echoed(b"") & kept | status(411))
case(
    "leading-zeros",
    MUST,
    "9112 6.3",
    _LENGTH,
    post("Content-Length: 0003", body="abc"),
    echoed(b"abc") & kept,
)
case(
    "binary",
    MUST,
    "9112 6.3",
    _LENGTH,
    post("Content-Length: 256", body=bytes(range(256))),
    echoed(bytes(range(256))) & kept,
)
case(
    "looks-like-a-request",
    MUST,
    "9112 6.3",
    _LENGTH,
    post(f"Content-Length: {len(NEXT)}", body=NEXT),
    echoed(NEXT) & kept,
)
case(
    "of-65536",
    MUST,
    "9112 6.3",
    _LENGTH,
    post("Content-Length: 65536", body=b"x" * 65536),
    echoed(b"x" * 65536) & kept,
)
case(
    "in-two-pieces",
    MUST,
    "9112 6.3",
    _LENGTH,
    (post("Content-Length: 6", body="abc"), Await(1, 0.2), b"def"),
    echoed(b"abcdef") & kept,
)
case(
    "head-then-body",
    MUST,
    "9112 6.3",
    _LENGTH,
    (post("Content-Length: 3"), Await(1, 0.2), b"abc"),
    echoed(b"abc") & kept,
)
case(
    "http10",
    MUST,
    "9112 6.3",
    _LENGTH,
    lines("POST /echo HTTP/1.0", HOST, "Content-Length: 3", body="abc"),
    echoed(b"abc") & closed,
)

for name, value in {
    "negative": "-3",
    "plus": "+3",
    "hex": "0x3",
    "letters": "three",
    "empty": "",
    "fraction": "3.0",
    "comma-end": "3,x",
    "two-numbers": "3 3",
    "exponent": "3e0",
    "blank-inside": "1 0",
    "quoted": '"3"',
    "semicolon": "3;a=b",
    "lists-differ": "3, 4",
    "wide-digit": "\xb3",
    "minus-zero": "-0",
    "underscore": "1_0",
    "octal": "0o3",
    "suffix": "3b",
}.items():
    case(
        f"bad-{name}",
        MUST,
        "9112 6.3",
        _BAD_LENGTH,
        post(f"Content-Length: {value}", body="abc"),
        BAD,
    )
case("bad-on-get", MUST, "9112 6.3", _BAD_LENGTH, get("Content-Length: abc"), BAD)
case(
    "two-lines-differ",
    MUST,
    "9112 6.3",
    _BAD_LENGTH,
    post("Content-Length: 3", "Content-Length: 4", body="abcd"),
    BAD,
)
case(
    "two-lines-differ-apart",
    MUST,
    "9112 6.3",
    _BAD_LENGTH,
    post("Content-Length: 4", "Foo: bar", "content-length: 3", body="abcd"),
    BAD,
)
case(
    "second-line-bad",
    MUST,
    "9112 6.3",
    _BAD_LENGTH,
    post("Content-Length: 3", "Content-Length: x", body="abc"),
    BAD,
)
case(
    "two-lines-agree",
    MAY,
    "9110 8.6",
    _SAME,
    post("Content-Length: 3", "Content-Length: 3", body="abc"),
    BAD | echoed(b"abc"),
)
case(
    "list-agrees",
    MAY,
    "9110 8.6",
    _SAME,
    post("Content-Length: 3, 3", body="abc"),
    BAD | echoed(b"abc"),
)
for name, number in {
    "2-to-31": 2**31,
    "2-to-32-and-3": 2**32 + 3,
    "2-to-63": 2**63,
    "2-to-64-and-3": 2**64 + 3,
    "of-25-digits": 10**24 + 3,
}.items():
    case(
        f"huge-{name}",
        MUST,
        "9110 8.6",
        _LARGE,
        (post(f"Content-Length: {number}", body="abc"), Await(1, 1.5), Finish()),
        (status("4xx", "5xx") | silence) & closed,
    )
case(
    "beyond-limit",
    MAY,
    "9110 15.5.14",
    _TOO_LARGE,
    (post("Content-Length: 4000000"), Await(1, 1.0), Finish()),
    (status("4xx", "5xx") | silence) & closed,
)

# ---- a body where none is wanted

case(
    "get-with-body",
    MUST,
    "9112 9.3",
    _READ_ALL,
    get(f"Content-Length: {len(NEXT)}") + NEXT + NEXT,
    statuses(200, 200) | status("4xx") & closed | FINE & closed,
)
case(
    "head-with-body",
    MUST,
    "9112 9.3",
    _READ_ALL,
    (get("Content-Length: 3", method="HEAD") + b"abc",),
    status(200) | status("4xx") & closed,
)
case(
    "missing-file-with-body",
    MUST,
    "9112 9.3",
    _READ_ALL,
    post(f"Content-Length: {len(NEXT)}", body=NEXT, target="/missing"),
    status("4xx"),
)
case(
    "refused-method-with-body",
    MUST,
    "9112 9.3",
    _READ_ALL,
    post(f"Content-Length: {len(NEXT)}", body=NEXT, target="/file.txt"),
    status("4xx", 501) | FINE,
)
case(
    "large-body-nobody-wants",
    MUST,
    "9112 9.3",
    _READ_ALL,
    get("Content-Length: 60000", method="DELETE") + b"GET / HTTP/1.1\r\n" * 3750,
    status("2xx", "4xx", "5xx"),
)

# ---- cut short

case(
    "cut",
    MUST,
    "9112 6.3",
    _INCOMPLETE,
    (post("Content-Length: 10", body="abc"), Finish()),
    (status("4xx", "5xx") | silence) & closed,
)
case(
    "cut-at-once",
    MUST,
    "9112 6.3",
    _INCOMPLETE,
    (post("Content-Length: 10"), Finish()),
    (status("4xx", "5xx") | silence) & closed,
)
case(
    "cut-by-one",
    MUST,
    "9112 6.3",
    _INCOMPLETE,
    (post("Content-Length: 4", body="abc"), Finish()),
    (status("4xx", "5xx") | silence) & closed,
)

# ---- Transfer-Encoding

case(
    "chunked",
    MUST,
    "9112 6.1",
    _CHUNKED,
    post("Transfer-Encoding: chunked", body="3\r\nabc\r\n0\r\n\r\n"),
    echoed(b"abc") & kept,
)
case(
    "chunked-upper-case",
    MUST,
    "9112 7",
    _CASELESS,
    post("Transfer-Encoding: CHUNKED", body="3\r\nabc\r\n0\r\n\r\n"),
    echoed(b"abc") & kept,
)
case(
    "chunked-blanks",
    MUST,
    "9110 5.5",
    "MUST exclude such whitespace prior to evaluating",
    post("Transfer-Encoding: \t chunked \t", body="3\r\nabc\r\n0\r\n\r\n"),
    echoed(b"abc"),
)
for name, value in {
    "gzip": "gzip",
    "identity": "identity",
    "chunked-then-gzip": "chunked, gzip",
    "deflate": "deflate",
    "chunked-then-identity": "chunked, identity",
    "unknown": "cow",
}.items():
    # A coding that is not understood as well may be named by its own status.
    case(
        f"coding-{name}",
        MUST,
        "9112 6.3",
        _NOT_FINAL,
        post(f"Transfer-Encoding: {value}", body=EMPTY_CHUNKED),
        status(400, 501) & closed,
    )
for name, value in {
    "gzip-chunked": "gzip, chunked",
    "cow-chunked": "cow, chunked",
    "cow-parameters": "cow;a=b, chunked",
}.items():
    case(
        f"coding-{name}",
        SHOULD,
        "9112 6.1",
        _UNKNOWN_CODING,
        post(f"Transfer-Encoding: {value}", body=EMPTY_CHUNKED),
        status(501),
    )
case(
    "coding-chunked-twice",
    MUST,
    "9112 6.1",
    _ONCE,
    post("Transfer-Encoding: chunked, chunked", body=EMPTY_CHUNKED),
    status(400, 501) & closed,
)
case(
    "coding-chunked-on-two-lines",
    MUST,
    "9112 6.1",
    _ONCE,
    post("Transfer-Encoding: chunked", "Transfer-Encoding: chunked", body=EMPTY_CHUNKED),
    status(400, 501) & closed,
)
case(
    "coding-on-two-lines",
    MUST,
    "9112 6.3",
    _NOT_FINAL,
    post("Transfer-Encoding: chunked", "Transfer-Encoding: cow", body=EMPTY_CHUNKED),
    status(400, 501) & closed,
)
for name, value in {
    "xchunked": "xchunked",
    "chunkedx": "chunkedx",
    "quoted": '"chunked"',
    "bracket": "[chunked]",
    "vertical-tab": "\vchunked",
    "nul": "chunked\0",
    "dash": "chun-ked",
    "empty": "",
    "two-words": "chunked cow",
    "semicolon": "chunked;",
    "equals": "=chunked",
}.items():
    case(
        f"nearly-chunked-{name}",
        MUST,
        "9112 6.3",
        _NOT_FINAL,
        post(f"Transfer-Encoding: {value}", body=EMPTY_CHUNKED),
        status(400, 411 if value == "" else 400, 501) & closed,
    )
case(
    "chunked-with-parameter",
    SHOULD,
    "9112 7.1",
    _PARAMETERS,
    post("Transfer-Encoding: chunked;a=b", body=EMPTY_CHUNKED),
    status(400, 501),
)
case(
    "chunked-in-http10",
    MUST,
    "9112 6.1",
    _HTTP10,
    lines(
        "POST /echo HTTP/1.0",
        HOST,
        "Connection: keep-alive",
        "Transfer-Encoding: chunked",
        body="3\r\nabc\r\n0\r\n\r\n",
    ),
    status(400, 501, 200) & closed,
)
case(
    "chunked-and-length-in-http10",
    MUST,
    "9112 6.1",
    _HTTP10,
    lines(
        "POST /echo HTTP/1.0",
        HOST,
        "Connection: keep-alive",
        "Content-Length: 5",
        "Transfer-Encoding: chunked",
        body=EMPTY_CHUNKED,
    )
    + NEXT,
    status(400, 501, 200) & closed,
)
