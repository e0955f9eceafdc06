#!/usr/bin/env python3
"""Other people's clients against http_probe and the daemon.

usage: clients_test.py --probe PROGRAM --daemon PROGRAM --build FOLDER
                       --client curl|aiohttp|undici|go

A client that is not there is a skip, and with SSX_REQUIRE_PEERS=1 a failure.
"""

import argparse
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zlib

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import peer  # noqa: E402
from daemon import Daemon, Program  # noqa: E402

OPTIONS = argparse.Namespace()
SECONDS = 60
MIB = 1 << 20


def run(*command, **more):
    more = {"timeout": SECONDS, **more}
    return subprocess.run([str(part) for part in command], check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, **more)


def pattern(size):
    text = bytes(ord("a") + i % 23 for i in range(23))
    return (text * (size // 23 + 1))[:size]


DAEMON = """{
  "http": {"root_path": "www", "routes": [
    {"match": "/hello", "handler": "text", "body": "hello\\n"},
    {"match": "/echo", "handler": "echo"},
    {"match": "/*", "handler": "static"},
  ]},
}
"""


class Base(unittest.TestCase):
    def start_daemon(self):
        """Its URL, and the folder that it serves."""
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (folder / "www").mkdir()
        (folder / "site.json").write_text(DAEMON)
        daemon = self.enterContext(Daemon(OPTIONS.daemon, folder, "-f", "site.json"))
        return daemon.url, folder / "www"

    def setUp(self):
        # What ASan keeps of freed memory would look like growth.
        environment = dict(os.environ)
        environment["ASAN_OPTIONS"] = "quarantine_size_mb=1:" + environment.get("ASAN_OPTIONS", "")
        self.probe = self.enterContext(Program(OPTIONS.probe, environment=environment))
        self.url = self.probe.url

    def expect_well(self, ended):
        self.assertEqual(ended.returncode, 0,
                         (ended.stdout + ended.stderr).decode(errors="replace"))
        return ended.stdout

    def tearDown(self):
        self.assertEqual(self.expect_well(run("curl", "-sS", self.url + "/hello")), b"hello\n")
        self.assertEqual(self.probe.stop(), 0, self.probe.output)


class Curl(Base):
    def curl(self, *arguments, **more):
        return self.expect_well(run("curl", "-sS", "--max-time", SECONDS, *arguments, **more))

    def test_both_versions(self):
        said = self.curl("--http1.0", "-i", self.url + "/hello").decode()
        self.assertRegex(said, r"^HTTP/1\.1 200 OK\r\n(.*\r\n)*Connection: close\r\n")
        self.assertTrue(said.endswith("\r\n\r\nhello\n"))
        said = self.curl("--http1.0", "-i", self.url + "/download/100000").decode()
        self.assertNotIn("chunked", said)
        self.assertTrue(said.endswith(pattern(100000).decode()))
        said = self.curl("--http1.1", "-i", self.url + "/download/100000").decode()
        self.assertIn("Transfer-Encoding: chunked\r\n", said)
        self.assertTrue(said.endswith(pattern(100000).decode()))

    def test_one_connection_for_many_requests(self):
        said = self.curl("-w", "%{num_connects}\n", *[self.url + "/hello"] * 10).decode()
        self.assertEqual(said, "hello\n1\n" + "hello\n0\n" * 9)

    def test_a_body_that_asks_first(self):
        with tempfile.NamedTemporaryFile() as file:
            file.write(pattern(2 * MIB))
            file.flush()
            asked = run("curl", "-sSv", "-H", "Expect: 100-continue", "--expect100-timeout", "30",
                        "--data-binary", "@" + file.name, self.url + "/echo")
            self.assertEqual(self.expect_well(asked), pattern(2 * MIB))
            self.assertIn(b"HTTP/1.1 100 Continue", asked.stderr)

    def test_a_body_that_is_too_long_is_refused_before_it_is_sent(self):
        with tempfile.NamedTemporaryFile() as file:
            os.truncate(file.name, 100 * MIB)
            ended = run("curl", "-sS", "-w", "%{http_code} %{size_upload}", "-o", "/dev/null",
                        "-H", "Expect: 100-continue", "--expect100-timeout", "30", "-T", file.name,
                        self.url + "/echo")
            self.assertEqual(ended.stdout.split(), [b"413", b"0"], ended.stderr)

    def test_two_gibibytes_arrive_in_flat_memory(self):
        crc = 0
        with tempfile.NamedTemporaryFile() as file:
            os.truncate(file.name, 2048 * MIB)  # holes, and a mark in every sixteenth MiB
            for offset in range(0, 2048 * MIB, 16 * MIB):
                mark = b"offset %016d" % offset
                os.pwrite(file.fileno(), mark, offset)
                block = mark + bytes(16 * MIB - len(mark))
                crc = zlib.crc32(block, crc)
            self.curl("-T", "-", self.url + "/upload", input=pattern(8 * MIB))  # warms up
            before = self.probe.memory("VmRSS")
            self.probe.forget_peak()
            said = self.curl("-T", file.name, self.url + "/upload").decode()
            self.assertEqual(said, f"{2048 * MIB} {crc:08x}\n")
            self.assertLess(self.probe.memory("VmHWM") - before, 16 * MIB)

    def test_chunks_arrive_as_they_were_sent(self):
        body = pattern(16 * MIB + 7)
        said = self.curl("-T", "-", self.url + "/upload?sha", input=body).decode().split()
        self.assertEqual(said[0], str(len(body)))
        self.assertEqual(said[1], f"{zlib.crc32(body):08x}")
        self.assertEqual(said[2], hashlib.sha256(body).hexdigest())

    def test_a_long_answer_costs_no_memory(self):
        before = self.probe.memory("VmRSS")
        self.probe.forget_peak()
        said = self.curl("-o", "/dev/null", "-w", "%{size_download}",
                         f"{self.url}/download/{512 * MIB}?length").decode()
        self.assertEqual(int(said), 512 * MIB)
        self.assertLess(self.probe.memory("VmHWM") - before, 16 * MIB)

    def test_the_daemon_serves_files_and_takes_bodies(self):
        url, folder = self.start_daemon()
        text = pattern(20 * MIB + 11)
        (folder / "file").write_bytes(text)
        self.assertEqual(self.curl("--http1.0", url + "/file"), text)
        with tempfile.NamedTemporaryFile() as fields:
            self.assertEqual(self.curl("-D", fields.name, url + "/file"), text)
            etag = re.search(rb"ETag: (\S+)", fields.read())[1].decode()
        said = self.curl("-i", "-H", "If-None-Match: " + etag, url + "/file")
        self.assertTrue(said.startswith(b"HTTP/1.1 304 "), said)
        for more in ((), ("-H", "Transfer-Encoding: chunked"), ("-H", "Expect: 100-continue")):
            said = self.curl(*more, "--data-binary", "@-", url + "/echo", input=text)
            self.assertEqual(said, text, more)

    def test_statuses(self):
        for arguments, status in (([self.url + "/nothing"], 404),
                                  (["-X", "DELETE", self.url + "/hello"], 405),
                                  (["-X", "PROPFIND", self.url + "/hello"], 501),
                                  ([self.url + "/redirect"], 302),
                                  (["-L", self.url + "/redirect"], 200),
                                  (["-I", self.url + "/hello"], 200),
                                  (["--path-as-is", self.url + "/../x"], 400),
                                  (["-H", "Host:", self.url + "/hello"], 400),
                                  (["-H", "X: " + "y" * 9000, self.url + "/hello"], 431)):
            said = self.curl("-o", "/dev/null", "-w", "%{http_code}", *arguments).decode()
            self.assertEqual(int(said), status, arguments)


class Aiohttp(Base):
    def test_all(self):
        client = HERE / "clients" / "aiohttp_client.py"
        self.expect_well(run(OPTIONS.python, client, self.url))
        said = self.expect_well(run(OPTIONS.python, client, self.start_daemon()[0], "echoes"))
        self.assertEqual(said, b"ok echoes\n")


class Undici(Base):
    def test_all(self):
        client = ("node", HERE / "clients" / "undici_client.mjs")
        self.expect_well(run(*client, self.url, OPTIONS.build))
        said = self.expect_well(run(*client, self.start_daemon()[0], OPTIONS.build, "echoes"))
        self.assertEqual(said, b"ok echoes\n")


class Go(Base):
    def test_all(self):
        self.expect_well(run(OPTIONS.build / "go_client", self.url))
        said = self.expect_well(run(OPTIONS.build / "go_client", self.start_daemon()[0], "echoes"))
        self.assertEqual(said, b"ok echoes\n")


def prepare_aiohttp():
    OPTIONS.python = peer.python_with("aiohttp") or peer.missing("python3-aiohttp")


def prepare_undici():
    peer.need("node")
    npm = peer.need("npm")
    there = OPTIONS.build / "node_modules" / "undici" / "package.json"
    if not there.exists():
        installed = run(npm, "install", "--no-save", "--no-audit", "--no-fund", "--prefix",
                        OPTIONS.build, "undici@6")
        if installed.returncode != 0 or not there.exists():
            peer.missing("undici", installed.stderr.decode(errors="replace"))


def prepare_go():
    go = peer.need("go", "/usr/local/go/bin/go")
    source = OPTIONS.build / "go"
    source.mkdir(exist_ok=True)
    shutil.copy(HERE / "clients" / "main.go", source)
    environment = dict(os.environ, GO111MODULE="off", CGO_ENABLED="0")
    if "HOME" not in environment:
        environment.setdefault("GOCACHE", str(OPTIONS.build / "go_cache"))
    built = run(go, "build", "-o", OPTIONS.build / "go_client", "main.go", cwd=source,
                env=environment, timeout=150)  # the first time, all of net/http is compiled
    if built.returncode != 0:
        sys.exit(f"cannot build the client: {built.stderr.decode(errors='replace')}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--probe", required=True)
    parser.add_argument("--daemon", required=True)
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--client", required=True, choices=("curl", "aiohttp", "undici", "go"))
    rest = parser.parse_known_args(namespace=OPTIONS)[1]
    peer.need("curl")
    {"curl": lambda: None, "aiohttp": prepare_aiohttp, "undici": prepare_undici,
     "go": prepare_go}[OPTIONS.client]()
    unittest.main(argv=[sys.argv[0], *(rest or [OPTIONS.client.capitalize()])])
