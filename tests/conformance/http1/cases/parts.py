"""Several ranges in one request, and the parts of the answer (RFC 9110 14.2 and 15.3.7.2)."""

import re

from ..case import ETAG, FILE, MAY, MUST, SHOULD, Topic, get
from ..checks import Check, fact, kept, no_field, status
from ..wire import Answer
from .ranges import FINE, NONE, part

case = Topic("parts")

_SATISFIABLE = "the server SHOULD send a 206 (Partial Content) response with content containing"
_UNSATISFIABLE = "the server SHOULD send a 416 (Range Not Satisfiable) response."
_IF_RANGE_TRUE = "Otherwise, the recipient SHOULD process the Range header field as requested."
_PARTS = 'MUST generate "multipart/byteranges" content'
_PART_RANGE = (
    "the server MUST generate a Content-Range header field corresponding to the range being"
    " enclosed"
)
_PART_TYPE = (
    "the server SHOULD generate that same Content-Type header field in the header area of each"
)
_NO_OUTER = (
    "a server MUST NOT generate a Content-Range header field in the HTTP header section of a"
    " multiple"
)
_PART_ORDER = "SHOULD send the parts in the same order that the corresponding range-spec appeared"
_HOSTILE = (
    "a set of many small ranges that are not listed in ascending order, since these are indications"
    " of either a broken client"
)
_EMPTY_MEMBERS = "A recipient MUST parse and ignore a reasonable number of empty list elements"


def _parts(answer: Answer) -> list[tuple[str, str, bytes]] | str:
    """(Content-Range, Content-Type, content) of each part, or what is wrong."""
    match = re.fullmatch(
        r'multipart/byteranges;\s*boundary="?([^";]+)"?',
        answer.get("Content-Type") or "",
        re.IGNORECASE,
    )
    if match is None:
        return f"Content-Type is {answer.get('Content-Type')!r}"
    pieces = (b"\r\n" + answer.body).split(b"\r\n--" + match[1].encode("latin-1"))
    if len(pieces) < 2 or pieces[-1][:2] != b"--":
        return "no closing boundary"
    found = []
    for piece in pieces[1:-1]:
        head, _, content = piece.lstrip(b"\r\n").partition(b"\r\n\r\n")
        values = {}
        for line in head.decode("latin-1").split("\r\n"):
            key, _, value = line.partition(":")
            values[key.strip().lower()] = value.strip()
        found.append((values.get("content-range", ""), values.get("content-type", ""), content))
    return found


def _multipart(*wanted: tuple[int, int]) -> Check:
    def right(answer: Answer) -> str:
        found = _parts(answer)
        if isinstance(found, str):
            return found
        want = [(f"bytes {a}-{b}/100", FILE[a : b + 1]) for a, b in wanted]
        got = [(where, content) for where, _, content in found]
        return "" if sorted(want) == sorted(got) else f"parts are {got}"

    return status(206) & fact(f"parts {wanted}", right)


_TWO = get("Range: bytes=0-9,50-59")
# "The above does not imply that a server will send all requested ranges", and it may coalesce them.
TWO = _multipart((0, 9), (50, 59)) | part(0, 59) | part(0, 9)
case("two", SHOULD, "9110 14.2", _SATISFIABLE, _TWO, TWO & kept)
case("two-blanks", SHOULD, "9110 14.2", _SATISFIABLE, get("Range: bytes=0-9 , 50-59"), TWO)
case(
    "two-and-suffix",
    SHOULD,
    "9110 14.2",
    _SATISFIABLE,
    get("Range: bytes=0-9,-10"),
    _multipart((0, 9), (90, 99)) | part(0, 99) | part(0, 9),
)
case(
    "three",
    SHOULD,
    "9110 14.2",
    _SATISFIABLE,
    get("Range: bytes=0-0,50-50,99-99"),
    _multipart((0, 0), (50, 50), (99, 99)) | part(0, 99) | part(0, 0),
)
case(
    "one-of-two-satisfiable",
    SHOULD,
    "9110 14.2",
    _SATISFIABLE,
    get("Range: bytes=0-9,200-300"),
    part(0, 9) | _multipart((0, 9)),
)
case("two-unsatisfiable", SHOULD, "9110 14.2", _UNSATISFIABLE, get("Range: bytes=200-,300-"), NONE)
case(
    "empty-members",
    MUST,
    "9110 5.6.1.2",
    _EMPTY_MEMBERS,
    get("Range: bytes=,0-9,,"),
    part(0, 9) | FINE | _multipart((0, 9)),
)
case(
    "parts-are-multipart",
    MUST,
    "9110 15.3.7.2",
    _PARTS,
    _TWO,
    TWO | FINE | part(0, 59) | part(0, 9),
)
case(
    "parts-have-ranges",
    MUST,
    "9110 15.3.7.2",
    _PART_RANGE,
    _TWO,
    FINE
    | part(0, 59)
    | part(0, 9)
    | status(206)
    & fact(
        "a Content-Range in each",
        lambda a: isinstance(_parts(a), list) and all(where for where, _, _ in _parts(a)),
    ),
)
case(
    "parts-have-types",
    SHOULD,
    "9110 15.3.7.2",
    _PART_TYPE,
    _TWO,
    part(0, 59)
    | part(0, 9)
    | status(206)
    & fact(
        "a Content-Type in each",
        lambda a: isinstance(_parts(a), list)
        and all("text/plain" in kind for _, kind, _ in _parts(a)),
    ),
)
case(
    "parts-not-outside",
    MUST,
    "9110 15.3.7.2",
    _NO_OUTER,
    _TWO,
    FINE | part(0, 59) | part(0, 9) | status(206) & no_field("Content-Range"),
)
case(
    "parts-in-order",
    SHOULD,
    "9110 15.3.7.2",
    _PART_ORDER,
    get("Range: bytes=50-59,0-9"),
    FINE
    | part(0, 59)
    | part(50, 59)
    | status(206)
    & fact(
        "in the order asked",
        lambda a: isinstance(_parts(a), list)
        and [p[2] for p in _parts(a)] == [FILE[50:60], FILE[0:10]],
    ),
)
case(
    "overlapping",
    MAY,
    "9110 14.2",
    "a ranges-specifier with more than two overlapping ranges",
    get("Range: bytes=0-,0-,0-,0-,0-"),
    status(200, 206, 416, 400) & kept,
)
case(
    "hostile",
    MAY,
    "9110 14.2",
    _HOSTILE,
    get("Range: bytes=" + ",".join(f"{i}-{i}" for i in range(99, 0, -1))),
    status(200, 206, 416, 400, 429),
)
case(
    "hostile-bounded",
    MAY,
    "9110 17.15",
    "Servers ought to ignore, coalesce, or reject egregious range requests",
    get("Range: bytes=" + ",".join("0-" for _ in range(200)), target="/big.bin"),
    status(200, 206, 416, 400, 431)
    & fact("at most two copies", lambda a: len(a.body) < 3 * (1 << 20)),
)
case(
    "if-range-two-parts",
    SHOULD,
    "9110 13.1.5",
    _IF_RANGE_TRUE,
    get("Range: bytes=0-9,50-59", f"If-Range: {ETAG}"),
    TWO,
)
