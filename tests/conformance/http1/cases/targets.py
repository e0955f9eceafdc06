"""The request target in its four forms, Host, and which URIs are the same."""

from ..case import FILE, HOST, MAY, MUST, SHOULD, Topic, get, lines
from ..checks import body, closed, fact, kept, status
from ..site import PAGE, SPACED

case = Topic("target")

_ABSOLUTE = "A server MUST accept the absolute-form in requests"
_IGNORE_HOST = (
    "the origin server MUST ignore the received Host header field (if any) and instead "
    "use the host information of the request-target."
)
_BAD_HOST = (
    "A server MUST respond with a 400 (Bad Request) status code to any HTTP/1.1 request message"
)
_EMPTY_HOST = "A recipient that processes such a URI reference MUST reject it as invalid."
_USERINFO = "a recipient SHOULD parse for userinfo and treat its presence as an error"
_HTTPS = (
    'a request for an "https" resource MUST be rejected unless it has been received over a '
    "connection that has been secured"
)
_INVALID = (
    "Recipients of an invalid request-line SHOULD respond with either a 400 (Bad Request) error"
)
_CASELESS = "The scheme and host are case-insensitive and normally provided in lowercase"
_CONNECT = "most origin servers do not implement CONNECT."
_CONNECT_PORT = (
    "A server MUST reject a CONNECT request that targets an empty or invalid port number"
)
_SAME = (
    "distinct resources SHOULD NOT be identified by HTTP URIs that are equivalent after "
    "normalization"
)
_RESERVED = (
    "URIs that differ in the replacement of a reserved character with its corresponding "
    "percent-encoded octet are not equivalent."
)
_SPLIT = (
    "Applications must split the URI into its components and subcomponents prior to decoding "
    "the octets"
)
_NAMES = (
    "an origin server needs to avoid accessing names that have a special significance to the system"
)

FINE = status(200) & body(FILE)
MAIN = status(200) & body(b"main\n")
OTHER = status(200) & body(b"other\n")


def absolute(uri: str, host: str | None = HOST, version: str = "HTTP/1.1") -> bytes:
    return lines(f"GET {uri} {version}", *([host] if host else []))


# ---- absolute-form

case("absolute", MUST, "9112 3.2.2", _ABSOLUTE, absolute("http://main.test/file.txt"), FINE & kept)
case(
    "absolute-query", MUST, "9112 3.2.2", _ABSOLUTE, absolute("http://main.test/file.txt?a=b"), FINE
)
case(
    "absolute-no-path",
    MUST,
    "9112 3.2.2",
    _ABSOLUTE,
    absolute("http://main.test"),
    status(200) & body(PAGE) | status("3xx"),
)
case(
    "absolute-upper-case-scheme",
    MUST,
    "9110 4.2.3",
    _CASELESS,
    absolute("HTTP://main.test/file.txt"),
    FINE,
)
case(
    "absolute-upper-case-host",
    MUST,
    "9110 4.2.3",
    _CASELESS,
    absolute("http://OTHER.TEST/which.txt", "Host: OTHER.TEST"),
    OTHER,
)
case(
    "absolute-default-port",
    SHOULD,
    "9110 4.2.3",
    _SAME,
    absolute("http://other.test:80/which.txt", "Host: other.test:80"),
    OTHER,
)
case(
    "absolute-beats-host",
    MUST,
    "9112 3.2.2",
    _IGNORE_HOST,
    absolute("http://other.test/which.txt"),
    OTHER,
)
case(
    "absolute-beats-other-host",
    MUST,
    "9112 3.2.2",
    _IGNORE_HOST,
    absolute("http://main.test/which.txt", "Host: other.test"),
    MAIN,
)
case(
    "absolute-beats-unknown-host",
    MUST,
    "9112 3.2.2",
    _IGNORE_HOST,
    absolute("http://other.test/which.txt", "Host: nobody.test"),
    OTHER,
)
case(
    "absolute-without-host",
    MUST,
    "9112 3.2",
    _BAD_HOST,
    absolute("http://main.test/file.txt", None),
    status(400),
)
case(
    "absolute-http10-without-host",
    MUST,
    "9112 3.2.2",
    _ABSOLUTE,
    absolute("http://other.test/which.txt", None, "HTTP/1.0"),
    OTHER & closed,
)
case(
    "absolute-userinfo",
    SHOULD,
    "9110 4.2.4",
    _USERINFO,
    absolute("http://user:word@main.test/file.txt"),
    status("4xx"),
)
case(
    "absolute-empty-host",
    MUST,
    "9110 4.2.1",
    _EMPTY_HOST,
    absolute("http:///file.txt"),
    status("4xx"),
)
case(
    "absolute-only-port",
    MUST,
    "9110 4.2.1",
    _EMPTY_HOST,
    absolute("http://:80/file.txt"),
    status("4xx"),
)
case(
    "absolute-https-in-clear",
    MUST,
    "9110 7.4",
    _HTTPS,
    absolute("https://main.test/file.txt"),
    status("4xx", "3xx"),
)

# ---- asterisk-form, authority-form, none of them

case(
    "asterisk",
    MAY,
    "9112 3.2.4",
    'the client MUST send only "*" (%x2A) as the request-target.',
    get(target="*", method="OPTIONS"),
    status("2xx", 405, 501) & kept,
)
case(
    "asterisk-by-absolute",
    MAY,
    "9112 3.2.4",
    'MUST send a request-target of "*" when it forwards',
    lines("OPTIONS http://main.test HTTP/1.1", HOST),
    status("2xx", "3xx", 405, 501),
)
case("asterisk-get", SHOULD, "9112 3.2", _INVALID, get(target="*"), status("4xx", "3xx", 501))
case(
    "asterisk-with-tail",
    SHOULD,
    "9112 3.2",
    _INVALID,
    get(target="*/file.txt", method="OPTIONS"),
    status(400, 301),
)
case(
    "authority-get",
    SHOULD,
    "9112 3.2",
    _INVALID,
    get(target="main.test:80"),
    status("4xx", "3xx", 501),
)
case("no-leading-slash", SHOULD, "9112 3.2", _INVALID, get(target="file.txt"), status(400, 301))
case("question-mark-only", SHOULD, "9112 3.2", _INVALID, get(target="?a=b"), status(400, 301))
case(
    "connect",
    MAY,
    "9110 9.3.6",
    _CONNECT,
    lines("CONNECT main.test:443 HTTP/1.1", "Host: main.test:443"),
    status("3xx", "4xx", "5xx"),
)
for name, target in {
    "no-port": "main.test",
    "empty-port": "main.test:",
    "word": "main.test:http",
    "huge-port": "main.test:99999",
    "path": "/file.txt",
}.items():
    case(
        f"connect-{name}",
        MUST,
        "9110 9.3.6",
        _CONNECT_PORT,
        lines(f"CONNECT {target} HTTP/1.1", HOST),
        status("3xx", "4xx", "5xx"),
    )

# ---- Host

case("host-missing", MUST, "9112 3.2", _BAD_HOST, lines("GET /file.txt HTTP/1.1"), status(400))
case(
    "host-missing-other-fields",
    MUST,
    "9112 3.2",
    _BAD_HOST,
    lines("GET /file.txt HTTP/1.1", "Accept: */*", "X-Host: main.test"),
    status(400),
)
case("host-twice", MUST, "9112 3.2", _BAD_HOST, get(HOST), status(400))
case("host-twice-different", MUST, "9112 3.2", _BAD_HOST, get("Host: other.test"), status(400))
case(
    "host-twice-apart",
    MUST,
    "9112 3.2",
    _BAD_HOST,
    get("A: b", "C: d", "HOST: main.test"),
    status(400),
)
case(
    "host-twice-in-http10",
    MUST,
    "9112 3.2",
    _BAD_HOST,
    lines("GET /file.txt HTTP/1.0", HOST, HOST),
    status(400),
)
for name, value in {
    "with-blank": "main test",
    "list": "main.test, other.test",
    "uri": "http://main.test",
    "with-path": "main.test/",
    "with-query": "main.test?a",
    "with-fragment": "main.test#a",
    "with-userinfo": "user@main.test",
    "port-of-letters": "main.test:8x",
    "two-ports": "a:80:80",
    "negative-port": "main.test:-80",
    "half-bracket": "[::1",
    "empty-brackets": "[]",
    "backslash": "main\\test",
    "angle": "main<test>",
    "quoted": '"main.test"',
    "tab": "main\ttest",
    "bad-escape": "main%zz",
    "caret": "main^test",
    "braces": "{main}",
    "bad-ipv6": "[:::1]",
}.items():
    case(
        f"host-{name}",
        MUST,
        "9112 3.2",
        _BAD_HOST,
        lines("GET /file.txt HTTP/1.1", f"Host: {value}"),
        status(400),
    )
case(
    "host-bad-in-http10",
    MUST,
    "9112 3.2",
    _BAD_HOST,
    lines("GET /file.txt HTTP/1.0", "Host: main test"),
    status(400),
)
case(
    "host-empty",
    MAY,
    "9112 3.2",
    "MUST send a Host header field with an empty field value.",
    lines("GET /file.txt HTTP/1.1", "Host:"),
    status(200, 400, 404, 421),
)
case(
    "host-upper-case",
    MUST,
    "9110 4.2.3",
    _CASELESS,
    lines("GET /which.txt HTTP/1.1", "Host: OTHER.Test"),
    OTHER,
)
case(
    "host-chooses",
    MUST,
    "9110 7.2",
    "enabling the origin server to distinguish among resources",
    lines("GET /which.txt HTTP/1.1", "Host: other.test"),
    OTHER & kept,
)
case(
    "host-name-upper-case",
    MUST,
    "9110 5.1",
    "Field names are case-insensitive",
    lines("GET /which.txt HTTP/1.1", "hOST: other.test"),
    OTHER,
)
case(
    "host-last",
    MAY,
    "9110 5.3",
    "The order in which field lines with differing field names are",
    lines("GET /which.txt HTTP/1.1", "Accept: */*", "X: y", "Host: other.test"),
    OTHER,
)
for name, value in {
    "with-port": "main.test:8080",
    "ipv4": "127.0.0.1",
    "ipv6": "[::1]",
    "ipv6-with-port": "[2001:db8::1]:80",
    "short": "m",
}.items():
    case(
        f"host-{name}",
        MUST,
        "9112 3.2",
        "with an invalid field value.",
        lines("GET /file.txt HTTP/1.1", f"Host: {value}"),
        status(200, 404, 421),
    )

# ---- percent-encoding and dot segments

for name, target in {
    "letter": "/%66ile.txt",
    "whole-name": "/%66%69%6C%65%2E%74%78%74",
    "lower-case-hex": "/%66ile%2etxt",
    "in-folder": "/%66older/file.txt",
}.items():
    case(f"percent-{name}", SHOULD, "9110 4.2.3", _SAME, get(target=target), FINE)
case(
    "percent-tilde",
    SHOULD,
    "9110 4.2.3",
    _SAME,
    get(target="/tilde%7e%2D%5f.txt"),
    status(200) & body(b"tilde\n"),
)
case(
    "percent-blank",
    SHOULD,
    "3986 2.1",
    "A percent-encoding mechanism is used to represent a data octet in a component",
    get(target="/a%20b.txt"),
    status(200) & body(SPACED),
)
case("plus-is-plus", SHOULD, "3986 2.2", _RESERVED, get(target="/a+b.txt"), status("4xx"))
for name, target in {
    "not-hex": "/file%zz.txt",
    "cut": "/file.txt%4",
    "alone": "/file.txt%",
    "half": "/file%2.txt",
}.items():
    case(f"percent-{name}", SHOULD, "9112 3.2", _INVALID, get(target=target), status(400, 301))
case(
    "percent-slash",
    MAY,
    "3986 2.2",
    _RESERVED,
    get(target="/folder%2Ffile.txt"),
    status("4xx") | FINE,
)
case(
    "percent-question-mark",
    SHOULD,
    "3986 7.3",
    _SPLIT,
    get(target="/file.txt%3Fa=b"),
    status("4xx"),
)
case(
    "percent-twice",
    SHOULD,
    "3986 2.4",
    "Implementations must not percent-encode or decode the same string more than once",
    get(target="/%2566ile.txt"),
    status("4xx"),
)
case(
    "percent-nul", MUST, "9110 17.3", _NAMES, get(target="/file.txt%00.html"), status("4xx", "5xx")
)
case(
    "query",
    SHOULD,
    "3986 3.4",
    "The query component is indicated by the first question mark",
    get(target="/file.txt?a=b&c=%64?e/f"),
    FINE,
)
case(
    "query-empty",
    SHOULD,
    "3986 3.4",
    "The query component is indicated by the first question mark",
    get(target="/file.txt?"),
    FINE,
)

for name, target in {
    "dot": "/./file.txt",
    "dot-dot": "/folder/../file.txt",
    "encoded": "/folder/%2e%2E/file.txt",
    "deep": "/a/b/../../file.txt",
    "at-root": "/../file.txt",
}.items():
    case(
        f"segments-{name}",
        SHOULD,
        "9110 4.2.3",
        _SAME,
        get(target=target),
        FINE | status(301, 308, 400),
    )

# The configuration of the server itself lies in the folder above the document root.
for name, target in {
    "plain": "/../config",
    "from-folder": "/folder/../../config",
    "encoded": "/%2e%2e/config",
    "encoded-slash": "/..%2fconfig",
    "encoded-twice": "/%252e%252e/config",
    "absolute": "//config",
    "backslash": "/..\\config",
    "encoded-backslash": "/..%5cconfig",
    "long-utf8": "/%c0%ae%c0%ae/config",
    "by-absolute-form": "http://main.test/../config",
    "in-the-middle": "/folder/x/../../../config",
}.items():
    case(
        f"upward-{name}",
        MUST,
        "9110 17.3",
        _NAMES,
        get(target=target),
        status("4xx", "3xx")
        & fact("nothing of the file", lambda answer: b"conformance-" not in answer.body),
    )
