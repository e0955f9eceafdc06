"""What answers are made of: dates, lengths, types, validators, redirects, and Vary."""

import email.utils
import re
import time

from ..case import ETAG, FILE, LAST_MODIFIED, MAY, MUST, SHOULD, Topic, get, lines
from ..checks import Check, body, closed, fact, field, kept, no_body, no_field, status
from ..site import MAIN, PAGE
from ..wire import Answer

case = Topic("answers")

_DATE = (
    "MUST generate a Date header field in all 2xx (Successful), 3xx (Redirection), and 4xx (Client"
    " Error)"
)
_FORMAT = "the sender MUST generate those timestamps in the IMF-fixdate format."
_LENGTH = (
    "SHOULD send a Content-Length header field when the content size is known prior to sending"
)
_MODIFIED = (
    "An origin server SHOULD send Last-Modified for any selected representation for which a last"
)
_LATER = (
    "MUST NOT generate a Last-Modified date that is later than the server's time of message"
    " origination"
)
_ETAG = (
    "An origin server SHOULD send an ETag for any selected representation for which detection of"
    " changes"
)
_TYPE = "SHOULD generate a Content-Type header field in that message unless the intended media type"
_EXPLAIN = (
    "the server SHOULD send a representation containing an explanation of the error situation"
)
_LOCATION = (
    "The server SHOULD generate a Location header field in the response containing a preferred URI"
)
_FINE_GRAINED = (
    "An origin server SHOULD NOT generate a Server header field containing needlessly "
    "fine-grained detail"
)
_CODING = (
    "SHOULD send a response without any content coding unless the identity coding is indicated"
)
_NEGOTIATE = "header field can be used to indicate preferences regarding the use of content codings"
_IGNORE = "Other recipients SHOULD ignore unrecognized header and trailer fields."

FINE = status(200) & body(FILE)
_IMF = (
    r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} "
    r"\d\d:\d\d:\d\d GMT"
)

# ---- Date

for name, message, expect in (
    ("200", get(), status(200)),
    ("404", get(target="/missing"), status(404)),
    ("304", get(f"If-Modified-Since: {LAST_MODIFIED}"), status(304)),
    ("400", get("Foo : bar"), status(400)),
    ("head", get(method="HEAD"), status(200)),
    ("redirect", get(target="/folder"), status("3xx", 200)),
    ("204", get(target="/nothing"), status(204)),
    ("405", get(method="DELETE"), status(405) & field("Date") | status("4xx", 501)),
    ("http10", lines("GET /file.txt HTTP/1.0", "Host: main.test"), status(200)),
):
    case(
        f"date-{name}",
        MUST,
        "9110 6.6.1",
        _DATE,
        message,
        expect if name == "405" else expect & field("Date"),
    )


def _date_is_now(answer: Answer) -> str:
    date = answer.get("Date") or ""
    if re.fullmatch(_IMF, date) is None:
        return f"Date is {date!r}"
    told = email.utils.parsedate_to_datetime(date).timestamp()
    return "" if abs(told - time.time()) < 30 else f"Date is {date!r}"


case("date-format", MUST, "9110 5.6.7", _FORMAT, get(), FINE & fact("a Date of now", _date_is_now))
case(
    "date-once",
    MUST,
    "9110 6.6.1",
    _DATE,
    get(),
    FINE & fact("one Date", lambda a: len(a.all("Date")) == 1),
)

# ---- lengths

for name, target, content in (
    ("file", "/file.txt", FILE),
    ("page", "/", PAGE),
    ("empty", "/empty.txt", b""),
    ("big", "/big.bin", MAIN["big.bin"]),
):
    case(
        f"length-{name}",
        SHOULD,
        "9110 8.6",
        _LENGTH,
        get(target=target),
        status(200) & body(content) & field("Content-Length", str(len(content))) & kept,
    )
case(
    "whole-404",
    MUST,
    "9112 6.3",
    "its decimal value defines the expected message body length in octets.",
    get(target="/missing"),
    status(404) & kept,
)
case(
    "whole-400",
    MUST,
    "9112 2.2",
    "the server SHOULD respond with a 400 (Bad Request) response and close the connection.",
    get("Foo bar"),
    status(400) & closed,
)

# ---- validators


def _is_modified(answer: Answer) -> str:
    value = answer.get("Last-Modified")
    return "" if value == LAST_MODIFIED else f"Last-Modified is {value!r}"


def _etag(strong: bool) -> Check:
    pattern = r'"[!#-~\x80-\xff]*"' if strong else r'(W/)?"[!#-~\x80-\xff]*"'
    return field("ETag", pattern)


case(
    "last-modified",
    SHOULD,
    "9110 8.8.2.1",
    _MODIFIED,
    get(),
    FINE & fact("Last-Modified", _is_modified),
)
case(
    "last-modified-format",
    MUST,
    "9110 5.6.7",
    _FORMAT,
    get(),
    FINE & field("Last-Modified", _IMF) | FINE & no_field("Last-Modified"),
)
case(
    "last-modified-not-later",
    MUST,
    "9110 8.8.2.1",
    _LATER,
    get(),
    FINE
    & fact(
        "not later than Date",
        lambda a: not a.get("Last-Modified")
        or email.utils.parsedate_to_datetime(a.get("Last-Modified")).timestamp()
        <= time.time() + 30,
    ),
)
case("etag", SHOULD, "9110 8.8.3.1", _ETAG, get(), FINE & _etag(strong=False))
case(
    "etag-strong",
    SHOULD,
    "9110 15.3.1",
    "with both a strong entity tag and a Last-Modified date being preferred.",
    get(),
    FINE & _etag(strong=True) & field("Last-Modified"),
)

# ---- types and explanations

for name, target, kind in (
    ("text", "/file.txt", "text/plain"),
    ("page", "/page.html", "text/html"),
    ("index", "/", "text/html"),
):
    case(
        f"type-{name}",
        SHOULD,
        "9110 8.3",
        _TYPE,
        get(target=target),
        status(200) & field("Content-Type", re.escape(kind) + r"(;.*)?"),
    )
for name, message, code in (("404", get(target="/missing"), 404), ("400", get("Foo : bar"), 400)):
    case(
        f"explained-{name}",
        SHOULD,
        "9110 15.5",
        _EXPLAIN,
        message,
        status(code) & fact("some words", lambda a: len(a.body) > 0),
    )
    case(
        f"explained-{name}-type",
        SHOULD,
        "9110 8.3",
        _TYPE,
        message,
        status(code) & (field("Content-Type", r"[!-.0-~]+/[!-~]+(;.*)?") | no_body),
    )
case(
    "folder-moved",
    SHOULD,
    "9110 15.4.2",
    _LOCATION,
    get(target="/folder"),
    status(301, 302, 307, 308) & field("Location", r"(http://main\.test(:\d+)?)?/?folder/")
    | status(200) & body(PAGE),
)
case(
    "folder-moved-query",
    SHOULD,
    "9110 15.4.2",
    _LOCATION,
    get(target="/folder?a=b"),
    status(301, 302, 307, 308) & field("Location", r".*folder/(\?a=b)?") | status(200) & body(PAGE),
)
case(
    "folder-not-elsewhere",
    MUST,
    "9110 17.3",
    "an origin server needs to avoid accessing names that have a "
    "special significance to the system",
    get(target="//other.test/.."),
    status(200, "4xx")
    | status(301, 302, 307, 308) & field("Location", r"(http://main\.test(:\d+)?)?/([^/].*)?"),
)
case(
    "server-brief",
    SHOULD,
    "9110 10.2.4",
    _FINE_GRAINED,
    get(),
    FINE & fact("no more than a product", lambda a: len((a.get("Server") or "").split()) <= 2),
)

# ---- negotiation

for name, value in {
    "none-wanted": "identity",
    "gzip-refused": "gzip;q=0, br;q=0, zstd;q=0, *;q=0, identity",
    "empty": "",
    "unknown": "cow",
    "bad-q": "gzip;q=x",
}.items():
    expect = status(200) & body(MAIN["text.txt"]) & no_field("Content-Encoding")
    case(
        f"coding-{name}",
        SHOULD,
        "9110 12.5.3",
        _CODING,
        get(f"Accept-Encoding: {value}", target="/text.txt"),
        expect,
    )
case(
    "coding-gzip",
    MAY,
    "9110 12.5.3",
    _NEGOTIATE,
    get("Accept-Encoding: gzip", target="/text.txt"),
    status(200) & body(MAIN["text.txt"]) & no_field("Content-Encoding")
    | status(200)
    & field("Content-Encoding", "gzip")
    & field("Vary", "(?i).*(accept-encoding|\\*).*"),
)
case(
    "coding-tag-differs",
    MUST,
    "9110 8.8.3",
    "An entity tag is an opaque validator for differentiating between multiple representations",
    get("Accept-Encoding: gzip", f"If-None-Match: {ETAG}"),
    status(304, 200) & kept,
)
for name, value in {
    "other-type": "image/png",
    "q-zero": "text/plain;q=0, text/html",
    "odd": "*/*;q=0.001",
    "broken": ";;;,/,q",
    "long": ", ".join(["text/a"] * 200),
}.items():
    case(
        f"accept-{name}",
        MAY,
        "9110 12.4.1",
        "or disregard the header field by treating the response as if it is not subject",
        get(f"Accept: {value}"),
        FINE | status(406) | status(400),
    )
case(
    "accept-language",
    MAY,
    "9110 12.4.1",
    "or disregard the header field by treating the response as if it is",
    get("Accept-Language: xx"),
    FINE | status(406),
)
case("te-trailers", SHOULD, "9110 5.1", _IGNORE, get("TE: trailers", "Connection: TE"), FINE & kept)
case(
    "te-gzip",
    MAY,
    "9110 10.1.4",
    "only HTTP/1.1 uses transfer codings",
    get("TE: gzip", "Connection: TE"),
    FINE,
)
case("max-forwards", SHOULD, "9110 5.1", _IGNORE, get("Max-Forwards: 0"), FINE & kept)
case("authorization", SHOULD, "9110 5.1", _IGNORE, get("Authorization: Basic eDp5"), FINE & kept)
case(
    "content-fields-on-get",
    SHOULD,
    "9110 5.1",
    _IGNORE,
    get("Content-Type: text/plain", "Content-Encoding: gzip", "Content-Location: /x"),
    FINE & kept,
)

# ---- caches

case(
    "no-age",
    MUST,
    "9111 5.1",
    "The presence of an Age header field implies that the response was not generated or validated"
    " by the origin server for this request.",
    get(),
    FINE & no_field("Age"),
)
for name, value in {
    "no-cache": "no-cache, no-store, max-age=0",
    "only-if-cached": "only-if-cached",
    "unknown": 'cow="a, b", max-age=x, =',
}.items():
    case(
        f"cache-control-{name}",
        MAY,
        "9111 5.2",
        "is used to list directives for caches along the request/response chain.",
        get(f"Cache-Control: {value}", "Pragma: no-cache"),
        FINE & kept,
    )
