#!/usr/bin/env python3
"""Loads the pages of html/ from the daemon in a real browser.

usage: site_test.py --daemon build/Release/ssxrver --root REPOSITORY
       site_test.py --url http://127.0.0.1:4507 [--keep FOLDER_FOR_PICTURES]
"""

import argparse
import base64
import re
import sys
import unittest
import urllib.error
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))

import peer  # noqa: E402
from chromium import Browser  # noqa: E402
from daemon import Daemon  # noqa: E402

OPTIONS = argparse.Namespace()


def fetch(path):
    """(status, fields, body) of a GET, with errors as answers."""
    try:
        with urllib.request.urlopen(OPTIONS.url + path, timeout=10) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers, error.read()


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = cls.enterClassContext(Browser(OPTIONS.browser))

    def load(self, path, width=1280, dark=False):
        self.browser.errors.clear()
        self.browser.emulate(width, 900, dark)
        self.browser.open(OPTIONS.url + path)

    def keep(self, name):
        if OPTIONS.keep:
            picture = base64.b64decode(self.browser.screenshot())
            (Path(OPTIONS.keep) / f"{name}.png").write_bytes(picture)

    def wait(self, condition):
        """Waits in the page, by its own frames, until a condition holds."""
        self.browser.run(f"""new Promise((done) => {{
            const look = () => ({condition}) ? done() : requestAnimationFrame(look);
            look();
        }})""")

    def test_the_page_shows_what_the_server_said(self):
        self.load("/")
        self.assertEqual(self.browser.run("document.title"), "ssxrver is running")
        self.wait("document.querySelectorAll('#facts dd').length > 4")
        facts = self.browser.run("document.getElementById('facts').innerText")
        self.assertRegex(facts, r"status\s+200 OK")
        self.assertRegex(facts, r"content-type\s+text/html")
        self.assertEqual(self.browser.run("document.getElementById('state').textContent"),
                         "serving this page")
        self.keep("light")
        self.assertEqual(self.browser.errors, [])

    def test_five_hundred_requests(self):
        self.load("/")
        self.browser.run("document.getElementById('ask').click()")
        self.wait("document.getElementById('bars').children.length > 0")
        rate = self.browser.run("document.getElementById('rate').textContent")
        self.assertGreater(int(rate.replace(",", "")), 10)
        self.keep("asked")
        self.assertEqual(self.browser.errors, [])

    def test_the_style_is_applied_in_light_and_dark(self):
        papers = []
        for dark in (False, True):
            self.load("/", dark=dark)
            style = "getComputedStyle(document.body)"
            self.assertEqual(self.browser.run(f"{style}.marginTop"), "0px")
            papers.append(self.browser.run(f"{style}.backgroundColor"))
            self.keep("dark" if dark else "light")
        self.assertEqual(len(set(papers)), 2, papers)
        self.assertEqual(self.browser.errors, [])

    def test_nothing_sticks_out_on_a_phone(self):
        for path in ("/", "/404.html", "/50x.html"):
            self.load(path, width=360)
            self.assertLessEqual(self.browser.run("document.documentElement.scrollWidth"), 360)
            self.keep(f"phone{path.replace('/', '-')}")
            self.assertEqual(self.browser.errors, [])

    def test_nothing_comes_from_elsewhere(self):
        for path in sorted((Path(OPTIONS.root) / "html").iterdir()):
            text = path.read_text(encoding="utf-8")
            found = re.findall(r"""(?:src|href|url)\s*[=(]\s*["']?((?:https?:)?//[^"')]+)""", text)
            self.assertEqual(found, [], path)

    def test_every_link_leads_somewhere(self):
        _, _, body = fetch("/")
        links = set(re.findall(r'(?:href|src)="(/[^"]*)"', body.decode()))
        self.assertGreater(len(links), 4)
        for link in sorted(links):
            self.assertEqual(fetch(link)[0], 200, link)

    def test_every_file_comes_whole_and_with_its_type(self):
        kinds = {".html": "text/html", ".css": "text/css", ".js": "text/javascript",
                 ".svg": "image/svg+xml"}
        for path in sorted((Path(OPTIONS.root) / "html").iterdir()):
            status, fields, body = fetch(f"/{path.name}")
            self.assertEqual((status, body), (200, path.read_bytes()), path.name)
            self.assertEqual(fields.get_content_type(), kinds[path.suffix], path.name)

    def test_what_is_not_there_is_404(self):
        self.assertEqual(fetch("/no-such-page")[0], 404)
        self.assertEqual(fetch("/../CMakeLists.txt")[0] // 100, 4)


def main():
    parser = argparse.ArgumentParser()
    for name in ("url", "daemon", "keep"):
        parser.add_argument(f"--{name}", default="")
    parser.add_argument("--root", default=str(HERE.parent.parent))
    parser.parse_args(namespace=OPTIONS)
    OPTIONS.browser = peer.need("chromium", "chromium-browser", "google-chrome")
    words = [sys.argv[0], "-v"]
    if OPTIONS.url:
        unittest.main(argv=words)
    with Daemon(OPTIONS.daemon, OPTIONS.root, "-f", "conf/ssxrver.json") as daemon:
        OPTIONS.url = daemon.url
        passed = unittest.main(argv=words, exit=False).result.wasSuccessful()
        code = daemon.stop()
        if code != 0 or not passed:
            sys.exit(f"the daemon ended with {code} and said:\n{daemon.output}")


if __name__ == "__main__":
    main()
