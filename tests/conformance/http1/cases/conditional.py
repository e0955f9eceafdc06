"""Conditional requests (RFC 9110 13): tags, dates, their order of precedence, and 304."""

from ..case import ETAG, FILE, LAST_MODIFIED, MAY, MUST, SHOULD, Topic, get, post
from ..checks import body, closed, fact, field, kept, no_body, no_field, of_all, status, statuses
from ..talk import Talk

case = Topic("conditional")

_NONE_MATCH = (
    "server MUST respond with either a) the 304 (Not Modified) status code if the request method is"
)
_EVALUATE = (
    "the origin server MUST evaluate the If-None-Match condition per Section 13.2 prior to"
    " performing"
)
_WEAK = (
    "A recipient MUST use the weak comparison function when comparing entity tags for If-None-Match"
)
_STRONG = (
    "An origin server MUST use the strong comparison function when comparing entity tags for"
    " If-Match"
)
_MATCH = (
    "the origin server MUST evaluate the If-Match condition per Section 13.2 prior to performing"
)
_NOT_PERFORM = (
    "An origin server that evaluates an If-Match condition MUST NOT perform the requested method"
)
_SINCE = "server SHOULD generate a 304 (Not Modified) response"
_IGNORE_SINCE = (
    "A recipient MUST ignore If-Modified-Since if the request contains an If-None-Match header"
)
_BAD_SINCE = (
    "A recipient MUST ignore the If-Modified-Since header field if the received field value is not"
)
_UNMODIFIED = "the origin server MUST evaluate the If-Unmodified-Since condition per Section 13.2"
_IGNORE_UN = (
    "A recipient MUST ignore If-Unmodified-Since if the request contains an If-Match header field"
)
_BAD_UN = (
    "A recipient MUST ignore the If-Unmodified-Since header field if the received field value is"
    " not a"
)
_FORMATS = (
    "A recipient that parses a timestamp value in an HTTP field MUST accept all three HTTP-date "
    "formats."
)
_ORDER = (
    "MUST evaluate the request preconditions defined by this specification in the following order:"
)
_ONLY_2XX = (
    "A server MUST ignore all received preconditions if its response to the same request without"
)
_304_FIELDS = (
    "MUST generate any of the following header fields that would have been sent in a 200 (OK)"
)
_304_OTHERS = (
    "a sender SHOULD NOT generate representation metadata other than the above listed fields unless"
)
_304_END = "it cannot contain content or trailers."
_EMPTY_MEMBERS = "A recipient MUST parse and ignore a reasonable number of empty list elements"
_YEARS = "MUST interpret a timestamp that appears to be more than 50 years in the future"

FINE = status(200) & body(FILE)
SAME = status(304) & no_body
FAILED = status(412)
BEFORE, AFTER = "Mon, 01 Jan 2024 03:04:05 GMT", "Wed, 03 Jan 2024 03:04:05 GMT"

# ---- If-None-Match

for name, value, expect in (
    ("same", ETAG, SAME),
    ("star", "*", SAME),
    ("second", f'"a", {ETAG}', SAME),
    ("first", f'{ETAG}, "b"', SAME),
    ("without-blanks", f'"a",{ETAG},"b"', SAME),
    ("other", '"other"', FINE),
    ("others", '"a", "b", "c"', FINE),
    ("empty-tag", '""', FINE),
    ("comma-in-tag", f'"a,b", {ETAG}', SAME),
    ("weak-other", 'W/"other"', FINE),
):
    rule = _NONE_MATCH if expect is SAME else _EVALUATE
    case(f"none-match-{name}", MUST, "9110 13.1.2", rule, get(f"If-None-Match: {value}"), expect)
case("none-match-weak", MUST, "9110 13.1.2", _WEAK, get(f"If-None-Match: W/{ETAG}"), SAME)
case(
    "none-match-weak-in-list",
    MUST,
    "9110 13.1.2",
    _WEAK,
    get(f'If-None-Match: W/"a", W/{ETAG}'),
    SAME,
)
case(
    "none-match-two-lines",
    MUST,
    "9110 13.1.2",
    _EVALUATE,
    get('If-None-Match: "a"', f"If-None-Match: {ETAG}"),
    SAME,
)
case(
    "none-match-empty-members",
    MUST,
    "9110 5.6.1.2",
    _EMPTY_MEMBERS,
    get(f"If-None-Match: , ,{ETAG},"),
    SAME,
)
case(
    "none-match-head",
    MUST,
    "9110 13.1.2",
    _NONE_MATCH,
    get(f"If-None-Match: {ETAG}", method="HEAD"),
    SAME,
)
case(
    "none-match-not-quoted",
    MAY,
    "9110 13.1.2",
    _EVALUATE,
    get("If-None-Match: nonsense"),
    FINE | status(400),
)

# ---- If-Match

for name, value in {"same": ETAG, "star": "*", "second": f'"a", {ETAG}'}.items():
    case(f"match-{name}", MUST, "9110 13.1.1", _MATCH, get(f"If-Match: {value}"), FINE)
for name, value in {"other": '"other"', "others": '"a", "b"', "weak-other": 'W/"other"'}.items():
    case(f"match-{name}", MUST, "9110 13.1.1", _NOT_PERFORM, get(f"If-Match: {value}"), FAILED)
case("match-weak", MUST, "9110 13.1.1", _STRONG, get(f"If-Match: W/{ETAG}"), FAILED)
case(
    "match-two-lines", MUST, "9110 13.1.1", _MATCH, get('If-Match: "a"', f"If-Match: {ETAG}"), FINE
)
case(
    "match-head",
    MUST,
    "9110 13.1.1",
    _NOT_PERFORM,
    get('If-Match: "other"', method="HEAD"),
    FAILED & no_body,
)

# ---- If-Modified-Since, in the three formats

for name, date, expect in (
    ("same", LAST_MODIFIED, SAME),
    ("later", AFTER, SAME),
    ("before", BEFORE, FINE),
    ("second-before", "Tue, 02 Jan 2024 03:04:04 GMT", FINE),
):
    case(
        f"modified-{name}", SHOULD, "9110 13.1.3", _SINCE, get(f"If-Modified-Since: {date}"), expect
    )
case(
    "modified-head",
    SHOULD,
    "9110 13.1.3",
    _SINCE,
    get(f"If-Modified-Since: {LAST_MODIFIED}", method="HEAD"),
    SAME,
)
for name, date, expect in (
    ("rfc850", "Tuesday, 02-Jan-24 03:04:05 GMT", SAME),
    ("rfc850-before", "Monday, 01-Jan-24 03:04:05 GMT", FINE),
    ("asctime", "Tue Jan  2 03:04:05 2024", SAME),
    ("asctime-before", "Mon Jan  1 03:04:05 2024", FINE),
):
    case(
        f"modified-{name}", MUST, "9110 5.6.7", _FORMATS, get(f"If-Modified-Since: {date}"), expect
    )
case(
    "modified-rfc850-last-century",
    MUST,
    "9110 5.6.7",
    _YEARS,
    get("If-Modified-Since: Sunday, 06-Nov-94 08:49:37 GMT"),
    FINE,
)
for name, date in {
    "words": "yesterday",
    "empty": "",
    "number": "1704164645",
    "no-zone": "Tue, 02 Jan 2026 03:04:05",
    "month": "Tue, 02 Foo 2026 03:04:05 GMT",
    "iso": "2026-01-02T03:04:05Z",
    "hour-25": "Fri, 02 Jan 2026 25:04:05 GMT",
    "day-32": "Fri, 32 Jan 2026 03:04:05 GMT",
}.items():
    case(
        f"modified-bad-{name}",
        MUST,
        "9110 13.1.3",
        _BAD_SINCE,
        get(f"If-Modified-Since: {date}"),
        FINE,
    )

# ---- If-Unmodified-Since

for name, date, expect in (
    ("same", LAST_MODIFIED, FINE),
    ("later", AFTER, FINE),
    ("before", BEFORE, FAILED),
):
    case(
        f"unmodified-{name}",
        MUST,
        "9110 13.1.4",
        _UNMODIFIED,
        get(f"If-Unmodified-Since: {date}"),
        expect,
    )
for name, date in {
    "rfc850": "Monday, 01-Jan-24 03:04:05 GMT",
    "asctime": "Mon Jan  1 03:04:05 2024",
}.items():
    case(
        f"unmodified-{name}",
        MUST,
        "9110 5.6.7",
        _FORMATS,
        get(f"If-Unmodified-Since: {date}"),
        FAILED,
    )
for name, date in {
    "words": "yesterday",
    "empty": "",
    "number": "1",
    "month": "Tue, 02 Foo 2001 03:04:05 GMT",
}.items():
    case(
        f"unmodified-bad-{name}",
        MUST,
        "9110 13.1.4",
        _BAD_UN,
        get(f"If-Unmodified-Since: {date}"),
        FINE,
    )

# ---- several

for name, fields, expect, section, rule in (
    (
        "other-tag-same-date",
        ('If-None-Match: "other"', f"If-Modified-Since: {AFTER}"),
        FINE,
        "9110 13.1.3",
        _IGNORE_SINCE,
    ),
    (
        "same-tag-old-date",
        (f"If-None-Match: {ETAG}", f"If-Modified-Since: {BEFORE}"),
        SAME,
        "9110 13.1.3",
        _IGNORE_SINCE,
    ),
    (
        "same-tag-bad-date",
        (f"If-None-Match: {ETAG}", "If-Modified-Since: x"),
        SAME,
        "9110 13.1.3",
        _IGNORE_SINCE,
    ),
    (
        "match-old-unmodified",
        (f"If-Match: {ETAG}", f"If-Unmodified-Since: {BEFORE}"),
        FINE,
        "9110 13.1.4",
        _IGNORE_UN,
    ),
    (
        "no-match-late-unmodified",
        ('If-Match: "other"', f"If-Unmodified-Since: {AFTER}"),
        FAILED,
        "9110 13.1.4",
        _IGNORE_UN,
    ),
    (
        "match-and-none-match",
        (f"If-Match: {ETAG}", f"If-None-Match: {ETAG}"),
        SAME,
        "9110 13.2.2",
        _ORDER,
    ),
    (
        "no-match-and-none-match",
        ('If-Match: "other"', f"If-None-Match: {ETAG}"),
        FAILED,
        "9110 13.2.2",
        _ORDER,
    ),
    (
        "unmodified-and-none-match",
        (f"If-Unmodified-Since: {BEFORE}", f"If-None-Match: {ETAG}"),
        FAILED,
        "9110 13.2.2",
        _ORDER,
    ),
    (
        "match-and-modified",
        (f"If-Match: {ETAG}", f"If-Modified-Since: {AFTER}"),
        SAME,
        "9110 13.2.2",
        _ORDER,
    ),
    (
        "unmodified-and-modified",
        (f"If-Unmodified-Since: {AFTER}", f"If-Modified-Since: {AFTER}"),
        SAME,
        "9110 13.2.2",
        _ORDER,
    ),
):
    case(name, MUST, section, rule, get(*fields), expect)

# ---- when they do not apply

case(
    "missing-file",
    MUST,
    "9110 13.2.1",
    _ONLY_2XX,
    get('If-None-Match: "a"', target="/missing"),
    status(404),
)
case(
    "missing-file-star",
    MUST,
    "9110 13.2.1",
    _ONLY_2XX,
    get("If-None-Match: *", target="/missing"),
    status(404),
)
case(
    "missing-file-match",
    MUST,
    "9110 13.2.1",
    _ONLY_2XX,
    get('If-Match: "a"', target="/missing"),
    status(404) | FAILED,
)
case(
    "missing-file-modified",
    MUST,
    "9110 13.2.1",
    _ONLY_2XX,
    get(f"If-Modified-Since: {AFTER}", target="/missing"),
    status(404),
)
case(
    "folder-redirect",
    MUST,
    "9110 13.2.1",
    _ONLY_2XX,
    get(f"If-Modified-Since: {AFTER}", target="/folder"),
    status(301, 302, 307, 308) | status(304, 200),
)
case(
    "post-modified",
    MUST,
    "9110 13.1.3",
    "A recipient MUST ignore the If-Modified-Since header field if",
    post(f"If-Modified-Since: {AFTER}", "Content-Length: 3", body="abc"),
    status(200) & body(b"abc"),
)

# ---- 304 itself


def _same(name: str) -> object:
    def compare(talk: Talk) -> str:
        if len(talk.answers) != 2:
            return "not two answers"
        whole, short = (answer.get(name) for answer in talk.answers)
        return "" if whole == short else f"{name} of 200 is {whole!r}, of 304 {short!r}"

    return of_all(f"the same {name} as 200", compare, 2)


case(
    "304-etag",
    MUST,
    "9110 15.4.5",
    _304_FIELDS,
    get() + get(f"If-None-Match: {ETAG}"),
    statuses(200, 304) & _same("ETag"),
)
case(
    "304-date",
    MUST,
    "9110 15.4.5",
    _304_FIELDS,
    get(f"If-None-Match: {ETAG}"),
    status(304) & field("Date"),
)
case(
    "304-vary",
    MUST,
    "9110 15.4.5",
    _304_FIELDS,
    get() + get(f"If-None-Match: {ETAG}"),
    statuses(200, 304) & _same("Vary"),
)
case(
    "304-cache-control",
    MUST,
    "9110 15.4.5",
    _304_FIELDS,
    get() + get(f"If-None-Match: {ETAG}"),
    statuses(200, 304) & _same("Cache-Control"),
)
case(
    "304-no-type",
    SHOULD,
    "9110 15.4.5",
    _304_OTHERS,
    get(f"If-None-Match: {ETAG}"),
    status(304) & no_field("Content-Type"),
)
case(
    "304-length",
    MUST,
    "9110 8.6",
    "unless its field value equals the decimal number of octets",
    get(f"If-None-Match: {ETAG}"),
    status(304)
    & fact("Content-Length 100 or none", lambda a: a.get("Content-Length") in (None, "100")),
)
case(
    "304-ends",
    MUST,
    "9110 15.4.5",
    _304_END,
    get(f"If-None-Match: {ETAG}") * 2 + get(),
    statuses(304, 304, 200) & body(FILE) & kept,
)
case(
    "412-then-next",
    MUST,
    "9110 13.2.2",
    _ORDER,
    get('If-Match: "other"') + get(),
    statuses(412, 200) & body(FILE) | FAILED & closed,
)
