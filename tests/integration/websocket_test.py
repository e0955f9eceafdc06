#!/usr/bin/env python3
"""The WebSocket routes of the daemon, as curl and a peer of the standard library see them.

usage: websocket_test.py --daemon PROGRAM
"""

import base64
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import peer  # noqa: E402
from daemon import Daemon  # noqa: E402
from websocket_peer import BINARY, CLOSE, CONTINUATION, PING, PONG, TEXT, WebSocket  # noqa: E402

PROGRAM = ""
CURL = ""
ROUTES = [
    {"match": "/echo", "handler": "websocket:echo"},
    {"match": "/short", "handler": "websocket:echo", "max_message_size": 10},
    {"match": "/stream", "handler": "websocket:echo", "parse_mode": "stream"},
    {"match": "/small", "handler": "websocket:echo", "deflate": {"mode": "both", "min_size": 10}},
    {"match": "/sink", "handler": "websocket:sink", "max_message_size": "1G"},
    {"match": "/off", "handler": "websocket:echo", "enabled": "off"},
    {"match": "/v1", "handler": "websocket:echo", "subprotocols": ["echo.v1"]},
    {"match": "/any", "handler": "websocket:echo", "allowed_origins": ["any"]},
]
HASH = "89cVY3mh1uJepooGFigOxu75G7XzmQz9p4e6ErU9vorakl0aTDBr6"  # of "Open, Sesame", at cost 5
UPGRADE = ("-H", "Connection: Upgrade", "-H", "Upgrade: websocket", "-H",
           "Sec-WebSocket-Version: 13", "-H", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==")


class WebSockets(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def start(self, *arguments, routes=ROUTES, **options):
        (self.folder / "site.json").write_text(json.dumps({"http": {"routes": routes}, **options}))
        return Daemon(PROGRAM, self.folder, "-f", "site.json", *arguments)

    def status(self, daemon, path, *arguments):
        """What curl is answered, which may be 101: it would wait for the rest. It says what comes
        as it comes on stderr alone; a head on stdout stays with it until there is a body."""
        curl = subprocess.Popen(
            [CURL, "-s", "-v", "--max-time", "30", *arguments, daemon.url + path],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        with curl:
            line = next(line for line in curl.stderr if line.startswith(b"< HTTP/"))
            curl.kill()
        return line.split(b" ", 3)[2].decode()

    def test_messages_come_back(self):
        with self.start() as daemon, WebSocket(daemon.port, "/echo") as socket:
            for opcode, payload in ((TEXT, b""), (TEXT, "h\u00e9llo".encode()),
                                    (BINARY, bytes(range(256)) * 2000)):
                socket.send(opcode, payload)
                self.assertEqual(socket.receive(), (True, opcode, payload))
            socket.send(TEXT, b"a", fin=False)
            socket.send(PING, b"there?")
            self.assertEqual(socket.receive(), (True, PONG, b"there?"))
            socket.send(CONTINUATION, b"b")
            self.assertEqual(socket.receive(), (True, TEXT, b"ab"))
            self.assertEqual(socket.close(4000), 4000)

    def test_pieces_come_back_before_their_message_has_ended(self):
        with self.start() as daemon, WebSocket(daemon.port, "/stream") as socket:
            socket.send(TEXT, b"begin", fin=False)
            self.assertEqual(socket.receive(), (False, TEXT, b"begin"))
            socket.send(CONTINUATION, b"end")
            self.assertEqual(socket.receive(), (True, CONTINUATION, b"end"))

    def test_a_sink_keeps_nothing_of_what_it_counts(self):
        piece = b"x" * (1 << 20)
        with self.start() as daemon, WebSocket(daemon.port, "/sink") as socket:
            socket.send(BINARY, piece, fin=False)
            before = daemon.memory("VmRSS")
            for _ in range(62):
                socket.send(CONTINUATION, piece, fin=False)
            socket.send(CONTINUATION, piece)
            self.assertEqual(socket.receive(), (True, TEXT, str(64 << 20).encode()))
            self.assertLess(daemon.memory("VmHWM") - before, 16 << 20)
            socket.send(TEXT, b"123")
            self.assertEqual(socket.receive(), (True, TEXT, b"3"))

    def test_a_route_has_limits_of_its_own(self):
        with self.start() as daemon:
            with WebSocket(daemon.port, "/short") as socket:
                for size in (9, 10):
                    socket.send(BINARY, b"x" * size)
                    self.assertEqual(socket.receive()[2], b"x" * size)
                socket.send(BINARY, b"x" * 11)
                self.assertEqual(socket.receive_close(), 1009)
            with WebSocket(daemon.port, "/echo") as socket:
                socket.send(BINARY, b"x" * 11)
                self.assertEqual(socket.receive()[2], b"x" * 11)

    def test_messages_are_compressed_where_that_is_on(self):
        offer = {"Sec-WebSocket-Extensions": "permessage-deflate"}
        text = b"again and again and " * 100
        with self.start() as daemon:
            with WebSocket(daemon.port, "/small", offer) as socket:
                self.assertIn("permessage-deflate", socket.fields["sec-websocket-extensions"])
                socket.send(TEXT, text)
                self.assertEqual(socket.receive(), (True, TEXT, text))
                self.assertLess(socket.received_bytes, 200)
            with WebSocket(daemon.port, "/echo", offer) as socket:
                self.assertNotIn("sec-websocket-extensions", socket.fields)

    def test_the_global_object_is_for_all_routes(self):
        limits = {"max_message_size": 20, "deflate": {"mode": "both"}}
        with self.start(websocket=limits) as daemon:
            with WebSocket(daemon.port, "/echo",
                           {"Sec-WebSocket-Extensions": "permessage-deflate"}) as socket:
                self.assertIn("sec-websocket-extensions", socket.fields)
                socket.send(TEXT, b"x" * 21)
                self.assertEqual(socket.receive_close(), 1009)
        with self.start("-g", "websocket.enabled=off", routes=ROUTES[:1]) as daemon:
            self.assertEqual(self.status(daemon, "/echo", *UPGRADE), "404")

    def test_handshakes_are_judged(self):
        with self.start() as daemon:
            self.assertEqual(self.status(daemon, "/echo", *UPGRADE), "101")
            self.assertEqual(self.status(daemon, "/off", *UPGRADE), "404")
            self.assertEqual(self.status(daemon, "/echo"), "426")
            self.assertEqual(self.status(daemon, "/echo", "-X", "POST", *UPGRADE), "405")
            evil = ("-H", "Origin: https://evil.example")
            self.assertEqual(self.status(daemon, "/echo", *UPGRADE, *evil), "403")
            self.assertEqual(self.status(daemon, "/any", *UPGRADE, *evil), "101")
            with WebSocket(daemon.port, "/v1", {"Sec-WebSocket-Protocol": "b, echo.v1"}) as socket:
                self.assertEqual(socket.fields["sec-websocket-protocol"], "echo.v1")
        with self.start("-g", "profile=hardened") as daemon:
            self.assertEqual(self.status(daemon, "/echo", *UPGRADE), "403")
            own = ("-H", f"Origin: {daemon.url}")
            self.assertEqual(self.status(daemon, "/echo", *UPGRADE, *own), "101")

    def test_a_handshake_that_waits_too_long_is_503(self):
        # A hash that takes a second or so, and one of some milliseconds.
        for name, cost in (("slow", 14), ("quick", "05")):
            file = self.folder / name
            file.write_text(f"ann:$2y${cost}${HASH}\n")
            file.chmod(0o600)
        routes = [{"match": "/slow", "handler": "websocket:echo", "auth": "basic:slow"},
                  {"match": "/quick", "handler": "websocket:echo", "auth": "basic:quick",
                   "handshake_timeout": "20s"}]
        with self.start(routes=routes, task_processes=1,
                        websocket={"handshake_timeout": "50ms"}) as daemon:
            login = ("-u", "ann:Open, Sesame")
            self.assertEqual(self.status(daemon, "/slow", *UPGRADE, *login), "503")
            self.assertEqual(
                self.status(daemon, "/quick", "--max-time", "20", *UPGRADE, "-u", "ann:wrong"),
                "401")
            login = base64.b64encode(b"ann:Open, Sesame").decode()
            with WebSocket(daemon.port, "/quick", {"Authorization": f"Basic {login}"}) as socket:
                socket.send(TEXT, b"in")
                self.assertEqual(socket.receive_text(), "in")

    def test_the_daemon_goes_with_1001(self):
        with self.start() as daemon, WebSocket(daemon.port, "/echo") as socket:
            daemon.send_signal(3)
            self.assertEqual(socket.receive_close(), 1001)
            socket.answer_close(1001)
            self.assertEqual(daemon.stop(), 0)

    def test_a_plugin_that_is_not_there_is_said(self):
        site = self.folder / "site.json"
        site.write_text(json.dumps({"http": {"routes": [
            {"match": "/w", "handler": "websocket:plugin:chat"}]}}))
        got = subprocess.run([PROGRAM, "-t", "-f", site], capture_output=True, text=True,
                             cwd=self.folder, check=False)
        self.assertEqual(got.returncode, 78)
        self.assertIn('/http/routes/0/handler: there is no plugin "chat"', got.stdout + got.stderr)


if __name__ == "__main__":
    PROGRAM = str(pathlib.Path(sys.argv[sys.argv.index("--daemon") + 1]).resolve())
    CURL = peer.need("curl")
    unittest.main(argv=sys.argv[:1])
