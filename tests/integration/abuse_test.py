#!/usr/bin/env python3
"""What hostile clients do to the daemon as a process. The ids are those of tests/abuse/README.md.

usage: abuse_test.py --daemon PROGRAM --group daemon|slowhttptest

Every test ends with the same questions: is the process still there, are its sockets back, does it
answer?
"""

import argparse
import http.client
import pathlib
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import peer  # noqa: E402
from daemon import Daemon  # noqa: E402

OPTIONS = argparse.Namespace()
SECONDS = 30
SHORT_TIMES = [f"http.timeouts.{name}={time}" for name, time in (
    ("first_byte", "1s"), ("header", "2s"), ("body", "2s"), ("body_min_rate_grace", "2s"),
    ("write", "2s"), ("write_min_rate_grace", "2s"), ("idle", "3s"), ("linger", "500ms"))]
CONFIG = """{
  "worker_processes": 2,
  "http": {"root_path": "www", "routes": [
    {"match": "/hello", "handler": "text", "body": "hello\\n"},
    {"match": "/echo", "handler": "echo"},
    {"match": "/*", "handler": "static"},
  ]},
}
"""

# A client that asks for a large file on many connections, says so, and is stopped in the middle.
HANGING_CLIENT = """
import socket, sys, time
peers = []
for i in range(int(sys.argv[2])):
    peers.append(socket.create_connection(("127.0.0.1", int(sys.argv[1]))))
    request = b"GET /large HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n"
    peers[-1].sendall((request, request[:9], b"", request.replace(b"large", b"hello"))[i % 4])
print("asked", flush=True)
time.sleep(600)
"""


class Base(unittest.TestCase):
    arguments = ()

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.folder / "www").mkdir()
        (self.folder / "www" / "large").write_bytes(b"")
        with open(self.folder / "www" / "large", "r+b") as file:
            file.truncate(100 << 20)
        (self.folder / "site.json").write_text(CONFIG)
        self.daemon = self.start()
        self.expect_answer()
        self.sockets = 1  # the listener
        self.wait_for(lambda: self.daemon.open_sockets() == self.sockets, SECONDS)

    def start(self):
        given = [part for setting in (*SHORT_TIMES, *self.arguments) for part in ("-g", setting)]
        return self.enterContext(
            Daemon(OPTIONS.daemon, self.folder, "-f", "site.json", *given))

    def tearDown(self):
        self.assertTrue(self.daemon.running(), self.daemon.output)
        self.wait_for(lambda: self.daemon.open_sockets() <= self.sockets, SECONDS)
        self.expect_answer()
        self.assertEqual(self.daemon.stop(), 0, self.daemon.output)
        said = self.daemon.output.replace("\n", "")
        self.assertTrue(said.isprintable(), f"a control character in the log: {said!r}")

    def wait_for(self, condition, seconds):
        deadline = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), deadline, "it did not happen")
            time.sleep(0.02)

    def connect(self):
        return self.enterContext(socket.create_connection(("127.0.0.1", self.daemon.port), SECONDS))

    def expect_answer(self):
        client = http.client.HTTPConnection("127.0.0.1", self.daemon.port, timeout=SECONDS)
        client.request("GET", "/hello", headers={"Connection": "close"})
        self.assertEqual(client.getresponse().read(), b"hello\n")
        client.close()


class DaemonUnderAbuse(Base):
    def test_c09_a_client_that_is_stopped_is_let_go(self):
        """Half-open, without a firewall: the client's kernel acknowledges and nobody reads."""
        client = subprocess.Popen(
            [sys.executable, "-c", HANGING_CLIENT, str(self.daemon.port), "40"],
            stdout=subprocess.PIPE)
        try:
            self.assertEqual(client.stdout.readline(), b"asked\n")
            client.send_signal(signal.SIGSTOP)
            self.wait_for(lambda: self.daemon.open_sockets() > self.sockets, SECONDS)
            for _ in range(5):
                self.expect_answer()
            self.wait_for(lambda: self.daemon.open_sockets() <= self.sockets, 20)
        finally:
            client.kill()
            client.wait()
            client.stdout.close()

    def test_a09_other_protocols_get_an_end_and_never_an_answer_of_theirs(self):
        for greeting in (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500),
                         b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(100),
                         b"SSH-2.0-OpenSSH_9.2\r\n", b"EHLO example.com\r\n",
                         b"\x00" * 2000, b"\xff" * 2000, b"GET /hello\r\n"):
            with self.connect() as client:
                client.sendall(greeting)
                said = b""
                try:
                    while piece := client.recv(4096):
                        said += piece
                except ConnectionResetError:
                    pass
                self.assertRegex(said, rb"^HTTP/1\.1 (400|501|505) ", greeting)

    def test_a07_bombs_of_chunks_cost_no_memory(self):
        head = b"POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        before = self.daemon.memory("VmRSS")
        self.daemon.forget_peak()
        for bomb in (b"1\r\nx\r\n" * 1_000_000, b"1;a=" + b"b" * (64 << 10),
                     b"0\r\n" + b"A: b\r\n" * 1_000_000):
            client = self.connect()
            client.sendall(head)
            try:
                client.sendall(bomb)
            except OSError:
                pass  # refused in the middle
            try:
                said = client.recv(4096)
                self.assertTrue(said.startswith(b"HTTP/1.1 400 "), said)
            except ConnectionResetError:
                pass  # the answer may be lost when a client does not stop sending
            client.close()
        self.assertLess(self.daemon.memory("VmHWM") - before, 32 << 20)


class Slowhttptest(Base):
    """Its three modes, with some 300 connections at a time, beside a client that behaves.

    A twin that nobody attacks is asked in turn with the daemon: what the machine is slow at
    concerns both.
    """

    REQUESTS = 150
    FLOOR = 0.020  # where the scheduler decides and not the server, twice is nothing
    ROUNDS = 3

    def ask(self, client, i):
        begun = time.perf_counter()
        client.request("GET", "/hello", headers={"Connection": "close"} if i % 3 == 0 else {})
        answer = client.getresponse()
        self.assertEqual((answer.status, answer.read()), (200, b"hello\n"))
        return time.perf_counter() - begun

    def p99_of_a_round(self, ports):
        clients = [http.client.HTTPConnection("127.0.0.1", port, timeout=5) for port in ports]
        times = [[] for _ in clients]
        for i in range(self.REQUESTS):
            for client, seen in zip(clients, times):
                seen.append(self.ask(client, i))
            time.sleep(0.002)
        for client in clients:
            client.close()
        return [sorted(seen)[len(seen) * 99 // 100] for seen in times]

    def p99(self, *ports):
        """Of each of them, the median of the rounds."""
        rounds = [self.p99_of_a_round(ports) for _ in range(self.ROUNDS)]
        return [statistics.median(seen) for seen in zip(*rounds)]

    def attack(self, *arguments):
        twin = self.start()
        attacker = subprocess.Popen(
            ["slowhttptest", "-c", "900", "-r", "150", "-i", "1", "-l", "8", "-p", "5", "-v", "1",
             *arguments],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        try:
            self.wait_for(lambda: self.daemon.open_sockets() > self.sockets + 100, 10)
            attacked, spared = self.p99(self.daemon.port, twin.port)
            self.assertIsNone(attacker.poll(), "it ended before we had measured")
            said, _ = attacker.communicate(timeout=60)
        finally:
            attacker.kill()
            attacker.wait()
            attacker.stdout.close()
        print(f"{self.id()}: p99 {attacked * 1e3:.2f} ms, of its twin {spared * 1e3:.2f} ms")
        self.assertNotRegex(said.decode(errors="replace"), r"service available:\s+\S*NO")
        self.assertLess(attacked, max(2 * spared, self.FLOOR))

    def test_c01_slow_heads(self):
        self.attack("-H", "-u", self.daemon.url + "/hello")

    def test_c03_slow_bodies(self):
        self.attack("-B", "-s", "8192", "-u", self.daemon.url + "/echo")

    def test_c04_slow_readers(self):
        self.attack("-X", "-w", "1", "-y", "1", "-n", "1", "-z", "1", "-k", "3",
                    "-u", self.daemon.url + "/large")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--daemon", required=True)
    parser.add_argument("--group", required=True, choices=("daemon", "slowhttptest"))
    rest = parser.parse_known_args(namespace=OPTIONS)[1]
    if OPTIONS.group == "slowhttptest":
        peer.need("slowhttptest")
    name = {"daemon": "DaemonUnderAbuse", "slowhttptest": "Slowhttptest"}[OPTIONS.group]
    unittest.main(argv=[sys.argv[0], *(rest or [name])])
