#!/usr/bin/env python3
"""Answers in gzip, brotli and zstd from the daemon, as curl reads them.

usage: compression_test.py --daemon PROGRAM
"""

import gzip
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import peer  # noqa: E402
from daemon import Daemon  # noqa: E402

PROGRAM = ""
CURL = ""
ALL = {"compression": {"brotli": "on", "zstd": "on"}}


def words(size):
    chosen = random.Random(1)
    known = ["".join(chosen.choices("etaoinshrdlu", k=chosen.randint(2, 9))) for _ in range(500)]
    return " ".join(chosen.choices(known, k=size // 2))[:size]


class Compression(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.texts = {"small.css": words(9000), "long.txt": words(3_000_000), "tiny.txt": "tiny"}
        for name, text in self.texts.items():
            (self.folder / name).write_text(text)

    def start(self, http_options):
        (self.folder / "site.json").write_text(
            json.dumps({"listeners": [{"port": 0}], "http": http_options}))
        return Daemon(PROGRAM, self.folder, "-f", "site.json")

    def curl(self, daemon, target, *arguments):
        """(fields in lower case, bytes)."""
        head = self.folder / "head"
        got = subprocess.run([CURL, "-sS", "--max-time", "30", "-D", head, *arguments,
                              daemon.url + target], capture_output=True, check=True)
        lines = head.read_text().strip().split("\n\n")[-1].splitlines()[1:]
        pairs = (line.split(":", 1) for line in lines if ":" in line)
        return {name.lower(): value.strip() for name, value in pairs}, got.stdout

    def test_every_coding_that_is_on_reads_as_the_file(self):
        features = subprocess.run([CURL, "--version"], capture_output=True, text=True, check=True)
        codings = ["gzip"] + [coding for coding, library in (("br", "brotli/"), ("zstd", "zstd/"))
                              if library in features.stdout]
        with self.start(ALL) as daemon:
            for coding in codings:
                for name in ("small.css", "long.txt"):
                    fields, body = self.curl(daemon, "/" + name, "--compressed",
                                             "-H", f"Accept-Encoding: {coding}")
                    self.assertEqual(fields["content-encoding"], coding, name)
                    self.assertEqual(fields["vary"], "Accept-Encoding")
                    self.assertEqual(body.decode(), self.texts[name], (coding, name))
            fields, body = self.curl(daemon, "/long.txt", "--compressed")
            self.assertIn(fields["content-encoding"], codings)
            self.assertEqual(body.decode(), self.texts["long.txt"])

    def test_pages_of_other_origins_read_them_too(self):
        with self.start({"cors": {"enabled": "on", "origins": ["https://a.example"]}}) as daemon:
            for _ in range(2):  # made, then kept
                fields, body = self.curl(daemon, "/small.css", "-H", "Accept-Encoding: gzip",
                                         "-H", "Origin: https://a.example")
                self.assertEqual(fields["content-encoding"], "gzip")
                self.assertEqual(fields["access-control-allow-origin"], "https://a.example")
                self.assertEqual(gzip.decompress(body).decode(), self.texts["small.css"])
                said = (self.folder / "head").read_text()
                for name in ("Accept-Encoding", "Origin"):
                    self.assertRegex(said, f"(?m)^Vary: .*{name}")

    def test_gzip_is_on_without_a_word(self):
        with self.start({}) as daemon:
            fields, body = self.curl(daemon, "/small.css", "-H", "Accept-Encoding: br, gzip, zstd")
            self.assertEqual(fields["content-encoding"], "gzip")
            self.assertLess(len(body), 9000)
            self.assertEqual(gzip.decompress(body).decode(), self.texts["small.css"])
            fields, body = self.curl(daemon, "/small.css")
            self.assertNotIn("content-encoding", fields)
            self.assertEqual(fields["vary"], "Accept-Encoding")
            self.assertEqual(body.decode(), self.texts["small.css"])
            fields, body = self.curl(daemon, "/tiny.txt", "--compressed")
            self.assertNotIn("content-encoding", fields)
            self.assertNotIn("vary", fields)

    def test_a_copy_is_known_by_its_tag(self):
        with self.start({}) as daemon:
            tag = self.curl(daemon, "/small.css", "--compressed")[0]["etag"]
            self.assertTrue(tag.startswith('W/"'), tag)
            for each in (tag, tag.removeprefix("W/")):
                fields, body = self.curl(daemon, "/small.css", "--compressed",
                                         "-H", f"If-None-Match: {each}")
                self.assertEqual(body, b"")
                self.assertEqual(fields["etag"], each)
                self.assertEqual(fields["vary"], "Accept-Encoding")

    def test_off_is_off(self):
        with self.start({"compression": {"gzip": "off"}}) as daemon:
            fields, body = self.curl(daemon, "/small.css", "--compressed")
            self.assertNotIn("content-encoding", fields)
            self.assertNotIn("vary", fields)
            self.assertEqual(body.decode(), self.texts["small.css"])

    def test_a_text_route(self):
        routes = [{"match": "/text", "handler": "text", "body": words(5000)}]
        with self.start({"routes": routes}) as daemon:
            for _ in range(2):
                fields, body = self.curl(daemon, "/text", "--compressed")
                self.assertEqual(fields["content-encoding"], "gzip")
                self.assertEqual(body.decode(), words(5000))
            fields, body = self.curl(daemon, "/text", "--head", "--compressed")
            self.assertEqual(fields["content-encoding"], "gzip")

    def test_bodies_of_requests(self):
        text = words(50_000)
        packed = self.folder / "packed"
        packed.write_bytes(gzip.compress(text.encode()))
        bomb = self.folder / "bomb"
        bomb.write_bytes(gzip.compress(bytes(20_000_000)))
        routes = [{"match": "/echo", "handler": "echo"}]
        data = ("-H", "Content-Type: text/plain", "-w", "%{http_code}", "--data-binary")
        for compression in ({"request": "on"}, {}):
            with self.start({"compression": compression, "routes": routes}) as daemon:
                fields, body = self.curl(daemon, "/echo", "-H", "Content-Encoding: gzip", *data,
                                         f"@{packed}")
                expected = text.encode() if compression else packed.read_bytes()
                self.assertEqual(body, expected + b"200")
                if not compression:
                    continue
                for file, coding, status in ((bomb, "gzip", b"413"), (packed, "br", b"415"),
                                             (packed, "deflate", b"400")):
                    fields, body = self.curl(daemon, "/echo", "-H", f"Content-Encoding: {coding}",
                                             *data, f"@{file}")
                    self.assertTrue(body.endswith(status), (coding, body[-80:]))
                    self.assertEqual(fields.get("accept-encoding"),
                                     "gzip, deflate" if status == b"415" else None)


if __name__ == "__main__":
    PROGRAM = sys.argv[sys.argv.index("--daemon") + 1]
    CURL = peer.need("curl")
    unittest.main(argv=[sys.argv[0], "-v"])
