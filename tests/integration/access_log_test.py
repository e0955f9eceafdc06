#!/usr/bin/env python3
"""The access log as an operator meets it: its formats, its files, and what cannot stop the service.

usage: access_log_test.py --daemon PROGRAM
"""

import argparse
import base64
import json
import os
import pathlib
import re
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from daemon import Daemon  # noqa: E402

PROGRAM = ""
SECONDS = 30
CONFIG = """{
  "worker_processes": 2,
  "http": {"routes": [
    {"match": "/hello", "handler": "text", "body": "hello\\n"},
    {"match": "/echo", "handler": "echo"},
    {"match": "/healthz", "handler": "text", "body": "well\\n"},
  ]},
  "log": {"ansync_started": "on", "path": "logs", "flush_second": 1, "time": "utc",
          "access": {"enabled": "on"}},
}
"""
COMMON = (r'127\.0\.0\.1 - (?P<user>\S+) \[\d\d/\w{3}/\d{4}:\d\d:\d\d:\d\d \+0000\] '
          r'"(?P<request>[^"]*)" (?P<status>\d{3}) (?P<bytes>\d+)')
COMBINED = COMMON + r' "(?P<referer>[^"]*)" "(?P<agent>[^"]*)"'
# On a disk of 64 KiB that only this process sees.
ON_A_SMALL_DISK = """#!/bin/sh
mkdir -p logs && mount -t tmpfs -o size=64k tmpfs logs || exit 77
exec "{program}" "$@"
"""


class AccessLog(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        (self.folder / "conf").mkdir()
        (self.folder / "conf" / "ssxrver.json").write_text(CONFIG)

    def start(self, *options, program=None):
        arguments = [word for option in options for word in ("-g", option)]
        return Daemon(program or PROGRAM, self.folder, *arguments)

    def talk(self, daemon, request):
        """A connection of its own: the answer, and the address that the server saw."""
        host, port = daemon.url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), SECONDS) as peer:
            peer.sendall(request)
            return b"".join(iter(lambda: peer.recv(65536), b""))

    def get(self, daemon, target, lines=""):
        request = f"GET {target} HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n{lines}\r\n"
        return self.talk(daemon, request.encode("latin-1"))

    def files(self, name="access"):
        return sorted((self.folder / "logs").glob(f"{name}.*"))

    def lines(self, name="access"):
        texts = [path.read_bytes() for path in self.files(name)]
        for text in texts:
            self.assertTrue(text == b"" or text.endswith(b"\n"))
        return [line.decode("utf-8") for text in texts for line in text.split(b"\n")[:-1]]

    def test_combined_lines_are_what_other_programs_read(self):
        user = base64.b64encode(b"Aladdin:open sesame").decode()
        with self.start() as daemon:
            self.get(daemon, "/hello?a=b", "User-Agent: test \"1\"\r\nReferer: http://r/\r\n")
            self.get(daemon, "/hello", f"Authorization: Basic {user}\r\n")
            self.get(daemon, "/nowhere")
            self.talk(daemon, b"\x16\x03\x01 no HTTP\r\n\r\n")
            self.assertEqual(daemon.stop(), 0)
        found = [re.fullmatch(COMBINED, line) for line in self.lines()]
        self.assertNotIn(None, found, self.lines())
        self.assertEqual([(one["request"], one["status"]) for one in found],
                         [("GET /hello?a=b HTTP/1.1", "200"), ("GET /hello HTTP/1.1", "200"),
                          ("GET /nowhere HTTP/1.1", "404"), ("\\x16\\x03\\x01 no HTTP", "400")])
        self.assertEqual((found[0]["bytes"], found[0]["referer"], found[0]["agent"]),
                         ("6", "http://r/", "test \\x221\\x22"))
        self.assertEqual([one["user"] for one in found], ["-", "Aladdin", "-", "-"])
        self.assertEqual(len(self.files()), 1)
        self.assertRegex(self.files()[0].name, r"^access\.\d{8}-\d{6}\.log$")

    def test_common_lines_and_patterns(self):
        with self.start("log.access.format=common") as daemon:
            self.get(daemon, "/hello")
            self.assertEqual(daemon.stop(), 0)
        self.assertRegex(self.lines()[0], f"^{COMMON}$")
        with self.start("log.access.format=$request_method $uri $status", "log.access.path=own") \
                as daemon:
            self.get(daemon, "/a%20b/../hello")
            self.assertEqual(daemon.stop(), 0)
        self.assertEqual(self.lines("own"), ["GET /hello 200"])

    def test_json_lines_whatever_a_client_says(self):
        said = "".join(map(chr, [*range(0x20, 0x7F), *range(0x80, 0x100)]))
        with self.start("log.access.format=json") as daemon:
            self.get(daemon, "/hello", f"User-Agent: {said}\r\nReferer: \u00C3\u00BC\r\n")
            self.talk(daemon, bytes(range(256)) + b"\r\n\r\n")
            self.talk(daemon, b"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n"
                              b"Connection: close\r\n\r\nbody")
            self.assertEqual(daemon.stop(), 0)
        values = [json.loads(line) for line in self.lines()]
        self.assertEqual([value["status"] for value in values], [200, 400, 200])
        self.assertEqual(values[0]["referer"], "\u00FC")
        self.assertIn('\\xFF', values[0]["user_agent"])
        self.assertEqual((values[2]["uri"], values[2]["body_bytes_sent"], values[2]["method"]),
                         ("/echo", 4, "POST"))
        self.assertIsInstance(values[0]["request_time"], float)

    def test_what_is_left_out_and_sampled(self):
        with self.start('log.access.exclude=["/healthz"]', "log.access.sample=0.5",
                        "worker_processes=1") as daemon:
            for _ in range(20):
                self.get(daemon, "/healthz")
                self.get(daemon, "/hello")
            self.assertEqual(daemon.stop(), 0)
        lines = self.lines()
        self.assertEqual((len(lines), [line for line in lines if "healthz" in line]), (10, []))

    def test_nothing_is_there_unless_it_is_wanted(self):
        with self.start("log.access.enabled=off") as daemon:
            self.get(daemon, "/hello")
            self.assertEqual(daemon.stop(), 0)
        self.assertEqual(self.files(), [])

    def test_files_roll_and_old_ones_go(self):
        with self.start("log.roll_size=4096", "log.max_files=3") as daemon:
            for i in range(200):
                self.get(daemon, f"/hello?{i}{'x' * 100}")
            self.assertEqual(daemon.stop(), 0)
        files = self.files()
        self.assertEqual(len(files), 3)
        self.assertTrue(all(path.stat().st_size <= 4096 for path in files))
        self.assertIn("/hello?199x", self.lines()[-1])

    def test_reopened_under_load_it_loses_no_line(self):
        """F09: every request has one line, in the file that is written to or in one moved away."""
        per_client, clients = 150, 4
        running = threading.Semaphore(0)
        with self.start("log.access.format=$request_uri") as daemon:
            def keep_asking(client):
                for i in range(per_client):
                    self.get(daemon, f"/hello?{client}-{i}")
                running.release()

            threads = [threading.Thread(target=keep_asking, args=(i,)) for i in range(clients)]
            for thread in threads:
                thread.start()
            rounds = 0
            while not running.acquire(timeout=0.02):
                rounds += 1
                for path in (self.folder / "logs").glob("access.*.log"):
                    path.rename(path.with_suffix(f".{rounds}"))
                daemon.send_signal(signal.SIGUSR1)
            for thread in threads:
                thread.join(SECONDS)
            self.assertEqual(daemon.stop(), 0)
        wanted = [f"/hello?{client}-{i}" for client in range(clients) for i in range(per_client)]
        self.assertEqual(sorted(self.lines()), sorted(wanted))
        self.assertGreater(rounds, 1)
        self.assertGreater(len(self.files()), 1)

    def test_a_full_disk_does_not_stop_the_service(self):
        script = self.folder / "small_disk"
        script.write_text(ON_A_SMALL_DISK.format(program=os.path.abspath(PROGRAM)))
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
        able = subprocess.run(["unshare", "-rm", "mount", "-t", "tmpfs", "none", self.folder],
                              capture_output=True, check=False)
        if able.returncode != 0:
            self.skipTest("no right to mount; full_disk_test.cc has run")
        own = self.folder / "unshared"
        own.write_text(f'#!/bin/sh\nexec unshare -rm "{script}" "$@"\n')
        own.chmod(own.stat().st_mode | stat.S_IXUSR)
        with self.start(program=own) as daemon:
            for i in range(400):  # a line has 500 bytes: a multiple of the disk
                answer = self.get(daemon, f"/hello?{i}{'x' * 400}")
                self.assertTrue(answer.endswith(b"hello\n"), answer)
            self.assertEqual(daemon.stop(), 0)

    def test_mistakes_are_told_with_their_place(self):
        def complaint(*options):
            arguments = [word for option in options for word in ("-g", option)]
            ended = subprocess.run([PROGRAM, "-t", *arguments], cwd=self.folder, timeout=SECONDS,
                                   capture_output=True, text=True, check=False)
            self.assertEqual(ended.returncode, 78, ended.stderr)
            return ended.stderr

        self.assertIn('unknown variable "$remote_adr"; did you mean "$remote_addr"?',
                      complaint("log.access.format=$remote_adr $status"))
        self.assertIn("/log/access/sample: expected a number, 0 .. 1",
                      complaint("log.access.sample=1.5"))
        self.assertIn('needs "ansync_started"', complaint("log.ansync_started=off"))
        self.assertIn("the log's own file", complaint("log.access.path=ssxrver"))

    def test_a_folder_that_cannot_be_made_is_one_sentence(self):
        (self.folder / "file").write_text("")
        with self.assertRaisesRegex(ConnectionError, r"ended with 73: .*log\.access"):
            self.start(f"log.access.path={self.folder}/file/access")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--daemon", required=True)
    known, rest = parser.parse_known_args()
    PROGRAM = known.daemon
    unittest.main(argv=[sys.argv[0], *rest])
