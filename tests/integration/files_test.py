#!/usr/bin/env python3
"""Files as the guide (docs/guide/files.md) says that they are served, by the daemon.

usage: files_test.py --daemon PROGRAM
"""

import http.client
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from daemon import Daemon  # noqa: E402

PROGRAM = ""
SECONDS = 30
GUIDE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "guide" / "files.md"
THEN = 784111777  # Sun, 06 Nov 1994 08:49:37 GMT


def blocks(kind):
    fences = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
    return [text for name, text in fences.findall(GUIDE.read_text()) if name == kind]


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        for each in (path, path.parent):
            os.utime(each, (THEN, THEN))

    def start(self, http_options):
        (self.folder / "site.json").write_text(json.dumps({"http": http_options}))
        return Daemon(PROGRAM, self.folder, "-f", "site.json")

    def ask(self, daemon, target, **fields):
        where = urllib.parse.urlsplit(daemon.url)
        connection = http.client.HTTPConnection(where.hostname, where.port, timeout=SECONDS)
        with_dashes = {name.replace("_", "-"): value for name, value in fields.items()}
        connection.request("GET", target, headers=with_dashes)
        answer = connection.getresponse()
        body = answer.read().decode()
        connection.close()
        return answer.status, answer.headers, body

    def test_several_roots_by_host_and_path(self):
        routes = json.loads("{" + next(b for b in blocks("json") if '"routes"' in b) + "}")
        for route in routes["routes"]:
            folder = route["root"].removeprefix("/srv/")
            route["root"] = folder
            self.write(f"{folder}/which.txt", folder)
        self.write("docs/more/a.txt", "x")
        with self.start(routes) as daemon:
            for host, target, expected in (
                    ("a.example", "/which.txt", "www"),
                    ("a.example", "/img/which.txt", "pictures"),
                    ("docs.example", "/which.txt", "docs"),
                    ("DOCS.example:8080", "/which.txt", "docs"),
                    ("docs.example.evil", "/which.txt", "www")):
                self.assertEqual(self.ask(daemon, target, Host=host)[2], expected, (host, target))
            self.assertEqual(self.ask(daemon, "/more/", Host="a.example")[0], 404)
            status, _, page = self.ask(daemon, "/more/", Host="docs.example")
            self.assertEqual(status, 200)
            self.assertIn('<a href="./a.txt">', page)

    def test_error_pages(self):
        self.write("www/index.html", "home")
        self.write("errors/404.html", "<p>lost</p>")
        pages = {"404": "errors/404.html"}
        with self.start({"root_path": "www", "error_pages": pages}) as daemon:
            status, fields, body = self.ask(daemon, "/nothing")
            self.assertEqual((status, body), (404, "<p>lost</p>"))
            self.assertEqual(fields["Content-Type"], "text/html; charset=utf-8")
            self.assertEqual(self.ask(daemon, "/", Range="bytes=99-")[0], 416)

    def test_an_error_page_that_is_not_there_is_told_at_start(self):
        self.write("www/index.html", "home")
        (self.folder / "site.json").write_text(json.dumps(
            {"http": {"root_path": "www", "error_pages": {"404": "nowhere.html"}}}))
        command = [PROGRAM, "-f", "site.json", "-g", 'listeners=[{"port": 0}]']
        ended = subprocess.run(command, cwd=self.folder, capture_output=True, text=True,
                               timeout=SECONDS, check=False)
        self.assertEqual(ended.returncode, 66, ended.stderr)
        self.assertRegex(ended.stderr, r"the page of 404, \".*nowhere\.html\": No such file")

    def test_the_guide_says_what_comes(self):
        self.write("www/hello.txt", "Hello, world!")
        self.write("www/music/a.ogg", "ogg")
        self.write("www/music/albums/b", "x")
        for name in ("albums", "a.ogg"):
            os.utime(self.folder / "www" / "music" / name, (THEN, THEN))
        shown = [block.split("\n", 1)[1] for block in blocks("") if block.startswith("$ curl")]
        self.assertEqual(len(shown), 2)
        with self.start({"root_path": "www", "static": {"autoindex": "on"}}) as daemon:
            _, fields, body = self.ask(daemon, "/hello.txt", Range="bytes=0-4")
            for line in shown[0].split("\n\n")[0].splitlines()[1:]:
                name, value = line.split(": ")
                self.assertEqual(fields[name], value)
            self.assertEqual(shown[0].split("\n\n")[1].rstrip("\n"), body)
            self.assertEqual(self.ask(daemon, "/music/?format=json")[2], shown[1])

    def test_the_guide_has_rules_that_load(self):
        rules = json.loads("{" + next(b for b in blocks("json") if "cache_control" in b) + "}")
        for name in ("index.html", "assets/a.html", "robots.txt"):
            self.write(f"www/{name}", name)
        with self.start({"root_path": "www", "static": rules}) as daemon:
            for target, expected in (("/", "no-cache"), ("/robots.txt", "max-age=3600"),
                                     ("/assets/a.html", "max-age=31536000, immutable")):
                self.assertEqual(self.ask(daemon, target)[1]["Cache-Control"], expected, target)


if __name__ == "__main__":
    PROGRAM = sys.argv[sys.argv.index("--daemon") + 1]
    unittest.main(argv=[sys.argv[0], "-v"])
