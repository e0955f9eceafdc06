#!/usr/bin/env python3
"""Writes the seeds of the fuzz targets that are made by hand: tests/fuzz/seeds/*.

usage: make_seeds.py
Files that a fuzzer found lie beside them (their names begin with "found-") and are left alone.
"""

import gzip
import itertools
import zlib
from pathlib import Path

from database_seeds import statement_builder_seeds
from mysql_seeds import mysql_seeds
from websocket_seeds import (
    frame_parser_seeds, mask_seeds, utf8_seeds, ws_handshake_seeds, ws_inflate_seeds)

SEEDS = Path(__file__).resolve().parent / "seeds"
CHUNKED = b"Transfer-Encoding: chunked"


def request(line, *fields, host="a.example", body=b"", end=b"\r\n"):
    """A request with the given request line and field lines."""
    lines = [as_bytes(line)]
    if host is not None:
        lines.append(b"Host: " + as_bytes(host))
    lines += [as_bytes(field) for field in fields]
    return end.join(lines) + end + end + as_bytes(body)


def as_bytes(text):
    return text if isinstance(text, bytes) else text.encode("latin-1")


CLIENTS = {
    "wrk": request("GET / HTTP/1.1", host="127.0.0.1:4507"),
    "curl": request("GET /x HTTP/1.1", "User-Agent: curl/7.88.1", "Accept: */*"),
    "ab": b"GET / HTTP/1.0\r\nConnection: Keep-Alive\r\nHost: a\r\nUser-Agent: ApacheBench/2.3\r\n"
    b"Accept: */*\r\n\r\n",
    "webbench": b"GET / HTTP/1.1\r\nUser-Agent: WebBench 1.5\r\nHost: a\r\nPragma: no-cache\r\n"
    b"Connection: close\r\n\r\n",
    "firefox": request(
        "GET /index.html?lang=en HTTP/1.1",
        "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:115.0) Gecko/20100101 Firefox/115.0",
        "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
        "Accept-Language: en-GB,en;q=0.5",
        "Accept-Encoding: gzip, deflate",
        "Connection: keep-alive",
        "Cookie: a=1; b=2",
        "Upgrade-Insecure-Requests: 1",
        "If-None-Match: W/\"123\"",
    ),
    "chrome": request(
        "GET /favicon.ico HTTP/1.1",
        "Connection: keep-alive",
        'sec-ch-ua: "Chromium";v="119", "Not?A_Brand";v="24"',
        "sec-ch-ua-mobile: ?0",
        "Sec-Fetch-Site: same-origin",
        "Sec-Fetch-Mode: no-cors",
        "Sec-Fetch-Dest: image",
        "Referer: http://a.example/",
        "Accept-Encoding: gzip, deflate",
        host="localhost:4507",
    ),
    "go": request("GET / HTTP/1.1", "User-Agent: Go-http-client/1.1", "Accept-Encoding: gzip"),
    "python": request(
        "POST /api HTTP/1.1", "Content-Type: application/json", "Content-Length: 2", body="{}"
    ),
    "curl-upload": request(
        "PUT /f HTTP/1.1", "Content-Length: 3", "Expect: 100-continue", body="abc"
    ),
    "curl-chunked": request("POST / HTTP/1.1", CHUNKED, body="3\r\nabc\r\n0\r\n\r\n"),
    "form": request(
        "POST /f HTTP/1.1",
        "Content-Type: application/x-www-form-urlencoded",
        "Content-Length: 7",
        body="a=b&c=d",
    ),
    "preflight": request(
        "OPTIONS /x HTTP/1.1",
        "Origin: http://b.example",
        "Access-Control-Request-Method: PUT",
        "Access-Control-Request-Headers: x-a",
    ),
    "websocket": request(
        "GET /chat HTTP/1.1",
        "Connection: keep-alive, Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version: 13",
    ),
    "range": request("GET /video HTTP/1.1", "Range: bytes=0-99", 'If-Range: "x"'),
    "proxy": request("GET http://a.example/x?y HTTP/1.1", "Proxy-Connection: keep-alive"),
    "options-star": request("OPTIONS * HTTP/1.1"),
    "trace": request("TRACE / HTTP/1.1", "Max-Forwards: 1"),
    "head": request("HEAD / HTTP/1.1"),
    "probe": b"GET /healthz HTTP/1.1\r\nHost: 10.0.0.1:8080\r\nUser-Agent: kube-probe/1.28\r\n\r\n",
    "http10": b"GET / HTTP/1.0\r\n\r\n",
    "pipelined": request("GET /1 HTTP/1.1") + request("GET /2 HTTP/1.1"),
    "many-fields": request("GET / HTTP/1.1", *[f"X-{i}: {i}" for i in range(60)]),
    "long-value": request("GET / HTTP/1.1", "Cookie: " + "x" * 900),
    "long-target": request("GET /" + "a/" * 300 + "?" + "q" * 200 + " HTTP/1.1"),
    "ipv6": request("GET / HTTP/1.1", host="[2001:db8::1]:8080"),
}

TARGETS = """/ /a/b /a//b /./a /a/../b /../x /%2e%2e/x /%41 /%2f /%5c /%00 /%zz /% /a#b /a\\b /a"b
/caf%c3%a9 /%c0%af /%ed%a0%80 /a?b /a?%zz /a?%00 /? * a http://a.example http://a.example/x?y
http://a.example:80/ http://b/ https://a.example/ http://u@a/ ftp://a/ //a/b /a;b /a:b@c /[x] /~a
/. /.. /... /.a /a/. /a/.. /a/./b /a/b/../../c /%2e /%252e%252e /a%2fb /..%2f..%2f /%f0%9f%98%80
/%e2%82%ac /%ff /%80 /%c3 /a?b=c&d=e+f%20g /a?x=../.. http:/a http:// http://a? HTTP://A/ /%%41 /%4
/a|b{c}^` /?/../ /a/%2e./b /%7f /%0d%0aX /a/%c3/%a9 ** *? [::1] http://[::1]:80/ http://a:0/
a.example a.example:80 a: a:65535 a:65536 [2001:db8::1]:443 [::ffff:1.2.3.4] 1.2.3.4 a..b a_b-c~d
""".split()


def request_seeds():
    for name, seed in CLIENTS.items():
        yield "client-" + name, seed
    for index, target in enumerate(TARGETS[:66]):
        yield f"target-{index:02}", request(f"GET {target} HTTP/1.1")
    lengths = ["5", "00", "-1", "+5", "0x5", "5, 5", "5,6", "1e3", "", "9" * 19, "9" * 20, "1_0"]
    for index, value in enumerate(lengths):
        yield f"length-{index:02}", request("POST / HTTP/1.1", f"Content-Length: {value}")
    codings = ["chunked", "Chunked", "gzip, chunked", "chunked, gzip", "chunked, chunked"]
    codings += [",chunked", "xchunked", '"chunked"', "chunked;a=b", "", "identity", "\tchunked\t"]
    for index, value in enumerate(codings):
        yield f"coding-{index:02}", request("POST / HTTP/1.1", f"Transfer-Encoding: {value}")
    both = (b"Content-Length: 5", CHUNKED, b"Content-Length: 6")
    for index, pair in enumerate(itertools.permutations(both, 2)):
        yield f"both-{index}", request("POST / HTTP/1.1", *pair)
    hosts = ["", "a,b", "a b", "u@a", "a:0", "a:99999", "[::1", "[g::]", "a..b", "a/", "a:"]
    hosts += ["[::]:1"]
    for index, host in enumerate(hosts):
        yield f"host-{index:02}", request("GET / HTTP/1.1", host=host)
    yield "host-two", request("GET / HTTP/1.1", "host: a.example")
    yield "host-none", request("GET / HTTP/1.1", host=None)
    versions = ["HTTP/0.9", "HTTP/1.01", "HTTP/1.2", "HTTP/2.0", "http/1.1", "HTTP/1.", ""]
    versions += ["RTSP/1.0"]
    for index, version in enumerate(versions):
        yield f"version-{index}", request(f"GET / {version}")
    lines = ["X : 1", ": 1", "X", "X 1", " X: 1", "X: 1\r\n 2", "X\0: 1", "X: \0", "X: a\rb"]
    lines += ["X:\x7f"]
    for index, line in enumerate(lines):
        yield f"field-{index:02}", request("GET / HTTP/1.1", line)
    for index, end in enumerate([b"\n", b"\r", b"\r\r\n", b"\n\r"]):
        yield f"line-end-{index}", request("GET / HTTP/1.1", "X: 1", end=end)
    yield "empty-lines", b"\r\n\r\n" + request("GET / HTTP/1.1")
    yield "preface", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
    yield "tls", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(40))
    yield "method-long", request("A" * 21 + " / HTTP/1.1")


def response(line, *fields, body=b"", end=b"\r\n"):
    """A response with the given status line and field lines."""
    lines = [as_bytes(line)] + [as_bytes(field) for field in fields]
    return end.join(lines) + end + end + as_bytes(body)


def response_seeds():
    yield "nginx", response(
        "HTTP/1.1 200 OK", "Server: nginx/1.22.1", "Date: Sun, 06 Nov 1994 08:49:37 GMT",
        "Content-Type: text/html", "Content-Length: 5", "Connection: keep-alive",
        'ETag: "66a1b2c3-264"', "Accept-Ranges: bytes", body="hello",
    )  # fmt: skip
    yield "chunked", response("HTTP/1.1 200 OK", CHUNKED, body="5\r\nhello\r\n0\r\nA: b\r\n\r\n")
    yield "to-close", response("HTTP/1.0 200 OK", "Server: SimpleHTTP/0.6", body="hello")
    yield "redirect", response("HTTP/1.1 302 Found", "Location: /x?y#z", "Content-Length: 0")
    yield "continue", response("HTTP/1.1 100 Continue") + response("HTTP/1.1 204 No Content")
    yield "hints", response("HTTP/1.1 103 Early Hints", "Link: </a.css>; rel=preload")
    yield "switch", response("HTTP/1.1 101 X", "Connection: upgrade", "Upgrade: websocket")
    yield "cookies", response("HTTP/1.1 200 ", *[f"Set-Cookie: c{i}={i}" for i in range(40)])
    yield "long-value", response("HTTP/1.1 200 OK", "X: " + "x" * 900)
    lines = ["HTTP/1.1 200", "HTTP/1.1 200 ", "HTTP/1.1  200 OK", "HTTP/1.1 20 OK", "HTTP/1.1 2000"]
    lines += ["HTTP/1.1 099 X", "HTTP/1.1 999 X", "HTTP/1.1 200\tOK", "HTTP/2.0 200 OK", "ICY 200"]
    lines += ["HTTP/0.9 200 OK", "HTTP/1.2 200 OK", "HTTP/1.1 200 \x01", "HTTP/1.1 304 \xe9"]
    for index, line in enumerate(lines):
        yield f"line-{index:02}", response(line, "Content-Length: 5", body="hello")
    fields = ["Content-Length: 5, 5", "Content-Length: " + "9" * 20, "Transfer-Encoding: gzip"]
    fields += ["Transfer-Encoding: chunked, gzip", "Transfer-Encoding: gzip, chunked", "X : 1"]
    fields += ["X: 1\r\n 2", "X: \0", ": 1", "Content-Length: 5\r\nContent-Length: 5"]
    fields += ["Transfer-Encoding: chunked\r\nContent-Length: 5", "Connection: close"]
    for index, field in enumerate(fields):
        yield f"field-{index:02}", response("HTTP/1.1 200 OK", field, body="hello")
    for index, end in enumerate([b"\n", b"\r", b"\r\r\n", b"\n\r"]):
        yield f"line-end-{index}", response("HTTP/1.1 200 OK", "X: 1", end=end)
    yield "empty-line", b"\r\n" + response("HTTP/1.1 200 OK")
    yield "ssh", b"SSH-2.0-OpenSSH_9.2\r\n"


def chunked_seeds():
    end = b"0\r\n\r\n"
    sizes = [b"5", b"05", b"5;a", b"5;a=b", b'5;a="b c"', b'5;a="\\""', b"5 ;a", b"5; a = b;c"]
    sizes += [b"5 ", b"", b" 5", b"-5", b"0x5", b"5_", b"g", b"5\n", b"5\r", b"5;", b"5;;"]
    sizes += [b'5;a="']
    sizes += [b"5;\0", b"0" * 16 + b"5", b"0" * 15 + b"5", b"7fffffffffffffff"]
    sizes += [b"8000000000000000", b"F" * 16]
    sizes += [b"5;" + b"x" * 22, b"5;" + b"x" * 23, b"5;a=b c", b'5;a="\r\n"', b"5;a\r", b"5\t;a"]
    for index, size in enumerate(sizes):
        yield f"size-{index:02}", size + b"\r\nhello\r\n" + end
    for index, behind in enumerate([b"\n", b"\r", b"", b"X\r\n", b"\r\r\n", b"\r\nX", b"\r\n\r\n"]):
        yield f"data-end-{index}", b"5\r\nhello" + behind + end
    trailers = [b"A: b\r\n", b"A:\r\nB: c\r\n", b"A : b\r\n", b": b\r\n", b"A\r\n", b" A: b\r\n"]
    trailers += [b"A: b\r\n c\r\n", b"A: b\n", b"A: \0\r\n", b"A: \x80\r\n", b"A: 1\r\n" * 4]
    trailers += [b"A: 1\r\n" * 5, b"A: " + b"x" * 59 + b"\r\n", b"A: " + b"x" * 60 + b"\r\n", b"XX"]
    for index, trailer in enumerate(trailers):
        yield f"trailer-{index:02}", b"0\r\n" + trailer + b"\r\n"
    for count in (1, 10, 18, 19, 30, 60):
        yield f"bytewise-{count:02}", b"1\r\nx\r\n" * count + end
    yield "several", b"3\r\nabc\r\nA\r\n0123456789\r\n" + end + b"GET / HTTP/1.1\r\n"
    yield "large", b"200\r\n" + b"x" * 512 + b"\r\n" + end
    yield "inside", b"9\r\n\r\n0\r\n\r\nXY\r\n" + end
    yield "end-only", end


def target_seeds():
    for index, target in enumerate(TARGETS):
        yield f"{index:02}", target
    yield "space", "/a b"
    yield "raw", b"/caf\xc3\xa9"
    yield "empty", b""
    yield "long", "/" + "a/../" * 100 + "%2e%2e"


def log_escape_seeds():
    yield "empty", b""
    yield "plain", b"accepted 10.0.0.1:4711"
    yield "every-byte", bytes(range(256))
    yield "forged-line", b"GET /\r\n2026-01-02 15:04:05 FATAL the disk is full"
    yield "terminal", b"\x1b]0;title\x07\x1b[2J\xc2\x9b31m\x7f"
    yield "json", b'"},{"level":"FATAL","message":"\\'
    yield "utf8", "caf\u00e9 \u20ac \U0001f600 \u2028".encode()
    yield "overlong", b"\xc0\x80\xe0\x80\xaf\xed\xa0\x80\xf4\x90\x80\x80\xff\xfe"
    yield "format", b"{} {:x} {0} %s %n"
    # Around line_max of the target, with what must not be cut in two at the edge.
    for name, unit in {"ascii": b"x", "escape": b"\n", "euro": b"\xe2\x82\xac"}.items():
        for size in (249, 250, 255, 256, 257):
            yield f"edge-{name}-{size}", b"x" * (size - len(unit)) + unit
    yield "long", b"\t\xe2\x82\xac" * 4000


def form_seeds():
    """Queries and Cookie fields: one text is read as both."""
    texts = [
        "", "a=b", "a=b&c=d", "a+b=c%20d", "%", "a=%4", "a=%00", "&&=&", "a", "=", "a=b=c",
        "a=%C3%A9&%ff=x", "Aa=1&BB=2&Aa=3", "a=b; c=d", "id=\"x y\"; =z;; w", "__Host-a=b; a",
        "p=" + "&p=" * 40, "c=d; " * 20,
    ]  # fmt: skip
    for number, text in enumerate(texts):
        yield f"text-{number:02}", text


def multipart_seeds():
    """Bodies whose boundary is "b"."""
    begin = "--b\r\nContent-Disposition: form-data; name="
    bodies = {
        "one": begin + "a\r\n\r\ndata\r\n--b--\r\n",
        "two": begin + "a\r\n\r\nx\r\n" + begin + '"c"\r\n\r\n\r\n--b--',
        "file": begin + 'f; filename="C:\\x\\a.txt"\r\nContent-Type: image/png\r\n\r\n'
        "\x89PNG\r\n\x1a\n\r\n--b--\r\n",
        "empty": "--b--",
        "bare-empty-part": begin + "a\r\n\r\n--b--\r\n",
        "preamble": "hello\r\n--b\r\n" + begin[5:] + "a\r\n\r\nx\r\n--b--\r\nepilogue\r\n--b",
        "nearly": begin + "a\r\n\r\n\r\n--\r\n-\r\n\r\r\n--b--\r\n",
        "longer-boundary": begin + "a\r\n\r\nx\r\n--bb\r\n--b--\r\n",
        "padding": "--b \t\r\n" + begin[5:] + "a\r\n\r\nx\r\n--b-- \r\n",
        "no-final": begin + "a\r\n\r\nx\r\n--b\r\n",
        "no-name": "--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--",
        "quotes": begin + '"a\\"b\\\\c"; filename="..\\\\..\\\\x"\r\n\r\nx\r\n--b--',
        "many": (begin + "a\r\n\r\n\r\n") * 6 + "--b--\r\n",
        "long-header": begin + "a\r\nX: " + "y" * 300 + "\r\n\r\n\r\n--b--",
        "many-fields": begin + "a\r\n" + "X: y\r\n" * 9 + "\r\n\r\n--b--",
        "nul": begin + '"a\0b"\r\n\r\nx\r\n--b--',
    }
    yield from bodies.items()


def range_seeds():
    huge = ["9223372036854775807", "18446744073709551615", "18446744073709551616", "9" * 20]
    values = ["0-0", "0-", "-1", "-0", "999-", "1000-", "5-4", "", ",", "-", "a-b", "1", "--1"]
    values += ["0-0,-1", "0-9, 20-29,\t40-", "0-,0-,0-", "0-,0-,0-,0-", "9-9,8-8,7-7,6-6", "0-1;x"]
    values += ["0-0," * 16, "0-0,2-2,4-4,6-6,8-8,1000-", "1-2-3", "+1-2", "0-1,x", ",,0-1,,"]
    values += [f"0-{number}" for number in huge] + [f"{number}-" for number in huge]
    values += [f"-{number}" for number in huge]
    for index, value in enumerate(values):
        for size in ("0 15", "1000 15", "9223372036854775807 0"):
            yield f"range-{index:02}-{len(size)}", f"{size}\nbytes={value}\n"
    units = ["items=0-1", "BYTES=0-1", "bytes 0-1", "bytes=", "0-1", "", "bytes= 0-1 "]
    for index, value in enumerate(units):
        yield f"unit-{index}", f"1000 15\n{value}\n"
    many = ",".join(f"{i}-{i}" for i in range(0, 2600, 2))
    yield "many", f"4000 63\nbytes={many}\n"
    yield "sixty-four", "4000 63\nbytes=" + ",".join(f"{i}-{i}" for i in range(0, 128, 2)) + "\n"
    date = "Sun, 06 Nov 1994 08:49:37 GMT"
    tags = ['"tag"', 'W/"tag"', "*", "tag", '"a", "tag"', '"a,b","tag"', '"a", *', '"', "W/", ""]
    dates = [date, "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "yesterday"]
    for name in ("If-Match", "If-None-Match", "If-Range"):
        for index, value in enumerate(tags + dates):
            yield f"{name.lower()}-{index:02}", f"100 15\nbytes=0-9\n{name}: {value}\n"
    for name in ("If-Modified-Since", "If-Unmodified-Since"):
        for index, value in enumerate(dates):
            yield f"{name.lower()}-{index}", f"100 15\nbytes=0-9\n{name}: {value}\n"
    lines = [f'If-Match: "x"\nIf-Unmodified-Since: {date}',
             f'If-None-Match: "x"\nIf-Range: {date}',
             f"If-Range: {date}\nIf-Range: {date}", f"If-Modified-Since: {date}\n" * 2]
    for index, value in enumerate(lines):
        yield f"several-{index}", f"100 15\nbytes=0-9,20-29\n{value}\n"
    codings = ["gzip", "gzip;q=0.5, br;q=1.0, *;q=0", "identity;q=0", "*", "gzip;q=2", ";"]
    codings += ["x-gzip"]
    for index, value in enumerate(codings):
        yield f"accept-{index}", f"100 15\nbytes=0-9\nAccept-Encoding: {value}\n"


def inflate_seeds():
    """One byte for the format, then what should be of it."""
    texts = {"empty": b"", "hello": b"hello", "long": bytes(range(256)) * 40, "bomb": b"a" * 200000}
    for name, text in texts.items():
        members = gzip.compress(text, mtime=0)
        yield f"gzip-{name}", b"\0" + members
        yield f"zlib-{name}", b"\1" + zlib.compress(text)
        yield f"cut-{name}", b"\0" + members[:-5]
        yield f"wrong-{name}", b"\1" + members
        yield f"damaged-{name}", b"\0" + members[:-8] + bytes(8)
    two = gzip.compress(b"one", mtime=0) + gzip.compress(b"two", mtime=0)
    yield "gzip-members", b"\0" + two
    yield "gzip-trailing", b"\0" + two + b"more"


def target_template_seeds():
    texts = ["/", "/new/{a}", "/{a}/{rest}", "/x?y={a}", "/x?", "//{a}", "{a}", "/{b}", "/{", "/}",
             "https://host/{a}", "https://host", "https://{a}/", "http://host?x={rest}", "/%zz",
             "/a/../{a}", "/{a}{rest}", "/a#b", "https://host{a}"]
    values = ["7", "", "a b", "../..", "//evil.example/", "?x=1#f", "%2e%2e", "\xff\0\r\n", "/"]
    for index, text in enumerate(texts):
        for number, value in enumerate(values):
            yield f"target-{index:02}-{number}", f"{text}\nq=1\n{value}"


def access_log_seeds():
    head = b"GET /a%20b?c=d HTTP/1.1\r\nHost: h:1\r\n"
    yield "empty", b""
    yield "plain", head + b"User-Agent: test/1\r\nReferer: http://r/\r\n\r\n"
    yield "user", head + b"Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\r\n\r\n"
    yield "quotes", head + b'User-Agent: "\\"\\","status":200,"\r\n\r\n'
    field = bytes([9, *range(32, 127), *range(128, 256)])
    yield "field-bytes", head + b"X: " + field + b"\r\n\r\n"
    yield "every-byte", bytes(range(256))
    yield "tls", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"
    long = b"GET /" + b"x" * 3000 + b" HTTP/1.1\r\nHost: h\r\nX: "
    yield "long", long + b"\xff" * 3000 + b"\r\n\r\n"
    yield "pattern", b"$remote_addr ${status}$$ $http_x"
    yield "pattern-json", b'{"a":"$request","b":$status}'
    yield "no-pattern", b"$remote_adr ${"


def proxy_seeds():
    v4 = bytes([192, 0, 2, 1, 10, 0, 0, 1]) + b"\x30\x39\x00\x50"
    v6 = bytes.fromhex("20010db9" + "0" * 23 + "1" + "20010db8" + "0" * 23 + "2")
    v6 += b"\x30\x39\x00\x50"
    signature = b"\r\n\r\n\0\r\nQUIT\n"

    def binary(command, kind, body):
        return b"p" + signature + bytes([command, kind]) + len(body).to_bytes(2, "big") + body

    yield "v1-tcp4", b"pPROXY TCP4 192.0.2.1 10.0.0.1 12345 80\r\nGET / HTTP/1.1\r\n"
    yield "v1-tcp6", b"pPROXY TCP6 2001:db9::1 2001:db8::2 12345 443\r\n"
    yield "v1-mapped", b"pPROXY TCP6 ::ffff:192.0.2.1 ::1 1 2\r\n"
    yield "v1-unknown", b"pPROXY UNKNOWN ffff:ffff ffff:ffff 65535 65535\r\n"
    yield "v1-bare-lf", b"pPROXY TCP4 192.0.2.1 10.0.0.1 12345 80\n"
    yield "v1-long", b"pPROXY UNKNOWN " + b"x" * 120
    yield "v2-inet", binary(0x21, 0x11, v4)
    yield "v2-inet6", binary(0x21, 0x21, v6) + b"GET / HTTP/1.1\r\n"
    yield "v2-tlv", binary(0x21, 0x11, v4 + b"\x02\x00\x03a.b\x04\x00\x00")
    yield "v2-local", binary(0x20, 0, b"")
    yield "v2-unix", binary(0x21, 0x31, b"/" * 216)
    yield "v2-short", binary(0x21, 0x21, v4)
    yield "v2-long", b"p" + signature + b"\x21\x11\xff\xff"
    yield "http", b"pGET / HTTP/1.1\r\n\r\n"
    for name, value in {
        "plain": "192.0.2.1",
        "chain": "6.6.6.6, 192.0.2.1, 10.0.0.2, 2001:db8::9",
        "ports": "192.0.2.1:80, [2001:db8::1]:4711, 10.0.0.3:_x",
        "nothing": "192.0.2.1, unknown, 10.0.0.2",
        "empty": ",, 10.0.0.2 ,",
        "lines": "6.6.6.6\r\nX-Forwarded-For: 192.0.2.1, 10.0.0.2\r\nX-Forwarded-Proto: https",
        "many": ", ".join(f"10.0.0.{i}" for i in range(40)),
    }.items():
        yield "xff-" + name, as_bytes("x" + value)
        yield "real-" + name, as_bytes("r" + value)
    for name, value in {
        "plain": "for=192.0.2.1;proto=http;by=203.0.113.43",
        "quoted": 'For="[2001:db9:cafe::17]:4711", for=10.0.0.2;host="a.example:80"',
        "open": 'for=192.0.2.1;x=", for=10.0.0.2',
        "escape": 'for="1\\92.0.2.1";proto=https',
        "twice": "for=192.0.2.1;for=192.0.2.2",
    }.items():
        yield "forwarded-" + name, as_bytes("f" + value)


def response_builder_seeds():
    """As response_builder_fuzz.cc reads them: numbers are bytes, texts have their length first."""
    def text(value):
        value = as_bytes(value)
        return bytes([len(value)]) + value

    def stream(pieces, promise):
        for_each = b"".join(
            (b"\0" + text(piece[0]) + text(piece[1])) if isinstance(piece, tuple)
            else b"\1" + text(piece) for piece in pieces)
        return b"\6" + bytes([len(pieces)]) + for_each + promise

    contents = {"status": b"\0", "text": b"\1" + text("hello"), "html": b"\2" + text("<p>"),
                "permanent": b"\3", "redirect": b"\4" + text("/there"),
                "redirect-split": b"\4" + text("/x\r\nSet-Cookie: a"), "large": b"\5\xff",
                "chunks": stream(["a", "bcd", ""], b"\0"),
                "trailers": stream(["a", ("T", "u"), ("Content-Length", "5"), ("T", "u\r\nv")],
                                   b"\0"),
                "length": stream(["abc", "d"], b"\1\0"), "short": stream(["abc"], b"\1\2")}
    for method, version in itertools.product(range(4), range(2)):
        for name, content in contents.items():
            yield f"{name}-{method}-{version}", bytes([method, version, 0]) + content
    plain = bytes([0, 0, 2]) + contents["text"]
    for name, field in {"good": ("X-Y", "z"), "empty": ("", ""), "split": ("X", "a\r\nB: c"),
                        "colon": ("A:B", "c"), "tab": ("A", "\tb\t"), "high": ("A", b"\x80\xff"),
                        "nul": ("A", "\0"), "length": ("Content-Length", "1"),
                        "coding": ("transfer-encoding", "chunked")}.items():
        yield f"field-{name}", plain + b"\1" + text(field[0]) + text(field[1])
    for hundreds, rest in itertools.product(range(8), (0, 4, 5, 99)):
        yield f"code-{hundreds}{rest:02}", plain + b"\0\0\0\0\1" + bytes([hundreds, rest])
        yield f"code-stream-{hundreds}{rest:02}", (
            bytes([0, 0, 1]) + contents["chunks"] + b"\0\0\0\0\1" + bytes([hundreds, rest]))


def tunnel_seeds():
    """What proxies answer: 0 = SOCKS5, 1 = the same with a user, 2 = CONNECT."""
    for name, method in {"plain": b"\5\0", "login": b"\5\2\1\0", "wrong": b"\5\2\1\1",
                         "none": b"\5\xff"}.items():  # fmt: skip
        yield f"socks-{name}-0", b"\0" + method
        for reply, rest in {
            "v4": b"\0\0\1abcdef", "v6": b"\0\0\4" + b"x" * 18, "name": b"\0\0\3\3abcxx",
            "no-name": b"\0\0\3\0xx", "other": b"\0\0\2abcdef", "refused": b"\5",
            "cut": b"\0\0\1ab",
            "long": b"\0\0\3\xff" + b"x" * 257 + b"behind",
        }.items():  # fmt: skip
            for user in (0, 1):
                yield f"socks-{name}-{reply}-{user}", bytes([user]) + method + b"\5" + rest
    for name, head in {
        "ok": "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nHTTP",
        "chunked": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n",
        "login": "HTTP/1.1 407 X\r\nProxy-Authenticate: Basic\r\n\r\n",
        "interim": "HTTP/1.1 100 Continue\r\n\r\n" * 3 + "HTTP/1.0 200 OK\r\n\r\n",
        "many": "HTTP/1.1 100 Continue\r\n\r\n" * 9,
        "upgrade": "HTTP/1.1 101 X\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
        "bare": "HTTP/1.1 200 OK\n\n",
        "long": "HTTP/1.1 200 OK\r\n" + ("X: " + "y" * 3000 + "\r\n") * 6,
    }.items():
        yield f"connect-{name}", b"\2" + head.encode()


def main():
    makers = {
        "request_parser": request_seeds,
        "response_parser": response_seeds,
        "chunked": chunked_seeds,
        "target": target_seeds,
        "form": form_seeds,
        "multipart": multipart_seeds,
        "log_escape": log_escape_seeds,
        "range": range_seeds,
        "inflate": inflate_seeds,
        "target_template": target_template_seeds,
        "access_log": access_log_seeds,
        "proxy": proxy_seeds,
        "response_builder": response_builder_seeds,
        "frame_parser": frame_parser_seeds,
        "utf8": utf8_seeds,
        "mask": mask_seeds,
        "ws_inflate": ws_inflate_seeds,
        "ws_handshake": ws_handshake_seeds,
        "tunnel": tunnel_seeds,
        "statement_builder": statement_builder_seeds,
        "mysql": mysql_seeds,
    }
    for folder, maker in makers.items():
        (SEEDS / folder).mkdir(parents=True, exist_ok=True)
        for path in (SEEDS / folder).iterdir():
            if not path.name.startswith("found-"):
                path.unlink()
        for name, seed in maker():
            path = SEEDS / folder / name
            assert not path.exists(), path
            path.write_bytes(as_bytes(seed))


if __name__ == "__main__":
    main()
