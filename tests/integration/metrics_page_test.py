#!/usr/bin/env python3
"""The plugin docs/examples/plugins/metrics_page in the real daemon, beside the two others: what it
shows is what curl and WebSockets have done."""

import argparse
import json
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from daemon import Daemon  # noqa: E402
from websocket_peer import TEXT, WebSocket  # noqa: E402

OPTIONS = argparse.Namespace()
SERIES = re.compile(r'([a-z_]+(?:\{[a-z_]+="[^"\\\n]*"\})?) (-?\d+)')


def run(*command, folder=None):
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False,
                          timeout=60)


class Metrics(unittest.TestCase):
    plugin_config = {}
    log = {}

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="ssxrver-metrics-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.write_config(self.plugin_config)
        self.daemon = Daemon(OPTIONS.daemon, self.folder, "-f", "ssxrver.json", "-p", "pid")
        self.addCleanup(self.daemon.__exit__)

    def write_config(self, plugin_config):
        config = {
            "log": self.log,
            "task_processes": 2,
            "databases": {"main": {"driver": "sqlite", "file": "notes.sqlite"}},
            "plugins": [
                {"name": "numbers", "library": OPTIONS.metrics_page, "mount": "/numbers",
                 "config": plugin_config},
                {"name": "talk", "library": OPTIONS.chat_history, "mount": "/talk"},
                {"name": "notes", "library": OPTIONS.notes, "mount": "/notes"}]}
        (self.folder / "ssxrver.json").write_text(json.dumps(config), encoding="utf-8")

    def curl(self, *arguments):
        done = run("curl", "-sS", "--noproxy", "*", "--max-time", "20", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def text(self):
        return self.curl(self.daemon.url + "/numbers/metrics")

    def series(self):
        lines = [line for line in self.text().splitlines() if not line.startswith("#")]
        return {match[1]: int(match[2]) for match in map(SERIES.fullmatch, lines)}

    def page(self, query=""):
        return self.curl(self.daemon.url + "/numbers" + query)

    def moved(self, act):
        """What has grown, beside what asking for it counts itself."""
        before, between = self.series(), self.series()
        act()
        after = self.series()
        asking = {name: between[name] - before[name] for name in before}
        moves = {name: after[name] - between.get(name, 0) - asking.get(name, 0) for name in after}
        return {name: move for name, move in moves.items() if move}


class Counted(Metrics):
    def test_the_text_is_what_prometheus_reads(self):
        head, _, text = self.curl("-i", self.daemon.url + "/numbers/metrics").partition("\n\n")
        self.assertIn("\nContent-Type: text/plain; version=0.0.4; charset=utf-8\n", head + "\n")
        self.assertIn("\nCache-Control: no-store\n", head + "\n")
        kinds, names, seen = {}, [], set()
        for line in text.splitlines():
            if line.startswith("# HELP "):
                names.append(line.split()[2])
            elif line.startswith("# TYPE "):
                kinds[line.split()[2]] = line.split()[3]
            else:
                name, value = SERIES.fullmatch(line).groups()
                self.assertNotIn(name, seen)
                seen.add(name)
                family = name.partition("{")[0]
                self.assertEqual(names[-1], family)
                self.assertEqual(family.endswith("_total"), kinds[family] == "counter", family)
                self.assertGreaterEqual(int(value), 0, name)
        self.assertEqual(len(set(names)), len(names))
        self.assertEqual(sorted(kinds), sorted(names))
        for layer in ("accept", "db", "http", "log", "net", "plugins", "tasks", "websocket"):
            self.assertTrue(any(name.startswith(f"ssxrver_{layer}_") for name in names), layer)

    def test_requests_are_counted_one_by_one(self):
        url = self.daemon.url
        moves = self.moved(lambda: self.curl(*[f"{url}/none{number}" for number in range(7)]))
        self.assertEqual(moves["ssxrver_http_requests_total"], 7)
        self.assertEqual(moves['ssxrver_http_answers_total{class="4xx"}'], 7)
        self.assertNotIn('ssxrver_http_answers_total{class="2xx"}', moves)
        self.assertEqual(moves["ssxrver_accept_accepted_total"], 1)  # curl keeps its connection
        self.assertEqual(moves["ssxrver_net_opened_total"], 1)
        self.assertNotIn('ssxrver_plugins_calls_total{plugin="numbers"}', moves)

    def test_those_of_a_plugin_bear_its_name(self):
        moves = self.moved(lambda: self.curl(*[self.daemon.url + "/numbers"] * 5))
        self.assertEqual(moves['ssxrver_plugins_calls_total{plugin="numbers"}'], 5)
        self.assertEqual(moves["ssxrver_http_requests_total"], 5)
        self.assertNotIn('ssxrver_plugins_calls_total{plugin="notes"}', moves)

    def test_a_refused_request_is_counted_by_its_reason(self):
        def ask_badly():
            for _ in range(3):
                with socket.create_connection(("127.0.0.1", self.daemon.port), 20) as peer:
                    peer.sendall(b"GET / HTTP/1.1\r\n\r\n")
                    while peer.recv(4096):
                        pass

        moves = self.moved(ask_badly)
        self.assertEqual(moves['ssxrver_http_refused_total{reason="no Host field"}'], 3)
        self.assertEqual(moves['ssxrver_http_answers_total{class="4xx"}'], 3)

    def test_websockets_are_counted(self):
        def talk():
            with WebSocket(self.daemon.port, "/talk/red?name=Ada") as ada:
                for number in range(4):
                    ada.send(TEXT, f"{number}".encode())
                    self.assertEqual(ada.receive_text(), f"Ada: {number}")

        moves = self.moved(talk)
        self.assertEqual(moves["ssxrver_websocket_opened_total"], 1)
        self.assertEqual(moves['ssxrver_websocket_messages_total{way="in"}'], 4)
        self.assertEqual(moves['ssxrver_websocket_messages_total{way="out"}'], 4)
        self.assertEqual(moves['ssxrver_plugins_messages_total{plugin="talk"}'], 4)
        self.assertEqual(moves['ssxrver_plugins_sockets_total{plugin="talk"}'], 1)

    def test_databases_and_tasks_are_counted(self):
        url = self.daemon.url + "/notes"
        self.curl(url)  # makes the table
        moves = self.moved(lambda: self.curl("-d", "text=milk", url))
        self.assertEqual(moves['ssxrver_db_queries_total{end="ok"}'], 1)
        self.assertEqual(moves['ssxrver_plugins_queries_total{plugin="notes"}'], 1)
        self.assertGreater(moves['ssxrver_tasks_total{end="done"}'], 0)  # where SQLite runs

    def test_a_reload_takes_nothing_back(self):
        before = self.series()
        self.daemon.output = ""
        done = run(OPTIONS.daemon, "-s", "reload-plugin", "numbers", "-f", "ssxrver.json", "-p",
                   "pid", folder=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.daemon.wait_for(r"plugin numbers .* is gone")
        calls = 'ssxrver_plugins_calls_total{plugin="numbers"}'
        self.assertEqual(self.series()[calls], before[calls] + 1)
        self.assertEqual(self.daemon.stop(), 0, self.daemon.output)

    def test_many_may_ask_at_once(self):
        calls = 'ssxrver_plugins_calls_total{plugin="numbers"}'
        before = self.series()[calls]
        threads = [threading.Thread(target=self.curl, args=[self.daemon.url + "/numbers"] * 20)
                   for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(self.series()[calls], before + 8 * 20 + 1)
        self.assertEqual(self.daemon.stop(), 0, self.daemon.output)


class Logged(Metrics):
    log = {"async_started": "on", "console": "on"}

    def test_lines_and_files_of_the_log_are_counted(self):
        before = self.series()
        self.assertEqual(before["ssxrver_log_files_total"], 1)
        self.daemon.send_signal(signal.SIGUSR1)
        deadline = time.monotonic() + 20
        while (after := self.series())["ssxrver_log_files_total"] == 1:
            self.assertLess(time.monotonic(), deadline)
        self.assertEqual(after["ssxrver_log_files_total"], 2)
        while self.series()["ssxrver_log_lines_total"] == before["ssxrver_log_lines_total"]:
            self.assertLess(time.monotonic(), deadline)
        self.assertEqual(after['ssxrver_log_lost_total{reason="file"}'], 0)


class Page(Metrics):
    def test_is_a_page_of_its_own(self):
        head, _, page = self.curl("-i", self.daemon.url + "/numbers").partition("\n\n")
        self.assertIn("\nContent-Type: text/html; charset=utf-8\n", head + "\n")
        self.assertIn('<meta http-equiv="refresh" content="5">', page)
        self.assertNotRegex(page, r"https?://|<script|@import|url\(")
        self.assertIn('<tr><th colspan="2">Requests that reached routing.</th></tr>\n'
                      "<tr><td>ssxrver_http_requests_total</td><td>1</td></tr>\n", page)
        self.assertIn("<td>ssxrver_plugins_calls_total{plugin=&quot;numbers&quot;}</td>", page)

    def test_shows_zeros_to_who_asks_for_all(self):
        zero = "<td>ssxrver_http_handler_errors_total</td><td>0</td>"
        self.assertNotIn(zero, self.page())
        self.assertNotIn("<td>0</td>", self.page())
        self.assertIn(zero, self.page("?all=1"))

    def test_its_config_has_bounds(self):
        for refresh, status in ((-1, 78), (0, 0), (3600, 0), (3601, 78)):
            self.write_config({"refresh": refresh})
            done = run(OPTIONS.daemon, "-t", "-f", "ssxrver.json", folder=self.folder)
            self.assertEqual(done.returncode, status, done.stderr)
            if status:
                self.assertIn("/plugins/0/config/refresh: ", done.stderr)


class Still(Metrics):
    plugin_config = {"refresh": 0}

    def test_does_not_ask_again_by_itself(self):
        self.assertNotIn("http-equiv", self.page())


def main():
    parser = argparse.ArgumentParser()
    for name in ("daemon", "metrics-page", "chat-history", "notes"):
        parser.add_argument(f"--{name}", required=True)
    _, rest = parser.parse_known_args(namespace=OPTIONS)
    if shutil.which("curl") is None:
        print("there is no curl")
        return 77
    return unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    sys.exit(main())
