#!/usr/bin/env python3
"""Rules for the routes of plugins, `plugin:NAME` and `websocket:plugin:NAME` in http.routes, in the
real daemon: docs/examples/plugins/notes over SQLite, and chat_history."""

import argparse
import base64
import http.client
import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from daemon import Daemon  # noqa: E402
from websocket_peer import TEXT, WebSocket  # noqa: E402

OPTIONS = argparse.Namespace()
LOGIN = {"Authorization": "Basic " + base64.b64encode(b"ada:secret").decode()}
TOO_BIG = 1009


class Ruled(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="ssxrver-rules-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.write("users", "ada:secret\n")

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        path.chmod(0o600)

    def write_config(self, *rules, mount="/notes"):
        config = {
            "worker_processes": 2, "task_processes": 1,
            "databases": {"notes": {"driver": "sqlite", "file": "notes.sqlite"}},
            "http": {"routes": [*rules, {"match": "/*", "handler": "status", "status": 418}]},
            "plugins": [
                {"name": "notes", "library": OPTIONS.notes, "mount": mount,
                 "config": {"database": "notes"}},
                {"name": "talk", "library": OPTIONS.chat_history, "mount": "/talk",
                 "config": {"history": 5}}]}
        self.write("ssxrver.json", json.dumps(config))

    def start(self, *rules):
        self.write_config(*rules)
        self.daemon = Daemon(OPTIONS.daemon, self.folder, "-f", "ssxrver.json", "-p", "pid")
        self.addCleanup(self.daemon.__exit__)

    def refusal(self, *rules):
        """What the daemon says when it cannot begin with these rules."""
        self.write_config(*rules)
        done = subprocess.run(
            [OPTIONS.daemon, "-g", 'listeners=[{"port": 0}]', "-f", "ssxrver.json"],
            cwd=self.folder, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 78, done.stderr)
        return done.stderr

    def ask(self, method, path, body=None, fields=()):
        connection = http.client.HTTPConnection("127.0.0.1", self.daemon.port, timeout=20)
        try:
            kind = {"Content-Type": "application/json"} if body else {}
            connection.request(method, path, body, {**kind, **dict(fields)})
            answer = connection.getresponse()
            answer.read()
            return answer
        finally:
            connection.close()

    def status(self, *request):
        return self.ask(*request).status

    def ask_for_reload(self, name):
        self.daemon.output = ""
        done = subprocess.run(
            [OPTIONS.daemon, "-s", "reload-plugin", name, "-f", "ssxrver.json", "-p", "pid"],
            cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def reload(self, name):
        self.ask_for_reload(name)
        self.daemon.wait_for(rf"plugin {name}.*: serves in place of")


class Rules(Ruled):
    def test_who_writes_logs_in_and_who_reads_does_not(self):
        self.start({"match": "/notes", "methods": ["POST"], "handler": "plugin:notes",
                    "auth": "basic:users"},
                   {"match": "/notes/{id}", "methods": ["DELETE"], "handler": "plugin:notes",
                    "auth": "basic:users"})
        note = '{"text": "hello"}'
        self.assertEqual(self.status("POST", "/notes", note), 401)
        self.assertEqual(self.status("POST", "/notes", note, LOGIN), 201)
        self.assertEqual(self.status("GET", "/notes/1"), 200)
        self.assertEqual(self.status("DELETE", "/notes/1"), 401)
        self.assertEqual(self.status("DELETE", "/notes/1", None, LOGIN), 204)
        self.assertEqual(self.status("PATCH", "/notes/1"), 405)
        self.assertEqual(self.status("GET", "/elsewhere"), 418)
        self.assertEqual(self.daemon.stop(), 0, self.daemon.output)

    def test_a_body_has_the_bound_of_the_rule(self):
        self.start({"match": "/notes", "handler": "plugin:notes", "max_body_size": 20})
        for length, status in ((19, 201), (20, 201), (21, 413)):
            body = json.dumps({"text": "a" * (length - len('{"text": ""}'))})
            self.assertEqual(len(body), length)
            self.assertEqual(self.status("POST", "/notes", body), status, length)

    def test_all_routes_of_a_rule_have_one_rate_and_it_outlives_reloads(self):
        rule = {"match": "/notes/*", "handler": "plugin:notes", "rate_limit": "2/m burst 2"}
        self.start(rule)
        self.assertEqual(self.status("GET", "/notes/all"), 200)
        self.assertEqual(self.status("GET", "/notes/1"), 404)
        self.reload("notes")
        self.assertEqual(self.status("GET", "/notes/all"), 429)
        self.assertEqual(self.status("GET", "/notes"), 200)  # the rule is not for it

    def test_a_rule_holds_for_the_next_generation(self):
        self.start({"match": "/talk/*", "handler": "plugin:talk", "auth": "basic:users"})
        for _ in range(2):
            with self.assertRaisesRegex(ConnectionError, "HTTP/1.1 401 "):
                WebSocket(self.daemon.port, "/talk/red?name=Ada")
            with WebSocket(self.daemon.port, "/talk/red?name=Ada", LOGIN) as ada:
                ada.send(TEXT, b"hello")
            self.reload("talk")

    def test_messages_have_the_bound_of_the_rule(self):
        self.start({"match": "/talk/{room}", "handler": "websocket:plugin:talk",
                    "max_message_size": 10})
        with WebSocket(self.daemon.port, "/talk/red?name=Ada") as ada:
            for length in (9, 10):
                ada.send(TEXT, b"a" * length)
                self.assertEqual(ada.receive_text(), "Ada: " + "a" * length)
            ada.send(TEXT, b"a" * 11)
            self.assertEqual(ada.receive_close(), TOO_BIG)

    def test_what_surrounds_a_rule_is_in_its_answers(self):
        self.start({"match": "/notes", "handler": "plugin:notes",
                    "middleware": ["security_headers"]})
        self.assertEqual(self.ask("GET", "/notes").getheader("X-Content-Type-Options"), "nosniff")
        self.assertIsNone(self.ask("GET", "/notes/all").getheader("X-Content-Type-Options"))


class Refused(Ruled):
    def test_a_rule_for_a_part_of_a_route(self):
        said = self.refusal({"match": "/notes/1", "handler": "plugin:notes"})
        self.assertRegex(said, r'plugin "notes": .*route "(GET|DELETE) /notes/\{id\}": the rule '
                               r'"/notes/1" of plugin:notes is for a part of it only')

    def test_a_rule_that_covers_nothing(self):
        said = self.refusal({"match": "/note/*", "handler": "plugin:notes", "auth": "basic:users"})
        self.assertIn('the rule "/note/*" of plugin:notes covers no route of the plugin; they '
                      'stand below "/notes"', said)

    def test_a_coroutine_does_not_go_to_a_task_thread(self):
        said = self.refusal({"match": "/notes", "handler": "plugin:notes", "run_on": "tasks"})
        self.assertIn("a coroutine cannot run on a task thread", said)

    def test_a_plugin_that_is_not_there(self):
        said = self.refusal({"match": "/notes", "handler": "plugin:note"})
        self.assertRegex(said, r'/http/routes/0/handler: there is no plugin "note"; did you mean '
                               r'"notes"\?')


def main():
    parser = argparse.ArgumentParser()
    for name in ("daemon", "notes", "chat-history"):
        parser.add_argument(f"--{name}", required=True)
    _, rest = parser.parse_known_args(namespace=OPTIONS)
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
