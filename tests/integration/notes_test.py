#!/usr/bin/env python3
"""The plugin docs/examples/plugins/notes in the real daemon, over a real SQLite; with --mariadb
over a MariaDB server of the test's own."""

import argparse
import http.client
import json
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.parse
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import mariadb  # noqa: E402
from daemon import Daemon  # noqa: E402

OPTIONS = argparse.Namespace()
JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
ATTACK = "x'); DROP TABLE notes; --"


class Notes(unittest.TestCase):
    plugin_config = {"database": "notes", "text_max": 100, "page_max": 3}
    database = {"driver": "sqlite", "file": "notes.sqlite"}

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="ssxrver-notes-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.write_config(self.plugin_config)
        self.start()

    def write_config(self, plugin_config):
        config = {
            "task_processes": 2,
            "databases": {"notes": self.database},
            "plugins": [{"name": "notes", "library": OPTIONS.plugin, "mount": "/notes",
                         "config": plugin_config}]}
        path = self.folder / "ssxrver.json"
        path.write_text(json.dumps(config), encoding="utf-8")
        path.chmod(0o600)

    def start(self):
        self.daemon = Daemon(OPTIONS.daemon, self.folder, "-f", "ssxrver.json", "-p", "pid")
        self.addCleanup(self.daemon.__exit__)

    def ask(self, method, path, body=None, kind=JSON):
        connection = http.client.HTTPConnection("127.0.0.1", self.daemon.port, timeout=20)
        try:
            connection.request(method, path, body, {"Content-Type": kind} if body else {})
            answer = connection.getresponse()
            return answer, answer.read()
        finally:
            connection.close()

    def get(self, path):
        answer, body = self.ask("GET", path)
        self.assertEqual(answer.status, 200, body)
        return json.loads(body)

    def add(self, text):
        answer, body = self.ask("POST", "/notes", json.dumps({"text": text}))
        self.assertEqual(answer.status, 201, body)
        return json.loads(body)["id"]

    def status(self, *request):
        return self.ask(*request)[0].status

    def reload(self):
        self.daemon.output = ""
        done = subprocess.run(
            [OPTIONS.daemon, "-s", "reload-plugin", "notes", "-f", "ssxrver.json", "-p", "pid"],
            cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.daemon.wait_for(r"plugin notes .* is gone")


class Served(Notes):
    def test_a_note_is_added_found_and_removed(self):
        answer, body = self.ask("POST", "/notes", '{"text": "buy milk \u00e9\\n"}'.encode())
        self.assertEqual(answer.status, 201, body)
        self.assertEqual(answer.getheader("Location"), "/notes/1")
        made = json.loads(body)
        self.assertEqual((made["id"], made["text"]), (1, "buy milk \u00e9\n"))
        self.assertEqual(self.get("/notes/1"), made)
        self.assertEqual(self.get("/notes"), [made])
        self.assertEqual(self.status("DELETE", "/notes/1"), 204)
        self.assertEqual(self.status("DELETE", "/notes/1"), 404)
        self.assertEqual(self.status("GET", "/notes/1"), 404)
        self.assertEqual(self.get("/notes"), [])
        self.assertEqual(self.daemon.stop(), 0)

    def test_a_form_is_as_good(self):
        answer, body = self.ask("POST", "/notes", urllib.parse.urlencode({"text": "a & b+c"}), FORM)
        self.assertEqual(answer.status, 201, body)
        self.assertEqual(self.get("/notes/1")["text"], "a & b+c")

    def test_an_attack_is_a_text_like_any_other(self):
        self.add(ATTACK)
        self.ask("POST", "/notes", urllib.parse.urlencode({"text": ATTACK}), FORM)
        quoted = urllib.parse.quote("1 OR 1=1; DROP TABLE notes", safe="")
        self.assertEqual(self.status("GET", "/notes/" + quoted), 404)
        self.assertEqual(self.status("DELETE", "/notes/" + quoted), 404)
        listed = self.get("/notes?after=" + quoted)
        self.assertEqual([note["text"] for note in listed], [ATTACK, ATTACK])

    def test_what_is_no_note_is_refused(self):
        for body in ("{}", '{"text": 1}', '{"text": ""}', "[]", "{", "text", b'{"text": "\xff"}'):
            self.assertEqual(self.status("POST", "/notes", body), 400, body)
        self.assertEqual(self.status("POST", "/notes", "other=1", FORM), 400)
        self.assertEqual(self.status("POST", "/notes", "text", "text/plain"), 415)
        self.assertEqual(self.get("/notes"), [])

    def test_a_text_has_a_bound(self):
        for length, status in ((99, 201), (100, 201), (101, 413)):
            body = json.dumps({"text": "a" * length})
            self.assertEqual(self.status("POST", "/notes", body), status, length)
        self.assertEqual(self.status("POST", "/notes", json.dumps({"text": "\x01" * 100})), 201)

    def test_a_page_has_a_bound_and_goes_on(self):
        for number in range(5):
            self.add(f"note {number}")
        self.assertEqual([note["id"] for note in self.get("/notes")], [1, 2, 3])
        self.assertEqual([note["id"] for note in self.get("/notes?after=3")], [4, 5])
        self.assertEqual(self.get("/notes?after=5"), [])

    def test_all_of_them_are_streamed(self):
        for number in range(5):
            self.add(f"note {number}")
        answer, body = self.ask("GET", "/notes/all")
        self.assertEqual(answer.getheader("Transfer-Encoding"), "chunked")
        notes = [json.loads(line) for line in body.splitlines()]
        self.assertEqual([note["text"] for note in notes], [f"note {n}" for n in range(5)])

    def test_a_reload_and_a_restart_lose_nothing(self):
        self.add("kept")
        self.reload()
        self.assertEqual(self.get("/notes/1")["text"], "kept")
        self.assertEqual(self.add("later"), 2)
        self.assertEqual(self.daemon.stop(), 0)
        self.start()
        self.assertEqual([note["text"] for note in self.get("/notes")], ["kept", "later"])

    def test_reloads_under_load_lose_no_note(self):
        added, failures = [], []
        is_over = threading.Event()

        def write(worker):
            while not is_over.is_set():
                answer, body = self.ask("POST", "/notes", json.dumps({"text": f"of {worker}"}))
                (added if answer.status == 201 else failures).append(body)

        threads = [threading.Thread(target=write, args=(worker,)) for worker in range(3)]
        for thread in threads:
            thread.start()
        self.addCleanup(is_over.set)
        for _ in range(5):
            self.reload()
        is_over.set()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])
        ids = [json.loads(body)["id"] for body in added]
        self.assertEqual(len(set(ids)), len(ids))
        _, body = self.ask("GET", "/notes/all")
        self.assertEqual(len(body.splitlines()), len(added))
        self.assertEqual(self.daemon.stop(), 0)


class OverMariadb(Served):
    plugin_config = {**Served.plugin_config, "dialect": "mysql"}

    @classmethod
    def setUpClass(cls):
        cls.server = mariadb.MariadbServer()
        cls.addClassCleanup(cls.server.__exit__)
        cls.database = {
            "driver": "mysql", "unix_socket": cls.server.socket, "user": mariadb.USER,
            "password": cls.server.password, "database_name": mariadb.DATABASE,
            "acquire_timeout": "1s"}

    def setUp(self):
        self.server.ask("DROP TABLE IF EXISTS notes")
        super().setUp()

    def test_every_character_comes_back(self):
        text = "\u00e9\u4e2d\U0001f95b'\"\\\0"
        self.add(text)
        self.assertEqual(self.get("/notes/1")["text"], text)

    def test_an_outage_is_503_and_two_lines_in_the_log(self):
        self.assertEqual(self.get("/notes"), [])
        self.server.kill()
        for _ in range(3):
            answer, body = self.ask("GET", "/notes")
            self.assertEqual((answer.status, answer.getheader("Retry-After")), (503, "1"))
            self.assertEqual(json.loads(body), {"error": "the database is not there"})
        self.server.start()
        while self.status("GET", "/notes") != 200:
            self.assertTrue(self.daemon.running())
        self.daemon.wait_for(r'database "notes" is there again; attempts that have failed: \d+')
        self.assertEqual(self.daemon.stop(), 0)
        self.assertEqual(self.daemon.output.count('database "notes" cannot be had: connect: '), 1)


class Elsewhere(Notes):
    plugin_config = {"database": "nodes"}

    def test_a_database_that_is_not_there_is_told_in_the_log_alone(self):
        answer, body = self.ask("GET", "/notes")
        self.assertEqual(answer.status, 500)
        self.assertEqual(json.loads(body), {"error": "the database refused"})
        self.daemon.wait_for(r'plugin notes: no database "nodes": configured: "notes"')

    def test_a_wrong_config_is_told_with_its_place(self):
        self.write_config({"text_max": 0})
        done = subprocess.run([OPTIONS.daemon, "-t", "-f", "ssxrver.json"], cwd=self.folder,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 78)
        self.assertIn("/plugins/0/config/text_max: expected 1 or more, found 0", done.stderr)


def main():
    parser = argparse.ArgumentParser()
    for name in ("daemon", "plugin"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--mariadb", action="store_true")
    _, rest = parser.parse_known_args(namespace=OPTIONS)
    suites = ["OverMariadb"] if OPTIONS.mariadb else ["Served", "Elsewhere"]
    unittest.main(argv=[sys.argv[0], *rest], defaultTest=suites)


if __name__ == "__main__":
    main()
