"""Range requests (RFC 9110 14): one range, several, those that cannot be, and If-Range."""

from ..case import ETAG, FILE, LAST_MODIFIED, MAY, MUST, SHOULD, Topic, get, post
from ..checks import Check, body, fact, field, kept, no_body, no_field, of_all, status, statuses
from ..site import MAIN
from ..talk import Talk

case = Topic("range")

_SATISFIABLE = "the server SHOULD send a 206 (Partial Content) response with content containing"
_UNSATISFIABLE = "the server SHOULD send a 416 (Range Not Satisfiable) response."
_416_RANGE = (
    "SHOULD generate a Content-Range header field specifying the current length of the selected"
)
_SINGLE = "the server generating the 206 response MUST generate a Content-Range header field"
_NOT_MULTI = "A server MUST NOT generate a multipart response to a request for a single range"
_INVALID = "MAY ignore or reject a Range header field that contains an invalid ranges-specifier"
_UNIT = (
    "An origin server MUST ignore a Range header field that contains a range unit it does not"
    " understand."
)
_ONLY_GET = (
    "A server MUST ignore a Range header field received with a request method that is unrecognized"
)
_LARGE = (
    "recipients MUST anticipate potentially large decimal numerals and prevent parsing errors due"
    " to integer"
)
_CASELESS = "All range unit names are case-insensitive"
_ACCEPT = "To indicate that it supports byte range requests for that target resource"
_IF_RANGE = "MUST ignore the Range header field if the If-Range condition evaluates to false."
_IF_RANGE_ALONE = (
    "A server MUST ignore an If-Range header field received in a request that does not contain"
)
_IF_RANGE_TRUE = "Otherwise, the recipient SHOULD process the Range header field as requested."
_206_FIELDS = "A server that generates a 206 response MUST generate the following header fields"
_AFTER = "Range is ignored when a conditional GET would result in a 304 (Not Modified) response."
_EMPTY = "MAY ignore a Range header field when the selected representation has no content"

FINE = status(200) & body(FILE) & no_field("Content-Range")
NONE = status(416)


def part(first: int, last: int, size: int = len(FILE), content: bytes = FILE) -> Check:
    """One range, as 206."""
    where = field("Content-Range", rf"bytes {first}-{last}/({size}|\*)")
    return status(206) & where & body(content[first : last + 1])


# ---- one range

for name, value, first, last in (
    ("first-byte", "0-0", 0, 0),
    ("first-ten", "0-9", 0, 9),
    ("middle", "10-19", 10, 19),
    ("to-the-end", "90-", 90, 99),
    ("last-byte", "99-99", 99, 99),
    ("beyond-the-end", "90-200", 90, 99),
    ("suffix", "-10", 90, 99),
    ("suffix-of-one", "-1", 99, 99),
    ("suffix-of-all", "-100", 0, 99),
    ("suffix-too-long", "-1000", 0, 99),
    ("all", "0-99", 0, 99),
    ("all-open", "0-", 0, 99),
    ("leading-zeros", "0010-0019", 10, 19),
):
    whole = (first, last) == (0, len(FILE) - 1)
    expect = part(first, last) | FINE if whole else part(first, last)
    case(name, SHOULD, "9110 14.2", _SATISFIABLE, get(f"Range: bytes={value}"), expect & kept)
case(
    "in-big-file",
    SHOULD,
    "9110 14.2",
    _SATISFIABLE,
    get("Range: bytes=1000000-", target="/big.bin"),
    part(1000000, (1 << 20) - 1, 1 << 20, MAIN["big.bin"]) & kept,
)
case("upper-case-unit", SHOULD, "9110 14.1", _CASELESS, get("Range: BYTES=0-9"), part(0, 9) | FINE)
case(
    "end-of-20-digits",
    MUST,
    "9110 14.1.2",
    _LARGE,
    get("Range: bytes=90-" + "9" * 20),
    part(90, 99) | FINE,
)
case(
    "end-wraps",
    MUST,
    "9110 14.1.2",
    _LARGE,
    get(f"Range: bytes=10-{2**64 + 5}"),
    part(10, 99) | FINE,
)
case("start-wraps", MUST, "9110 14.1.2", _LARGE, get(f"Range: bytes={2**64 + 5}-"), NONE | FINE)
case(
    "suffix-wraps",
    MUST,
    "9110 14.1.2",
    _LARGE,
    get(f"Range: bytes=-{2**64 + 5}"),
    part(0, 99) | FINE,
)
case("content-range", MUST, "9110 15.3.7.1", _SINGLE, get("Range: bytes=0-9"), part(0, 9) | FINE)
case(
    "not-multipart",
    MUST,
    "9110 15.3.7.2",
    _NOT_MULTI,
    get("Range: bytes=0-9"),
    FINE
    | status(206)
    & fact("not multipart", lambda a: "multipart" not in (a.get("Content-Type") or "")),
)
case(
    "length-of-the-part",
    MUST,
    "9110 8.6",
    "it can be used to delimit framing",
    get("Range: bytes=0-9"),
    FINE
    | status(206) & fact("Content-Length 10", lambda a: a.get("Content-Length") in (None, "10")),
)
case(
    "kept-for-next",
    SHOULD,
    "9110 14.2",
    _SATISFIABLE,
    get("Range: bytes=0-9") + get(),
    statuses(206, 200) & body(FILE) & kept,
)

# ---- none

for name, value in {
    "behind": "100-",
    "far-behind": "1000-2000",
    "at-the-end": "100-100",
    "suffix-of-none": "-0",
}.items():
    case(
        f"unsatisfiable-{name}",
        SHOULD,
        "9110 14.2",
        _UNSATISFIABLE,
        get(f"Range: bytes={value}"),
        NONE & kept,
    )
case(
    "unsatisfiable-range",
    SHOULD,
    "9110 15.5.17",
    _416_RANGE,
    get("Range: bytes=100-"),
    NONE & field("Content-Range", r"bytes \*/100"),
)
case(
    "unsatisfiable-then-next",
    SHOULD,
    "9110 14.2",
    _UNSATISFIABLE,
    get("Range: bytes=100-") + get(),
    statuses(416, 200) & body(FILE) & kept,
)
case(
    "empty-file",
    MAY,
    "9110 14.2",
    _EMPTY,
    get("Range: bytes=0-9", target="/empty.txt"),
    status(200) & no_body | NONE,
)

for name, value in {
    "backwards": "bytes=9-0",
    "no-dash": "bytes=5",
    "letters": "bytes=a-b",
    "empty": "bytes=",
    "dash": "bytes=-",
    "minus": "bytes=--5",
    "no-equals": "bytes 0-9",
    "hex": "bytes=0x0-0x9",
    "blank": "bytes= 0 - 9",
    "plus": "bytes=+0-9",
    "one-bad-of-two": "bytes=0-1,x-y",
    "nothing": "",
}.items():
    case(
        f"invalid-{name}",
        MAY,
        "9110 14.2",
        _INVALID,
        get(f"Range: {value}"),
        status(200, 206, 400, 416),
    )
for name, value in {
    "unknown": "cows=0-9",
    "lines": "lines=1-2",
    "bytes-with-tail": "bytess=0-9",
}.items():
    case(f"unit-{name}", MUST, "9110 14.2", _UNIT, get(f"Range: {value}"), FINE)

# ---- where it does not count

case(
    "on-head",
    MUST,
    "9110 14.2",
    _ONLY_GET,
    get("Range: bytes=0-9", method="HEAD"),
    status(200) & no_body,
)
case(
    "on-post",
    MUST,
    "9110 14.2",
    _ONLY_GET,
    post("Range: bytes=0-1", "Content-Length: 3", body="abc"),
    status(200) & body(b"abc"),
)
case(
    "on-missing",
    MUST,
    "9110 14.2",
    "only if the result in absence of the Range header field would be a 200",
    get("Range: bytes=0-9", target="/missing"),
    status(404),
)
case(
    "with-304",
    MUST,
    "9110 14.2",
    _AFTER,
    get("Range: bytes=0-9", f"If-None-Match: {ETAG}"),
    status(304),
)
case(
    "with-304-by-date",
    MUST,
    "9110 14.2",
    _AFTER,
    get("Range: bytes=0-9", f"If-Modified-Since: {LAST_MODIFIED}"),
    status(304),
)
case(
    "with-412",
    MUST,
    "9110 14.2",
    "The Range header field is evaluated after evaluating the precondition",
    get("Range: bytes=0-9", 'If-Match: "other"'),
    status(412),
)
case(
    "unsatisfiable-with-304",
    MUST,
    "9110 14.2",
    _AFTER,
    get("Range: bytes=500-", f"If-None-Match: {ETAG}"),
    status(304),
)

# ---- If-Range

RANGE = "Range: bytes=0-9"
case(
    "if-range-same",
    SHOULD,
    "9110 13.1.5",
    _IF_RANGE_TRUE,
    get(RANGE, f"If-Range: {ETAG}"),
    part(0, 9),
)
case("if-range-other", MUST, "9110 13.1.5", _IF_RANGE, get(RANGE, 'If-Range: "other"'), FINE)
case("if-range-weak", MUST, "9110 13.1.5", _IF_RANGE, get(RANGE, f"If-Range: W/{ETAG}"), FINE)
case(
    "if-range-date",
    SHOULD,
    "9110 13.1.5",
    _IF_RANGE_TRUE,
    get(RANGE, f"If-Range: {LAST_MODIFIED}"),
    part(0, 9),
)
for name, date in {
    "earlier": "Mon, 01 Jan 2024 03:04:05 GMT",
    "later": "Wed, 03 Jan 2024 03:04:05 GMT",
    "one-second": "Tue, 02 Jan 2024 03:04:06 GMT",
    "nonsense": "yesterday",
}.items():
    case(f"if-range-{name}", MUST, "9110 13.1.5", _IF_RANGE, get(RANGE, f"If-Range: {date}"), FINE)
case(
    "if-range-unsatisfiable",
    MUST,
    "9110 13.1.5",
    _IF_RANGE,
    get("Range: bytes=500-", 'If-Range: "other"'),
    FINE,
)
case("if-range-alone", MUST, "9110 13.1.5", _IF_RANGE_ALONE, get('If-Range: "other"'), FINE)
case("if-range-alone-same", MUST, "9110 13.1.5", _IF_RANGE_ALONE, get(f"If-Range: {ETAG}"), FINE)

# ---- fields

case(
    "accept-ranges",
    SHOULD,
    "9110 14.3",
    _ACCEPT,
    get(),
    status(200) & field("Accept-Ranges", "bytes|none"),
)


def _same_as_whole(*names: str) -> Check:
    def compare(talk: Talk) -> str:
        if len(talk.answers) != 2:
            return "not two answers"
        for name in names:
            whole, some = (answer.get(name) for answer in talk.answers)
            if whole != some:
                return f"{name} of 200 is {whole!r}, of 206 {some!r}"
        return ""

    return of_all("the same " + ", ".join(names), compare, 2)


for name in ("ETag", "Cache-Control", "Vary"):
    case(
        f"206-{name.lower()}",
        MUST,
        "9110 15.3.7",
        _206_FIELDS,
        get() + get(RANGE),
        statuses(200, 206) & _same_as_whole(name) | statuses(200, 200),
    )
case("206-date", MUST, "9110 15.3.7", _206_FIELDS, get(RANGE), status(206) & field("Date") | FINE)
case(
    "206-type",
    SHOULD,
    "9110 15.3.7.1",
    _SINGLE,
    get() + get(RANGE),
    statuses(200, 206) & _same_as_whole("Content-Type"),
)
