#!/usr/bin/env python3
"""ssxrver-bench as a user has it, at the real daemon, and beside webbench where that is there."""

import argparse
import contextlib
import csv
import json
import os
import re
import shutil
import signal
import socket
import socketserver
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

_TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(_TESTS / "support"), str(_TESTS / "bench")]
import peer  # noqa: E402
from daemon import Daemon  # noqa: E402
from httpbench import netns  # noqa: E402
from serving import in_thread  # noqa: E402

OPTIONS = argparse.Namespace()
SPEED = re.compile(r"^Speed=(\d+) pages/min, (\d+) bytes/sec\.\nRequests: (\d+) susceed, "
                   r"(\d+) failed\.\n$", re.MULTILINE)
BODY = "hello, bench"


class Bench(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="ssxrver-bench-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        with socket.socket(type=socket.SOCK_DGRAM) as free:
            free.bind(("127.0.0.1", 0))
            cls.udp_port = free.getsockname()[1]
        config = {
            "worker_processes": 1,
            "udp": {"enabled": "on", "address": "127.0.0.1", "port": cls.udp_port,
                    "rate_per_source": ""},
            "log": {"ansync_started": "on", "path": "logs", "overflow": "block",
                    "access": {"enabled": "on", "format": "$remote_addr $request"}},
            "http": {"routes": [{"match": "/", "handler": "text", "body": BODY},
                                {"match": "/echo", "handler": "echo"},
                                {"match": "/ws", "handler": "websocket:echo"},
                                {"match": "/sink", "handler": "websocket:sink",
                                 "max_message_size": "16M"},
                                {"match": "/all", "handler": "websocket:broadcast"},
                                {"match": "/busy", "handler": "status", "status": 503}]}}
        (cls.folder / "ssxrver.json").write_text(json.dumps(config), encoding="utf-8")

    def setUp(self):
        self.start()

    def start(self):
        self.daemon = Daemon(OPTIONS.daemon, self.folder, "-f", "ssxrver.json")
        self.addCleanup(self.daemon.__exit__)

    def bench(self, *arguments, status=0):
        done = subprocess.run([OPTIONS.bench, *arguments], capture_output=True, text=True,
                              timeout=60, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout if status != 64 else done.stderr

    def http(self, *arguments, path="/", **more):
        return self.measure("http", self.daemon.url + path, *arguments, **more)

    def measure(self, kind, url, *arguments, status=0, time="300ms"):
        said = self.bench(kind, url, "-d", time, "--warm-up", "0", "--format", "json", *arguments,
                          status=status)
        result = json.loads(said)
        failed = sum(result[key] for key in result if key.startswith("failed_"))
        self.assertEqual(result["begun"], result["answered"] + failed + result["unfinished"])
        return result

    def lines(self):
        """Of the access log: requests that were answered."""
        return sum(path.read_bytes().count(b"\n") for path in self.folder.glob("logs/access.*"))


class Http(Bench):
    def test_it_counts_what_the_server_counts(self):
        for use in ((), ("--each",), ("-p", "8")):
            before = self.lines()
            result = self.http("-c", "10", "-t", "2", *use)
            self.assertEqual(self.daemon.stop(), 0)  # it has written all of it
            seen = self.lines() - before
            self.start()
            self.assertGreater(result["answered"], 10)
            self.assertEqual(sum(result[key] for key in result if key.startswith("failed_")), 0)
            self.assertGreaterEqual(seen, result["answered"])
            self.assertLessEqual(seen, result["begun"])

    def test_a_rate_is_held(self):
        result = self.http("-R", "500", time="1s")  # a busy machine's second is longer
        self.assertAlmostEqual(result["begun"], 500 * result["seconds"], delta=25)

    def test_bodies_are_sent(self):
        result = self.http("-m", "POST", "--data", "x" * 1000, path="/echo")
        self.assertGreater(result["answered"], 10)
        self.assertGreater(result["bytes_in"], 1000 * result["answered"])

    def test_a_file_is_sent(self):
        path = self.folder / "upload"
        path.write_bytes(b"u" * 300_000)
        result = self.http("-m", "POST", "--file", str(path), "-c", "3", path="/echo")
        self.assertGreater(result["answered"], 0)
        self.assertGreater(result["bytes_in"], 300_000 * result["answered"])
        self.assertGreater(result["bytes_out"], 300_000 * result["answered"])
        self.assertIn("No such file", self.bench("http", "--file", "/none", "http://127.0.0.1/",
                                                 status=64))

    def test_idle_connections_stand_after_one_answer(self):
        result = self.http("-c", "300", "--idle")
        self.assertEqual((result["unfinished"], result["answered"]), (300, 0))
        self.assertEqual(result["standing"], 300)

    def test_what_the_server_uses_is_told(self):
        result = self.http("--pid", str(self.daemon.pid))
        self.assertGreater(result["server_cpu_seconds"], 0.01)
        self.assertGreater(result["server_resident_before"], 1_000_000)
        self.assertAlmostEqual(result["server_cpu_us_each"] * result["answered"] / 1e6,
                               result["server_cpu_seconds"], delta=1e-3)
        self.assertIn("no such process", self.bench("http", "--pid", "4194304",
                                                    self.daemon.url + "/", status=64))

    def test_each_figure_is_in_the_reference(self):
        page = (_TESTS.parent / "docs" / "reference" / "bench.md").read_text(encoding="utf-8")
        named = set(re.findall(r"`([a-z0-9_.]+)`", page.partition("## The result")[2]))
        figures = set(self.http("--pid", str(self.daemon.pid)))
        self.assertEqual(figures - named, set())
        self.assertEqual(named - figures - {"http", "ws", "tcp", "udp"}, set())

    def test_what_is_no_success_is_told(self):
        result = self.http(path="/busy", status=1)
        self.assertGreater(result["failed_status"], 0)
        self.assertEqual(result["answered"], 0)

    def test_nobody_listens(self):
        self.daemon.stop()
        result = self.http("--timeout", "1s", status=1)
        self.assertGreater(result["failed_connect"], 0)
        self.assertEqual(result["connect_error"], "Connection refused")

    def test_several_source_addresses(self):
        result = self.http("--source", "127.0.0.2", "--source", "127.0.0.3")
        self.assertGreater(result["answered"], 10)
        self.assertEqual(self.daemon.stop(), 0)  # it has written all of it
        log = "".join(path.read_text() for path in self.folder.glob("logs/access.*"))
        self.assertTrue({"127.0.0.2", "127.0.0.3"} <= set(re.findall(r"^127\.0\.0\.\d", log, re.M)))
        self.assertIn("Cannot assign", self.bench("http", "--source", "203.0.113.1",
                                                  "http://127.0.0.1/", status=64))

    def test_a_table_and_a_text(self):
        said = self.bench("http", self.daemon.url + "/", "-d", "200ms", "--format", "csv")
        (row,) = csv.DictReader(said.splitlines())
        self.assertGreater(int(row["answered"]), 10)
        said = self.bench("http", self.daemon.url + "/", "-d", "200ms")
        self.assertRegex(said, r"answered   \d+ \(\d+/s\)")
        self.assertRegex(said, r"latency    mean .*, p50 .*, p99\.99 .*, max ")

    def test_an_interrupt_ends_it_with_what_there_is(self):
        server = CountingServer()
        with in_thread(server) as port:
            process = subprocess.Popen(
                [OPTIONS.bench, "http", f"http://127.0.0.1:{port}/", "-d", "1h", "--warm-up", "0"],
                stdout=subprocess.PIPE, text=True)
            self.assertTrue(server.came_back.wait(30))
            process.send_signal(signal.SIGINT)
            said, _ = process.communicate(timeout=20)
        self.assertEqual(process.returncode, 0)
        self.assertRegex(said, r" s \(cut off\), as fast as it goes\n  answered   [1-9]\d*")

    def test_a_terminal_is_told_how_far_it_is(self):
        ours, its = os.openpty()
        process = subprocess.Popen(
            [OPTIONS.bench, "http", self.daemon.url + "/", "-d", "2s", "--warm-up", "0"],
            stdout=subprocess.PIPE, stderr=its)
        os.close(its)
        seen = b""
        with open(ours, "rb", buffering=0) as terminal, contextlib.suppress(OSError):
            while part := terminal.read(4096):  # an error when nobody has the other end
                seen += part
        said, _ = process.communicate(timeout=20)
        self.assertEqual(process.returncode, 0)
        lines = seen.decode().split("\r\x1b[K")
        self.assertTrue(any(re.fullmatch(r"[1-9]\d* of 2 s, [1-9]\d* answered, \d+/s", line)
                            for line in lines), lines)
        self.assertEqual(lines[-1], "")
        self.assertIn(b"answered", said)

    def test_who_is_no_terminal_is_told_the_result_alone(self):
        done = subprocess.run([OPTIONS.bench, "http", self.daemon.url + "/", "-d", "1200ms"],
                              capture_output=True, text=True, timeout=60, check=True)
        self.assertEqual(done.stderr, "")

    def test_a_server_that_does_not_answer_ends_with_1(self):
        with socket.create_server(("127.0.0.1", 0)) as silent:
            url = f"http://127.0.0.1:{silent.getsockname()[1]}/"
            result = self.measure("http", url, "-c", "2", status=1)
        self.assertEqual((result["answered"], result["unfinished"]), (0, 2))

    def test_a_wrong_command_is_told(self):
        self.assertIn("no method", self.bench("http", "-m", "get", "http://127.0.0.1/", status=64))
        self.assertIn("--help", self.bench("http", status=64))


class FewPorts(Bench):
    """In a network of its own, whose addresses have a hundred ports each."""

    def setUp(self):
        if OPTIONS.group != "ports":
            self.skipTest("not in the network of all")
        super().setUp()

    def test_each_source_address_has_ports_of_its_own(self):
        Path("/proc/sys/net/ipv4/ip_local_port_range").write_text("20000 20099")
        hold = ("-c", "250", "--idle")
        short = self.http(*hold, "--source", "127.0.0.2")  # whose ports rest for a while then
        self.assertIn(short["standing"], range(90, 101))  # the listener may have one of them
        self.assertGreaterEqual(short["failed_connect"], 150)  # it goes on trying
        self.assertEqual(short["connect_error"], "Cannot assign requested address")
        enough = self.http(*hold, *(f"--source=127.0.0.{i}" for i in (3, 4, 5)))
        self.assertEqual((enough["standing"], enough["failed_connect"]), (250, 0))


class WebSocket(Bench):
    def ws(self, *arguments, path="/ws", **more):
        return self.measure("ws", self.daemon.url.replace("http", "ws", 1) + path, *arguments,
                            **more)

    def test_messages_come_back(self):
        for use in ((), ("-p", "8"), ("--size", "0"), ("--size", "100000"), ("--each",),
                    ("-R", "200")):
            result = self.ws("-c", "5", *use)
            self.assertGreater(result["answered"], 10, use)
            self.assertEqual(result["answered"] + result["unfinished"], result["begun"], use)

    def test_idle_connections_stand(self):
        result = self.ws("-c", "300", "--idle")
        self.assertEqual((result["unfinished"], result["standing"]), (300, 300))

    def test_a_long_message_is_sent_in_frames(self):
        result = self.ws("-c", "2", "--bytes", "1000000", "--size", "65536", path="/sink",
                         time="1s")
        self.assertGreater(result["answered"], 0)
        self.assertEqual(result["answered"] + result["unfinished"], result["begun"])
        self.assertGreater(result["bytes_out"], 1_000_000 * result["answered"])

    def test_what_one_sends_all_are_sent(self):
        result = self.ws("-c", "50", "--broadcast", path="/all")
        self.assertGreater(result["answered"], 50)
        self.assertEqual(result["begun"] % 50, 0)
        self.assertEqual(result["answered"] + result["unfinished"], result["begun"])

    def test_a_route_that_is_none_is_told(self):
        result = self.ws("--each", path="/", status=1)
        self.assertGreater(result["failed_status"], 0)


class Datagrams(Bench):
    def udp(self, *arguments, **more):
        return self.measure("udp", f"127.0.0.1:{self.udp_port}", *arguments, **more)

    def test_they_come_back(self):
        for use in ((), ("-p", "8"), ("--size", "1400"), ("--each",), ("-R", "200")):
            result = self.udp("-c", "5", *use)
            self.assertGreater(result["answered"], 10, use)
            self.assertEqual(result["answered"] + result["unfinished"], result["begun"], use)

    def test_nobody_is_there(self):
        self.daemon.stop()
        result = self.udp("--timeout", "1s", status=1)
        self.assertGreater(result["failed_connect"], 0)


class LocalServer(socketserver.ThreadingTCPServer):
    daemon_threads = True
    request_queue_size = 512

    def __init__(self):
        super().__init__(("127.0.0.1", 0), self.Handler)

    def handle_error(self, request, client_address):
        """The load goes when its time is over, whatever is on its way."""


class EchoServer(LocalServer):
    class Handler(socketserver.BaseRequestHandler):
        def handle(self):
            while chunk := self.request.recv(65536):
                self.request.sendall(chunk)


class Bytes(Bench):
    """tcp, which the daemon does not serve."""

    def test_they_come_back(self):
        with in_thread(EchoServer()) as port:
            place = f"127.0.0.1:{port}"
            for use in ((), ("-p", "8"), ("--size", "100000"), ("--each",), ("-R", "200")):
                result = self.measure("tcp", place, "-c", "5", *use)
                self.assertGreater(result["answered"], 10, use)
                self.assertEqual(result["answered"] + result["unfinished"], result["begun"], use)
            result = self.measure("tcp", place, "-c", "100", "--idle")
            self.assertEqual((result["unfinished"], result["answered"]), (100, 0))


class CountingServer(LocalServer):
    """Tells when somebody asks for the second time: then the first answer has been counted."""

    def __init__(self):
        super().__init__()
        self.came_back = threading.Event()

    class Handler(socketserver.BaseRequestHandler):
        def handle(self):
            while self.request.recv(65536):
                self.request.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
                if self.request.recv(65536):
                    self.server.came_back.set()
                    self.request.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")


class SlowServer(LocalServer):
    """Answers each request after 100 ms, and closes."""

    ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 12\r\nConnection: close\r\n\r\nhello, bench"

    class Handler(socketserver.BaseRequestHandler):
        def handle(self):
            self.request.recv(65536)
            time.sleep(0.1)
            self.request.sendall(SlowServer.ANSWER)


class ListeningServer(LocalServer):
    """Keeps its first request, and whether the client has closed its side within a second."""

    def __init__(self):
        super().__init__()
        self.asked = None

    class Handler(socketserver.BaseRequestHandler):
        def handle(self):
            request = self.request.recv(65536)
            if not request:  # the connection that is tried first
                return
            if self.server.asked is None:
                self.request.settimeout(1)
                try:
                    has_closed = self.request.recv(1) == b""
                except TimeoutError:
                    has_closed = False
                self.server.asked = (request.decode(), has_closed)
            time.sleep(0.1)
            self.request.sendall(b"a page")


class ResettingServer(LocalServer):
    class Handler(socketserver.BaseRequestHandler):
        def handle(self):
            self.request.recv(65536)
            self.request.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.request.close()


class WebCommand(Bench):
    """What both use: ours, and webbench."""

    def run_program(self, *arguments, program=None, seconds=1, url=None):
        words = ["-t", str(seconds), *arguments, (url or self.daemon.url) + "/"]
        command = [program, *words] if program else [OPTIONS.bench, "web", *words]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    def pages(self, *arguments, program=None, **more):
        done = self.run_program(*arguments, program=program, **more)
        if program is None:  # the status of webbench is a count
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        found = SPEED.search(done.stdout)
        self.assertTrue(found, done.stdout)
        return [int(figure) for figure in found.groups()]

    def request(self, *arguments, program=None, proxy=False):
        """What a server is asked, or a proxy: without what names the program and the port."""
        server = ListeningServer()
        with in_thread(server) as port:
            where = {"url": "http://page.example"} if proxy else {"url": f"http://127.0.0.1:{port}"}
            use = ["-p", f"127.0.0.1:{port}"] if proxy else []
            self.pages(*arguments, *use, program=program, seconds=4, **where)
        text, has_closed = server.asked
        return re.sub(r"(User-Agent:|Host: [^:\r]*)[^\r]*", r"\1", text), has_closed


class Web(WebCommand):
    def test_its_result_is_that_of_webbench(self):
        speed, size, succeeded, failed = self.pages("-c", "10", "-2")
        self.assertEqual(failed, 0)
        self.assertGreater(succeeded, 10)
        self.assertAlmostEqual(speed, succeeded * 60, delta=0.5 * speed)  # not of one second
        self.assertGreater(size, succeeded * len(BODY) * 0.9)

    def test_each_method_and_version(self):
        for option in ("-9", "-1", "-2", "--get", "--head", "--options", "--trace", "-r", "-f"):
            self.assertGreater(self.pages(option)[2], 0, option)

    def test_http09_ends_a_request_by_closing_its_side(self):
        self.assertEqual(self.request("-9"), ("GET /\r\n", True))

    def test_a_proxy_is_asked_for_the_whole_url(self):
        self.assertEqual(self.request("-r", proxy=True), (
            "GET http://page.example/ HTTP/1.0\r\nUser-Agent:\r\nPragma: no-cache\r\n\r\n", False))
        self.assertGreater(self.pages("-p", self.daemon.url.removeprefix("http://"),
                                      url="http://page.example")[2], 10)
        self.assertEqual(self.daemon.stop(), 0)  # it has written all of it
        logged = "".join(path.read_text() for path in self.folder.glob("logs/access.*"))
        self.assertIn("GET http://page.example/ HTTP/1.0", logged)

    def test_nobody_listens(self):
        self.daemon.stop()
        for use in ((), ("-p", self.daemon.url.removeprefix("http://"))):
            done = self.run_program(*use)
            self.assertEqual(done.returncode, 1)
            self.assertEqual(done.stderr, "\nConnect to server failed. Aborting benchmark.\n")
            self.assertNotIn("Speed", done.stdout)

    def test_who_has_no_page_has_failed(self):
        with in_thread(ResettingServer()) as port:
            done = self.run_program(url=f"http://127.0.0.1:{port}")
        self.assertRegex(done.stdout, r"Requests: 0 susceed, [1-9]\d* failed\.")
        self.assertEqual(done.returncode, 1)


class BesideWebbench(WebCommand):
    def test_asks_as_the_real_webbench(self):
        program = OPTIONS.webbench
        uses = [(words.split(), proxy) for proxy in (False, True)
                for words in ("-9", "-1", "-2", "-r", "-9 -r", "-9 --head", "-1 --options", "-2 -1",
                              "-2 --trace -r")]
        with ThreadPoolExecutor(len(uses) * 2) as pool:
            theirs, ours = ([pool.submit(self.request, *words, program=which, proxy=proxy)
                             for words, proxy in uses] for which in (program, None))
            for use, their, our in zip(uses, theirs, ours, strict=True):
                self.assertEqual(our.result(), their.result(), use)

    def test_beside_the_real_webbench(self):
        """At a server that takes its time: both wait for it, whatever else the machine does."""
        program = OPTIONS.webbench
        with in_thread(SlowServer()) as port:
            slow = {"url": f"http://127.0.0.1:{port}", "seconds": 3}
            for version in ("-1", "-2"):
                theirs = self.pages("-c", "10", version, program=program, **slow)
                ours = self.pages("-c", "10", version, **slow)
                for figures in (theirs, ours):
                    self.assertEqual(figures[3], 0)
                    self.assertAlmostEqual(figures[0], figures[2] * 20, delta=0.1 * figures[0])
                    self.assertAlmostEqual(figures[1] * 60 / figures[0], len(SlowServer.ANSWER),
                                           delta=0.1 * len(SlowServer.ANSWER))
                self.assertAlmostEqual(ours[0], theirs[0], delta=0.3 * theirs[0])


def main():
    parser = argparse.ArgumentParser()
    for name in ("daemon", "bench"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--group", required=True, choices=GROUPS)
    _, rest = parser.parse_known_args(namespace=OPTIONS)
    if OPTIONS.group == "ports" and not (network := netns.enter()).startswith("own"):
        peer.skip(network)
    if OPTIONS.group == "webbench":
        OPTIONS.webbench = peer.need("webbench")
    chosen = [word for word in rest if not word.startswith("-")]
    names = [] if chosen else [group.__name__ for group in GROUPS[OPTIONS.group]]
    unittest.main(argv=[sys.argv[0], *rest, *names])


GROUPS = {"load": (Http, WebSocket, Datagrams, Bytes), "web": (Web,), "ports": (FewPorts,),
          "webbench": (BesideWebbench,)}

if __name__ == "__main__":
    main()
