#!/usr/bin/env python3
"""Does a program of docs/examples do what its first line says?

usage: examples_test.py PROGRAM EXAMPLE
"""

import base64
import contextlib
import http.server
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
import urllib.error
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))

import peer  # noqa: E402
from chromium import Browser  # noqa: E402
from serving import in_thread  # noqa: E402
from websocket_peer import BINARY, TEXT, WebSocket  # noqa: E402

_LISTENING = re.compile(rb"listening on (?:http://)?([\d.]+):(\d+)")
_SECONDS = 30


@contextlib.contextmanager
def running(*command):
    """The program as a child, and where it says it listens. AddressSanitizer keeps freed memory for
    a while, which would look as if it grew."""
    env = {**os.environ, "ASAN_OPTIONS": "quarantine_size_mb=1"}
    child = subprocess.Popen(command, stdout=subprocess.PIPE, env=env)
    try:
        for line in child.stdout:
            found = _LISTENING.search(line)
            if found:
                yield child, (found[1].decode(), int(found[2]))
                return
        raise AssertionError(f"{command[0]} ended with {child.wait()} and never listened")
    finally:
        child.terminate()
        child.wait(_SECONDS)
        child.stdout.close()


def udp_echo(program):
    with running(program) as (_, address), socket.socket(type=socket.SOCK_DGRAM) as peer:
        peer.settimeout(_SECONDS)
        for message in (b"hello", b"x" * 2048):
            peer.sendto(message, address)
            assert peer.recvfrom(65536) == (message, address)


def hello_http(program):
    with running(program, "0") as (_, (host, port)):
        with urllib.request.urlopen(f"http://{host}:{port}/", timeout=_SECONDS) as answer:
            assert answer.status == 200
            assert answer.read() == b"Hello, world!\n"


class _Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"you asked for " + self.path.encode() + b"\n")

    def log_message(self, *_):
        pass


def http_get(program):
    with in_thread(http.server.HTTPServer(("127.0.0.1", 0), _Answer)) as port:
        url = f"http://127.0.0.1:{port}/x"
        ran = subprocess.run([program, url], capture_output=True, timeout=_SECONDS, check=True)
    assert ran.stdout == b"200 you asked for /x\n", ran.stdout
    ran = subprocess.run([program, url], capture_output=True, timeout=_SECONDS, check=True)
    assert b"Connection refused" in ran.stdout, ran.stdout


def _exchange(address, request):
    """Sends it, ends its side, and reads to the end."""
    with socket.create_connection(address, _SECONDS) as peer:
        peer.sendall(request)
        peer.shutdown(socket.SHUT_WR)
        with peer.makefile("rb") as answer:
            return answer.read()


def tcp_echo(program):
    with running(program, "0") as (_, address):
        for message in (b"hello", bytes(range(256)) * 4096):
            assert _exchange(address, message) == message


@contextlib.contextmanager
def _typed(*command):
    """A program that takes commands: (say(line), wait_for(text), child). wait_for() gives the line
    in which the text stands, and keeps the others."""
    env = {**os.environ, "ASAN_OPTIONS": "quarantine_size_mb=1"}
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                             env=env, bufsize=1)  # fmt: skip
    watchdog = threading.Timer(_SECONDS, child.kill)
    watchdog.start()
    seen = []

    def say(line):
        child.stdin.write(line + "\n")
        child.stdin.flush()

    def wait_for(text):
        for line in seen:
            if text in line:
                seen.remove(line)
                return line
        for line in child.stdout:
            if text in line:
                return line
            seen.append(line)
        raise AssertionError(f"{command[0]} never said {text!r}, but {seen}")

    try:
        yield say, wait_for, child
    finally:
        watchdog.cancel()
        child.kill()
        child.wait(_SECONDS)
        child.stdin.close()
        child.stdout.close()


@contextlib.contextmanager
def _ws_pair(server, client, folder):
    with _typed(server, "0", folder) as ends:
        found = _LISTENING.search(ends[1]("listening on").encode())
        url = f"ws://{found[1].decode()}:{int(found[2])}/"
        with _typed(client, url) as typed:
            typed[1]("open")
            ends[1]("1 has come from 127.0.0.1:")
            yield ends, typed, url


def ws_client(program):
    server = Path(program).with_name("ws_server")
    with tempfile.TemporaryDirectory() as folder:
        with _ws_pair(server, program, folder) as ((_, heard, _), (say, wait_for, child), _):
            say("hello there")
            heard("1: hello there")
            say("ping")
            for name, size in (("large", 5_000_017), ("whole", 2 << 20), ("empty", 0)):
                content = os.urandom(size)
                path = Path(folder, name)
                path.write_bytes(content)
                say(f"file {path}")
                assert "100 %" in wait_for("100 %")
                assert re.search(rf"{size} bytes, [\d.]+ MB/s", wait_for(f"sent {path}"))
                saved = re.search(r"sent (\S+): (\d+) bytes, [\d.]+ MB/s", heard("1 sent "))
                assert int(saved[2]) == size and Path(saved[1]).read_bytes() == content
                wait_for(f"< took {size} bytes")
            say("file /nowhere")
            wait_for("cannot read /nowhere")
            say("close")
            wait_for("closed: 1000")
            heard("1 has gone: 1000")
            assert child.wait(_SECONDS) == 0
    ran = subprocess.run([program, "wss://localhost/"], capture_output=True, timeout=_SECONDS)
    assert b"not in this build" in ran.stdout, ran.stdout


def ws_server(program):
    client = Path(program).with_name("ws_client")
    with tempfile.TemporaryDirectory() as folder:
        with _ws_pair(program, client, folder) as ((say, heard, child), (type_in, told, one), url):
            with _typed(client, url) as (type_other, other_told, two):
                heard("2 has come from")
                say("list")
                heard("1 127.0.0.1:")
                heard("2 127.0.0.1:")
                heard("2 peers")
                say("say 2 only you")
                other_told("< only you")
                say("all good morning")
                assert told("<") == "< good morning\n"
                other_told("< good morning")
                say("say 3 who?")
                heard("nobody is 3")
                type_other("quit")
                heard("2 has gone: 1000")
                assert two.wait(_SECONDS) == 0
            say("quit")
            told("closed: 1001")
            assert one.wait(_SECONDS) == 0
            assert child.wait(_SECONDS) == 0


def blocking_work(program):
    with running(program, "0") as (_, address):
        with open(__file__, "rb") as this:
            assert _exchange(address, __file__.encode() + b"\n") == this.read()
        assert _exchange(address, b"/nowhere\n") == b"cannot read /nowhere\n"


def timers(program):
    ended = subprocess.run([program], capture_output=True, timeout=_SECONDS, check=True)
    lines = ended.stdout.decode().split("\n")
    assert lines[0] == "tick 1" and "done" in lines, lines
    assert not any("not printed" in line for line in lines), lines


def _ask(address, method, path, body=None, fields=()):
    """(status, fields, body), with errors as answers."""
    url = "http://{}:{}{}".format(*address, path)
    request = urllib.request.Request(url, body, dict(fields), method=method)
    try:
        with urllib.request.urlopen(request, timeout=_SECONDS) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers, error.read()


def rest_service(program):
    with running(program, "0") as (_, address):
        status, fields, body = _ask(address, "POST", "/api/notes", b'{"text": "buy milk"}')
        assert (status, json.loads(body)) == (201, {"id": 1, "text": "buy milk"})
        assert fields["Location"] == "/api/notes/1"
        assert json.loads(_ask(address, "GET", "/api/notes/1")[2])["text"] == "buy milk"
        changed = _ask(address, "PUT", "/api/notes/1", '{"text": "\u00e4"}'.encode())
        assert json.loads(changed[2])["text"] == "\u00e4"
        assert len(json.loads(_ask(address, "GET", "/api/notes")[2])) == 1
        for nonsense in (b"", b"{", b"[]", b'{"text": 1}'):
            status, _, body = _ask(address, "POST", "/api/notes", nonsense)
            assert status == 400 and "expected" in json.loads(body)["error"]
        assert _ask(address, "POST", "/api/notes", b"x" * (64 << 10) + b"x")[0] == 413
        assert _ask(address, "PATCH", "/api/notes/1")[0] == 405
        assert _ask(address, "DELETE", "/api/notes/1")[0] == 204
        assert _ask(address, "DELETE", "/api/notes/1")[0] == 404
        assert _ask(address, "GET", "/api/notes/none")[0] == 404


def sqlite_notes(program):
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "notes.db")
        with running(program, "0", file) as (_, address):
            for number, text in enumerate(("buy milk", "\u00e4 '; DROP TABLE note; --"), 1):
                posted = _ask(address, "POST", "/notes", json.dumps({"text": text}).encode())
                assert (posted[0], json.loads(posted[2])) == (201, {"id": number, "text": text})
            assert _ask(address, "POST", "/notes", b"[]")[0] == 400
            assert [_ask(address, "DELETE", "/notes/1")[0] for _ in "12"] == [204, 404]
            left = json.loads(_ask(address, "GET", "/notes")[2])
            assert left == [{"id": 2, "text": text}]
        with running(program, "0", file) as (_, address):  # as they were
            assert json.loads(_ask(address, "GET", "/notes")[2]) == left
        # No file can be made there: one sentence, and no server.
        refused = subprocess.run([program, "0", folder], stderr=subprocess.PIPE, check=False)
        assert refused.returncode == 69 and refused.stderr.startswith(b"ssxrver: notes: "), refused


def _resident_kib(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return int(re.search(r"VmRSS:\s+(\d+)", status.read())[1])


def streaming_download(program):
    with running(program, "0") as (child, address):
        rows = 2_000_000
        url = "http://{}:{}/squares.csv?rows={}".format(*address, rows)
        with urllib.request.urlopen(url, timeout=_SECONDS) as answer:
            assert answer.headers["Content-Type"].startswith("text/csv")
            first = answer.readline(), answer.readline()
            before = _resident_kib(child.pid)
            count, last = 1, b""
            for last in answer:
                count += 1
            grown = _resident_kib(child.pid) - before
        assert first == (b"number,square\r\n", b"0,0\r\n"), first
        assert (count, last) == (rows, f"{rows - 1},{(rows - 1) ** 2}\r\n".encode()), (count, last)
        assert grown < 16 << 10, f"{grown} KiB more for a longer table"


def file_upload(program):
    with tempfile.TemporaryDirectory() as folder, \
            running(program, "0", folder) as (_, address):
        content = os.urandom(3_000_000)
        status, _, body = _ask(address, "PUT", "/files/some%20file", content)
        assert (status, body) == (201, b"some file: 3000000 bytes\n"), (status, body)
        assert Path(folder, "some file").read_bytes() == content
        assert _ask(address, "GET", "/files/some%20file")[2] == content
        for name in (".hidden", "", "a/b"):
            assert _ask(address, "PUT", f"/files/{name}", b"x")[0] == 403, name
        with socket.create_connection(address, _SECONDS) as half:
            half.sendall(b"PUT /files/half HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf")
        assert _ask(address, "GET", "/files/half")[0] == 404
        with _browser() as browser:
            browser.open("http://{}:{}/".format(*address))
            status = browser.run("send(new File([new Uint8Array(20_000_000)], 'from a page'))")
            assert status == 201, status
            assert browser.run("document.querySelector('.bar div').style.width") == "100%"
            said = browser.run("document.querySelector('.said').textContent")
            assert said == "from a page: 20000000 bytes\n", said
            assert browser.errors == [], browser.errors
        assert Path(folder, "from a page").read_bytes() == bytes(20_000_000)
        assert sorted(os.listdir(folder)) == ["from a page", "some file"]


def sse_ticker(program):
    with running(program, "0") as (_, address):
        url = "http://{}:{}/ticks".format(*address)
        asked = urllib.request.Request(url, headers={"Last-Event-ID": "41"})
        with urllib.request.urlopen(asked, timeout=_SECONDS) as answer:
            assert answer.headers["Content-Type"] == "text/event-stream"
            lines = [answer.readline().decode().rstrip("\n") for _ in range(5)]
        assert lines[:3] == ["retry: 1000", "", "id: 42"], lines
        assert json.loads(lines[3].removeprefix("data: "))["tick"] == 42
        with _browser() as browser:
            browser.open("http://{}:{}/".format(*address))
            browser.run("""new Promise((done) => {
                const look = () => prices.length > 4 ? done() : requestAnimationFrame(look);
                look();
            })""")
            assert browser.run("document.getElementById('state').textContent") == "live"
            points = browser.run("document.getElementById('curve').getAttribute('points')")
            assert len(points.split()) > 4, points
            assert browser.errors == [], browser.errors


_FORM = {"Content-Type": "application/x-www-form-urlencoded"}
_JSON = {"Content-Type": "application/json"}


def http_guide(program):
    with tempfile.TemporaryDirectory() as folder, \
            running(program, "0", folder) as (_, address):
        def ask(method, path, body=None, fields=()):
            return _ask(address, method, path, body, fields)

        assert ask("GET", "/hello/you%20two")[2] == b"Hello, you two!\n"
        assert ask("DELETE", "/hello/x")[0] == 204
        refused = ask("PATCH", "/hello/x")
        assert (refused[0], refused[1]["Allow"]) == (405, "GET, HEAD, DELETE, OPTIONS"), refused[1]
        assert ask("OPTIONS", "/hello/x")[0] == 204
        assert ask("GET", "/later")[2] == b"/later, after a while\n"
        found = ask("GET", "/search?q=a+b%21&page=x", None, {"Cookie": "theme=dark"})[2]
        assert found == b"a b! 1 dark en 127.0.0.1\n", found
        assert ask("GET", "/search")[0] == 400
        signed_up = ask("POST", "/sign-up", b"name=A%20B&box=1&box=2", _FORM)
        assert signed_up[2] == b"welcome, A B: 2 boxes ticked\n", signed_up
        for body, status in ((b"name=%zz", 400), (b"x=y", 422)):
            assert ask("POST", "/sign-up", body, _FORM)[0] == status, body
        assert ask("POST", "/sign-up", b"name=x", _JSON)[0] == 415
        made = ask("POST", "/users", b'{"name": "ann"}', _JSON)
        assert (made[0], made[2]) == (201, b'{"id":7,"name":"ann"}'), made
        problem = ask("POST", "/users", b'{"name"', _JSON)
        assert problem[1]["Content-Type"] == "application/problem+json", problem
        assert ask("POST", "/users", b" " * 4097, _JSON)[0] == 413
        assert "theme=dark" in _head_of(address, "/theme"), _head_of(address, "/theme")
        _bodies_of_the_guide(ask, folder)
        _answers_of_the_guide(ask, address)


def _bodies_of_the_guide(ask, folder):
    for length in (1000, 2_000_000):  # in memory, in a file
        assert ask("POST", "/lines", b"\n" * length)[2] == f"{length} lines\n".encode()
    assert ask("POST", "/sum", b"\1" * 3_000_000)[2] == b"3000000 bytes, sum 3000000\n"
    parts = ('--x\r\nContent-Disposition: form-data; name="album"\r\n\r\nsummer\r\n'
             '--x\r\nContent-Disposition: form-data; name="p"; filename="../a.png"\r\n\r\n')
    body = parts.encode() + bytes(100_000) + b"\r\n--x--\r\n"
    fields = {"Content-Type": "multipart/form-data; boundary=x"}
    said = ask("POST", "/pictures", body, fields)
    assert said[2] == b"album = summer\na.png: 100000 bytes\n", said
    assert ask("POST", "/pictures", body[:50_000], fields)[0] == 400
    assert os.listdir(folder) == ["picture-1"], os.listdir(folder)


def _answers_of_the_guide(ask, address):
    assert ask("GET", "/page")[1]["Content-Type"] == "text/html; charset=utf-8"
    assert json.loads(ask("GET", "/raw")[2]) == {"made": "by hand"}
    assert ask("GET", "/old")[2] == b"<h1>A page</h1>\n"
    assert ask("GET", "/busy")[1]["Retry-After"] == "120"
    asked = b"GET /squares.csv HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
    table = _exchange(address, asked)
    assert table.endswith(b"\r\n2,4\r\n\r\n0\r\nX-Rows: 3\r\n\r\n"), table
    url = "http://{}:{}/ticks".format(*address)
    asked = urllib.request.Request(url, headers={"Last-Event-ID": "41"})
    with urllib.request.urlopen(asked, timeout=_SECONDS) as answer:
        lines = {answer.readline() for _ in range(3)}
    assert lines == {b"event: clock\n", b"id: 42\n", b"data: tick\n"}, lines
    assert ask("GET", "/report")[2].startswith(b"up for ")
    assert ask("GET", "/throws")[0] == 500
    assert ask("GET", "/api/status")[2] == b"fine\n"
    assert ask("GET", "/api/admin/users/7")[0] == 401
    token = {"Authorization": "Bearer a-token"}
    assert ask("GET", "/api/admin/users/7", None, token)[2] == \
        b"GET /api/admin/users/{id} for ann\n"
    assert ask("GET", "/", None, {"Host": "other.example"})[2] == b"the other host\n"
    assert ask("GET", "/")[0] == 404


def _head_of(address, path, method="GET", fields=""):
    """Status line and fields, redirects not followed."""
    request = f"{method} {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n{fields}\r\n"
    return _exchange(address, request.encode()).decode().partition("\r\n\r\n")[0]


def middleware_guide(program):
    with running(program, "0") as (_, address):
        def ask(path, fields=(), method="GET"):
            return _ask(address, method, path, None, fields)

        assert ask("/worker")[1]["X-Worker"].isdigit()
        assert [ask(path)[0] for path in ("/open", "/closed")] == [200, 403]
        moved = _head_of(address, "/api/greet?a=b", fields="X-Forwarded-Proto: http\r\n")
        assert "308" in moved and "Location: https://a/api/greet?a=b" in moved, moved
        greeted = ask("/api/greet?lang=de")
        assert (greeted[2], greeted[1]["Cache-Control"]) == (b"Guten Tag!\n", "no-store"), greeted
        missing = ask("/nowhere")
        assert missing[0] == 404 and missing[1]["X-Content-Type-Options"] == "nosniff"
        assert missing[1]["Content-Security-Policy"] == "default-src 'self'"
        named = ask("/name", {"X-Request-Id": "a-name"})
        assert named[2] == b"a-name\n" and named[1]["X-Request-Id"] == "a-name", named
        assert len(ask("/name")[2]) == 33
        shared = ask("/shared/data", {"Origin": "https://app.example"})
        assert shared[1]["Access-Control-Allow-Origin"] == "https://app.example"
        preflight = ("Origin: https://app.example\r\nAccess-Control-Request-Method: PUT\r\n"
                     "Access-Control-Request-Headers: content-type\r\n")
        allowed = _head_of(address, "/shared/data", "OPTIONS", preflight)
        assert "204" in allowed and "Access-Control-Allow-Methods: GET, PUT" in allowed, allowed
        coded = ask("/texts/long", {"Accept-Encoding": "gzip"})
        assert coded[1]["Content-Encoding"] == "gzip" and len(coded[2]) < 200, coded[1]
        assert coded[1]["Vary"] == "Accept-Encoding", coded[1]
        assert len(ask("/texts/account", {"Accept-Encoding": "gzip"})[2]) == 4096
        assert ask("/staff/")[0] == 401
        password = "Basic " + base64.b64encode(b"ann:secret").decode()
        assert ask("/staff/", {"Authorization": password})[2] == b"hello, ann\n"
        assert ask("/staff/", method="PUT")[0] == 401
        assert ask("/machines/", {"Authorization": "Bearer t-1"})[0] == 401
        assert ask("/machines/", {"Authorization": "Bearer t-2"})[2] == b"hello, bob\n"
        logins = [_ask(address, "POST", "/login", b"") for _ in range(4)]
        assert [login[0] for login in logins] == [204, 204, 204, 429], logins
        assert 1 <= int(logins[3][1]["Retry-After"]) <= 60
        entered = _head_of(address, "/site/enter?name=eve", "POST", "Content-Length: 0\r\n")
        cookie = re.search(r"Set-Cookie: (__Host-user=[^;]+);", entered)[1]
        assert ask("/site/", {"Cookie": cookie})[2] == b"hello, eve\n"
        assert ask("/site/", {"Cookie": cookie[:-1]})[2] == b"who are you?\n"


def websocket_guide(program):
    with running(program, "0") as (_, address):
        port = address[1]

        def refused(path):
            try:
                WebSocket(port, path)
            except ConnectionError as error:
                return re.search(r"\d{3}", str(error))[0]
            raise AssertionError(path)

        def said(path, text):
            with WebSocket(port, path) as peer_socket:
                peer_socket.send(TEXT, text.encode())
                return peer_socket.receive_text()

        assert said("/echo", "hello") == "hello"
        assert said("/slow?token=let-me-in", "hello") == "hello"
        assert said("/work", "dishes") == "done: dishes"
        assert [refused("/slow?token=wrong"), refused("/rooms/red")] == ["403", "400"]
        with WebSocket(port, "/rooms/red?name=ann") as ann:
            with WebSocket(port, "/rooms/red?name=bob") as bob:
                bob.send(TEXT, b"hello")
                assert ann.receive_text() == "bob: hello"
                bob.close()
            assert ann.receive_text() == "bob has left"
        with WebSocket(port, "/upload") as upload:
            for i in range(5):
                upload.send(BINARY if i == 0 else 0, bytes(1 << 20), fin=i == 4)
            assert upload.receive_text() == str(5 << 20)
        with WebSocket(port, "/prices") as prices:
            assert _ask(address, "POST", "/prices", b"7.50")[0] == 202
            assert prices.receive_text() == "7.50"


def _browser():
    return Browser(peer.need("chromium", "chromium-browser", "google-chrome"))


EXAMPLES = {test.__name__: test for test in (
    blocking_work, file_upload, hello_http, http_get, http_guide, middleware_guide, rest_service,
    sqlite_notes, sse_ticker, streaming_download, tcp_echo, timers, udp_echo,
    websocket_guide, ws_client, ws_server)}

if __name__ == "__main__":
    EXAMPLES[sys.argv[2]](sys.argv[1])
    print(sys.argv[2], "works")
