"""HEAD, OPTIONS, TRACE, and methods that a resource does not have."""

from ..case import FILE, MAY, MUST, SHOULD, Topic, get, post
from ..checks import fact, field, kept, no_body, same_as_get, status, statuses
from ..site import PAGE
from ..wire import Answer

case = Topic("methods")

_NO_CONTENT = "The HEAD method is identical to GET except that the server MUST NOT send content"
_SAME_FIELDS = "The server SHOULD send the same header fields in response to a HEAD request"
_SAME_LENGTH = "unless its field value equals the decimal number of octets"
_ALLOW = (
    "An origin server MUST generate an Allow header field in a 405 (Method Not Allowed) response"
)
_NOT_ALLOWED = "SHOULD respond with the 405 (Method Not Allowed) status code."
_UNKNOWN = "SHOULD respond with the 501 (Not Implemented) status code."
_OPTIONS = (
    "A server generating a successful response to OPTIONS SHOULD send any header that might "
    "indicate optional features"
)
_TRACE = "The final recipient of the request SHOULD reflect the message received"
_SENSITIVE = (
    "The final recipient of the request SHOULD exclude any request fields that are likely to "
    "contain sensitive data"
)
_NO_204_LENGTH = (
    "A server MUST NOT send a Content-Length header field in any response with a status code"
)


def both(target: str, *fields: str) -> bytes:
    return get(*fields, target=target) + get(*fields, target=target, method="HEAD")


# ---- HEAD

for name, target, code in (
    ("file", "/file.txt", 200),
    ("page", "/", 200),
    ("folder", "/folder/", 200),
    ("empty-file", "/empty.txt", 200),
    ("big-file", "/big.bin", 200),
    ("text", "/text.txt", 200),
    ("missing", "/missing", 404),
):
    case(
        f"head-{name}",
        MUST,
        "9110 9.3.2",
        _NO_CONTENT,
        get(target=target, method="HEAD"),
        status(code) & no_body & kept,
    )
    case(
        f"head-{name}-fields",
        SHOULD,
        "9110 9.3.2",
        _SAME_FIELDS,
        both(target),
        statuses(code, code) & same_as_get,
        methods=("GET", "HEAD"),
    )


def _length_is(size: int) -> object:
    def right(answer: Answer) -> bool:
        return answer.get("Content-Length") in (None, str(size))

    return fact(f"Content-Length {size} or none", right)


for name, target, size in (
    ("file", "/file.txt", len(FILE)),
    ("page", "/", len(PAGE)),
    ("big-file", "/big.bin", 1 << 20),
    ("empty", "/empty.txt", 0),
):
    case(
        f"head-length-{name}",
        MUST,
        "9110 8.6",
        _SAME_LENGTH,
        get(target=target, method="HEAD"),
        status(200) & _length_is(size),
    )
case(
    "head-of-folder",
    MUST,
    "9110 9.3.2",
    _NO_CONTENT,
    get(target="/folder", method="HEAD"),
    status(301, 302, 307, 308, 200) & no_body & kept,
)
case(
    "head-bad",
    MUST,
    "9110 9.3.2",
    _NO_CONTENT,
    get("Foo : bar", method="HEAD"),
    status(400) & no_body,
)

# ---- methods that a file does not have

for method in ("POST", "PUT", "DELETE", "PATCH"):
    message = get(*(() if method == "DELETE" else ("Content-Length: 0",)), method=method)
    # A POST may be allowed for a file; whoever says that a file was replaced should have done so.
    allowed = ("2xx",) if method == "POST" else ()
    case(
        f"{method.lower()}-file",
        SHOULD,
        "9110 9.1",
        _NOT_ALLOWED,
        message,
        status(405, 501, *allowed),
    )
for method in ("POST", "DELETE"):
    message = get(*(() if method == "DELETE" else ("Content-Length: 0",)), method=method)
    case(
        f"{method.lower()}-file-allow",
        MUST,
        "9110 10.2.1",
        _ALLOW,
        message,
        status(405) & field("Allow", ".*GET.*") | status("2xx", 400, 401, 403, 404, 411, 501),
    )
for method in ("PROPFIND", "MKCOL", "SEARCH", "PURGE", "LINK"):
    case(
        f"{method.lower()}-file", SHOULD, "9110 9.1", _UNKNOWN, get(method=method), status(501, 405)
    )
case(
    "allow-is-a-list",
    MUST,
    "9110 10.2.1",
    _ALLOW,
    post("Content-Length: 0", target="/file.txt"),
    status(405) & field("Allow", r"[!-+\--~]+([ \t]*,[ \t]*[!-+\--~]+)*")
    | status("2xx", 400, 403, 404, 501),
)
case(
    "method-on-missing",
    SHOULD,
    "9110 9.1",
    _NOT_ALLOWED,
    post("Content-Length: 0", target="/missing"),
    status(404, 405, 501),
)

# ---- OPTIONS and TRACE

case(
    "options-file",
    SHOULD,
    "9110 9.3.7",
    _OPTIONS,
    get(method="OPTIONS"),
    status("2xx") & field("Allow", ".*GET.*") & kept | status(405, 501),
)
case(
    "options-not-the-file",
    MAY,
    "9110 9.3.7",
    "without implying a resource action.",
    get(method="OPTIONS"),
    fact("not the file", lambda answer: answer.body != FILE),
)
case(
    "trace",
    SHOULD,
    "9110 9.3.8",
    _TRACE,
    get("Foo: bar", method="TRACE"),
    status(200) & fact("the request line in it", lambda a: b"TRACE /file.txt HTTP/1.1" in a.body)
    | status(405, 501, 403),
)
case(
    "trace-secrets",
    SHOULD,
    "9110 9.3.8",
    _SENSITIVE,
    get("Cookie: secret-1", "Authorization: Basic secret-2", method="TRACE"),
    fact("no secret", lambda answer: b"secret-" not in answer.body),
)
case(
    "trace-405-allow",
    MUST,
    "9110 10.2.1",
    _ALLOW,
    get(method="TRACE"),
    status(405) & field("Allow") | status(200, 400, 403, 501),
)

# ---- 204

case(
    "204-alone",
    MUST,
    "9110 8.6",
    _NO_204_LENGTH,
    get(target="/nothing"),
    status(204) & no_body & kept,
)
case(
    "204-head",
    MUST,
    "9110 8.6",
    _NO_204_LENGTH,
    get(target="/nothing", method="HEAD"),
    status(204) & no_body & kept,
)
