"""Field lines: names, values, white space, folding, numbers and sizes."""

from ..case import FILE, HOST, MAY, MUST, NEXT, SHOULD, Finish, Topic, chunked, get, lines, post
from ..checks import body, closed, echoed, kept, silence, status, statuses

case = Topic("fields")

_CASELESS = "Field names are case-insensitive"
_UNRECOGNIZED = "Other recipients SHOULD ignore unrecognized header and trailer fields."
_SPACE = (
    "A server MUST reject, with a response status code of 400 (Bad Request), any received "
    "request message that contains whitespace between a header field name and colon."
)
_OWS = (
    "a field parsing implementation MUST exclude such whitespace prior to evaluating the field"
    " value."
)
_FOLD = (
    "MUST either reject the message by sending a 400 (Bad Request), preferably with a "
    "representation explaining that obsolete line folding is unacceptable"
)
_FIRST = "either reject the message as invalid or consume each whitespace-preceded line without"
_CONTROLS = "MUST either reject the message or replace each of those characters with SP"
_BARE_CR = "MUST consider that element to be invalid or replace each bare CR with SP"
_OPAQUE = (
    "A recipient SHOULD treat other allowed octets in field content (i.e., obs-text) as opaque"
    " data."
)
_NOT_GRAMMAR = (
    "does not match the HTTP-message grammar aside from the robustness exceptions listed "
    "above, the server SHOULD respond with a 400 (Bad Request) response and close the "
    "connection."
)
_LARGE = "MUST respond with an appropriate 4xx (Client Error) status code."
_WHOLE = (
    "A server MUST NOT apply a request to the target resource until it receives the entire "
    "request header section"
)
_EMPTY_MEMBERS = "A recipient MUST parse and ignore a reasonable number of empty list elements"
_COMBINE = "A recipient MAY combine multiple field lines within a field section that have the same"

FINE = status(200) & body(FILE)
BAD = status(400)

# ---- names

case(
    "name-upper-case",
    MUST,
    "9110 5.1",
    _CASELESS,
    lines("POST /echo HTTP/1.1", "HOST: main.test", "CONTENT-LENGTH: 3", body="abc"),
    echoed(b"abc") & kept,
)
case(
    "name-mixed-case",
    MUST,
    "9110 5.1",
    _CASELESS,
    post("tRANSFER-eNCODING: chunked", body="3\r\nabc\r\n0\r\n\r\n"),
    echoed(b"abc"),
)
case(
    "unknown", SHOULD, "9110 5.1", _UNRECOGNIZED, get("X-Unknown: 1", "Foo: bar, baz"), FINE & kept
)
case(
    "name-of-every-symbol", SHOULD, "9110 5.1", _UNRECOGNIZED, get("!#$%&'*+-.^_`|~09azAZ: 1"), FINE
)
case("name-of-one-letter", SHOULD, "9110 5.1", _UNRECOGNIZED, get("a: 1"), FINE)
case("name-of-digits", SHOULD, "9110 5.1", _UNRECOGNIZED, get("123: 4"), FINE)
case("underscore", SHOULD, "9110 5.1", _UNRECOGNIZED, get("Content_Length: 5"), FINE & kept)
for name, line in {
    "no-colon": "Foo",
    "no-name": ": bar",
    "blank-in-name": "Foo Bar: baz",
    "nul-in-name": "Fo\0o: b",
    "slash-in-name": "Fo/o: b",
    "bracket-in-name": "Fo(o: b",
    "high-byte-in-name": "Fo\xc9: b",
    "quote-in-name": '"Foo": b',
    "at-in-name": "F@o: b",
    "equals-for-colon": "Foo=bar",
    "control-in-name": "Fo\x01o: b",
    "delete-in-name": "Fo\x7fo: b",
    "bracket-at-name": "[Foo]: b",
    "semicolon-for-colon": "Foo; bar",
}.items():
    case(name, SHOULD, "9112 2.2", _NOT_GRAMMAR, get(line), BAD & closed)

# ---- white space

case("blank-before-colon", MUST, "9112 5.1", _SPACE, get("Foo : bar"), BAD)
case("tab-before-colon", MUST, "9112 5.1", _SPACE, get("Foo\t: bar"), BAD)
case("blanks-before-colon", MUST, "9112 5.1", _SPACE, get("Foo  : bar"), BAD)
case(
    "blank-before-colon-of-host",
    MUST,
    "9112 5.1",
    _SPACE,
    lines("GET /file.txt HTTP/1.1", "Host : main.test"),
    BAD,
)
case(
    "blank-before-colon-of-length",
    MUST,
    "9112 5.1",
    _SPACE,
    post("Content-Length : 3", body="abc"),
    BAD,
)
case(
    "blank-before-colon-of-coding",
    MUST,
    "9112 5.1",
    _SPACE,
    post("Transfer-Encoding : chunked", body="0\r\n\r\n"),
    BAD,
)
for name, line in {
    "no-blank": "Content-Length:3",
    "blanks": "Content-Length:   3   ",
    "tabs": "Content-Length:\t3\t",
    "mixed": "Content-Length: \t 3 \t",
}.items():
    case(
        f"around-value-{name}",
        MUST,
        "9110 5.5",
        _OWS,
        post(line, body="abc"),
        echoed(b"abc") & kept,
    )
case(
    "around-host",
    MUST,
    "9110 5.5",
    _OWS,
    lines("GET /which.txt HTTP/1.1", "Host:\t other.test \t"),
    status(200) & body(b"other\n"),
)
case("value-empty", SHOULD, "9110 5.1", _UNRECOGNIZED, get("X-Empty:", "X-Blank:  "), FINE)

# ---- lines that begin with white space

case("fold", MUST, "9112 5.2", _FOLD, get("Foo: bar", " baz"), BAD | FINE)
case("fold-tab", MUST, "9112 5.2", _FOLD, get("Foo: bar", "\tbaz"), BAD | FINE)
case(
    "fold-of-length",
    MUST,
    "9112 5.2",
    _FOLD,
    post("Content-Length:", " 3", body="abc"),
    BAD & closed | echoed(b"abc"),
)
case(
    "fold-of-coding",
    MUST,
    "9112 5.2",
    _FOLD,
    post("Transfer-Encoding:", " chunked", body="3\r\nabc\r\n0\r\n\r\n"),
    status(400, 501) | echoed(b"abc"),
)
case(
    "fold-hides-a-field",
    MUST,
    "9112 5.2",
    _FOLD,
    post("Foo: bar", " Content-Length: 40", "Content-Length: 3", body="abc"),
    BAD | echoed(b"abc") & kept,
)
case(
    "fold-of-host",
    MUST,
    "9112 5.2",
    _FOLD,
    lines("GET /which.txt HTTP/1.1", "Host:", " other.test"),
    BAD | status(200) & body(b"other\n"),
)
case("fold-of-blanks", MUST, "9112 5.2", _FOLD, get("Foo: bar", "   "), BAD | FINE)
case(
    "blank-line-first",
    MUST,
    "9112 2.2",
    _FIRST,
    lines("GET /file.txt HTTP/1.1", " Foo: bar", HOST),
    BAD | FINE,
)
case(
    "blank-hides-host",
    MUST,
    "9112 2.2",
    _FIRST,
    lines("GET /file.txt HTTP/1.1", " Host: main.test"),
    BAD,
)
case(
    "tab-hides-host",
    MUST,
    "9112 2.2",
    _FIRST,
    lines("GET /which.txt HTTP/1.1", "\tHost: other.test", "Host: main.test"),
    BAD | status(200) & body(b"main\n"),
)
case(
    "blank-hides-length",
    MUST,
    "9112 2.2",
    _FIRST,
    lines("GET /file.txt HTTP/1.1", f" Content-Length: {len(NEXT)}", HOST) + NEXT,
    BAD | statuses(200, 200),
)

# ---- values

for name, byte in {"nul": "\0", "cr": "\r"}.items():
    rule = _CONTROLS if name == "nul" else _BARE_CR
    section = "9110 5.5" if name == "nul" else "9112 2.2"
    case(f"{name}-in-value", MUST, section, rule, get(f"Foo: a{byte}b"), BAD | FINE)
    case(
        f"{name}-in-host",
        MUST,
        section,
        rule,
        lines("GET /which.txt HTTP/1.1", f"Host: other.test{byte}x"),
        BAD,
    )
    case(
        f"{name}-in-length",
        MUST,
        section,
        rule,
        post(f"Content-Length: 3{byte}", body="abc"),
        BAD & closed | echoed(b"abc"),
    )
    case(
        f"{name}-hides-a-field",
        MUST,
        section,
        rule,
        post(f"Foo: bar{byte}Transfer-Encoding: chunked", "Content-Length: 5", body="0\r\n\r\n")
        + NEXT,
        BAD | statuses(200, 200),
    )
case("high-bytes", SHOULD, "9110 5.5", _OPAQUE, get("Foo: \xe4\xff\x80"), FINE)
case("tab-in-value", SHOULD, "9110 5.1", _UNRECOGNIZED, get("Foo: a\tb"), FINE)
case("colons-in-value", SHOULD, "9110 5.1", _UNRECOGNIZED, get("Foo: a:b:c: d"), FINE)
case(
    "control-in-value",
    MAY,
    "9110 5.5",
    "recipients MAY retain such characters for the sake of robustness",
    get("Foo: a\x01b"),
    FINE | BAD,
)
case("repeated", MAY, "9110 5.3", _COMBINE, get("Foo: a", "Foo: b", "foo: c"), FINE)
case(
    "empty-members-of-connection",
    MUST,
    "9110 5.6.1.2",
    _EMPTY_MEMBERS,
    get("Connection: , ,close,") + NEXT,
    FINE & closed,
)
case(
    "empty-members-of-accept",
    MUST,
    "9110 5.6.1.2",
    _EMPTY_MEMBERS,
    get("Accept: , text/plain, ,*/*;q=0.1,"),
    FINE,
)
case(
    "lf-alone-between-fields",
    MAY,
    "9112 2.2",
    "a recipient MAY recognize a single LF",
    b"GET /file.txt HTTP/1.1\r\nHost: main.test\nFoo: bar\r\n\r\n",
    FINE | BAD,
)

# ---- sizes and numbers

case(
    "many",
    MAY,
    "9110 5.4",
    "HTTP does not place a predefined limit on the length of each field line",
    get(*(f"X-{i}: {i}" for i in range(60))),
    FINE | status("4xx"),
)
case(
    "line-of-4000",
    MAY,
    "9110 5.4",
    "HTTP does not place a predefined limit on the length of each field line",
    get("Cookie: " + "c" * 4000),
    FINE | status("4xx"),
)
for name, extra in {
    "line-of-100000": ["Foo: " + "v" * 100_000],
    "lines-of-3-mib": [f"F{i}: " + "v" * 3000 for i in range(1000)],
    "lines-of-20000": [f"F{i}: v" for i in range(20_000)],
    "name-of-100000": ["N" * 100_000 + ": v"],
}.items():
    case(name, MUST, "9110 5.4", _LARGE, get(*extra), status("4xx") | FINE)

# ---- not all of it

case(
    "cut-in-field",
    MUST,
    "9110 5.3",
    _WHOLE,
    (b"GET /file.txt HTTP/1.1\r\nHost: main.test\r\nFoo: b", Finish()),
    status("4xx") | silence,
)
case(
    "cut-before-empty-line",
    MUST,
    "9110 5.3",
    _WHOLE,
    (b"GET /file.txt HTTP/1.1\r\nHost: main.test\r\n", Finish()),
    status("4xx") | silence,
)
case(
    "cut-in-request-line",
    MUST,
    "9110 5.3",
    _WHOLE,
    (b"GET /file.txt HT", Finish()),
    status("4xx") | silence,
)
case(
    "cut-second",
    MUST,
    "9110 5.3",
    _WHOLE,
    (get() + b"GET /smuggled.txt HTTP/1.1\r\nHost: main.test\r\n", Finish()),
    (FINE | statuses(200, "4xx")) & closed,
)
case(
    "late-host",
    MUST,
    "9112 3.2",
    "any HTTP/1.1 request message that lacks a Host header field",
    chunked("0\r\nHost: main.test\r\n\r\n").replace(b"Host: main.test\r\n", b"", 1),
    BAD,
)
