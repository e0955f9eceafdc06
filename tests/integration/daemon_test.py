#!/usr/bin/env python3
"""The daemon as an operator meets it: start, test, signals, ends, and what it says when it cannot.

usage: daemon_test.py --daemon PROGRAM
"""

import argparse
import json
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from daemon import Daemon  # noqa: E402

PROGRAM = ""
SECONDS = 30
ROUTES = """{
  // what the tests ask for
  "listeners": [{"port": 0}],
  "worker_processes": 2,
  "http": {"root_path": "www", "routes": [
    {"match": "/hello", "handler": "text", "body": "hello\\n"},
    {"match": "/echo", "handler": "echo"},
    {"match": "/gone", "handler": "status", "status": 410},
    {"match": "/*", "handler": "static"},
  ]},
}
"""


def ask(url, data=None):
    try:
        with urllib.request.urlopen(url, data, SECONDS) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


class Base(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.folder = pathlib.Path(self._folder.name)
        (self.folder / "www").mkdir()
        (self.folder / "www" / "index.html").write_text("<p>index</p>")
        (self.folder / "site.json").write_text(ROUTES)

    def wait_for(self, condition):
        deadline = time.monotonic() + SECONDS
        while not condition():
            self.assertLess(time.monotonic(), deadline, "it did not happen")
            time.sleep(0.01)

    def run_once(self, *arguments):
        return subprocess.run([PROGRAM, "-f", "site.json", *arguments], cwd=self.folder,
                              capture_output=True, text=True, timeout=SECONDS, check=False)

    def start(self, *arguments, **more):
        return Daemon(PROGRAM, self.folder, "-f", "site.json", *arguments, **more)


class DaemonTest(Base):
    def test_serves_its_routes(self):
        with self.start() as daemon:
            self.assertEqual(ask(daemon.url + "/hello"), (200, b"hello\n"))
            self.assertEqual(ask(daemon.url + "/echo", b"body"), (200, b"body"))
            self.assertEqual(ask(daemon.url + "/gone")[0], 410)
            self.assertEqual(ask(daemon.url + "/"), (200, b"<p>index</p>"))
            self.assertEqual(ask(daemon.url + "/nothing")[0], 404)

    def test_ends_with_zero_on_term_int_and_quit(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT):
            with self.start() as daemon:
                self.assertEqual(daemon.stop(number), 0)

    def test_a_drain_closes_idle_connections_when_their_grace_is_over(self):
        with self.start("-g", "daemon.drain_idle_grace=10ms", "-g",
                        "daemon.shutdown_timeout=1h") as daemon:
            host, port = daemon.url.removeprefix("http://").split(":")
            with socket.create_connection((host, int(port)), SECONDS) as peer:
                peer.sendall(b"GET /hello HTTP/1.1\r\nHost: x\r\n\r\n")
                self.assertIn(b"200", peer.recv(4096))
                begun = time.monotonic()
                self.assertEqual(daemon.stop(signal.SIGQUIT), 0)
                self.assertLess(time.monotonic() - begun, 4, "the default is five seconds")

    def test_refuses_reload_and_upgrade_with_one_line_and_lives_on(self):
        with self.start() as daemon:
            for number in (signal.SIGHUP, signal.SIGUSR2):
                subprocess.run(["kill", f"-{int(number)}", str(daemon.pid)], check=True)
            self.assertEqual(ask(daemon.url + "/hello")[0], 200)
            self.assertEqual(daemon.stop(), 0)
            self.assertEqual(daemon.output.count("cannot reload or upgrade"), 2)

    def test_a_quiet_drain_answers_who_is_being_served(self):
        """F01: no request fails while the daemon ends, on a connection that lasts or on one of
        its own; the last answer says close."""
        with self.start() as daemon:
            host, port = daemon.url.removeprefix("http://").split(":")
            begun, failures, last = threading.Semaphore(0), [], []

            def keep_asking():
                first = True
                with socket.create_connection((host, int(port)), SECONDS) as peer:
                    answers = peer.makefile("rb")
                    while True:
                        try:
                            peer.sendall(b"GET /hello HTTP/1.1\r\nHost: x\r\n\r\n")
                            head = b""
                            while not head.endswith(b"\r\n\r\n"):
                                line = answers.readline()
                                if not line:
                                    failures.append("cut")
                                    return
                                head += line
                            answers.read(6)
                        except OSError as error:
                            failures.append(str(error))
                            return
                        if first:
                            begun.release()
                            first = False
                        if b"Connection: close" in head:
                            last.append(head)
                            return

            def keep_coming():
                while True:
                    try:
                        peer = socket.create_connection((host, int(port)), SECONDS)
                    except ConnectionRefusedError:
                        return
                    try:
                        with peer:
                            peer.sendall(b"GET /hello HTTP/1.0\r\n\r\n")
                            answer = b"".join(iter(lambda: peer.recv(4096), b""))
                            if not answer.endswith(b"hello\n"):
                                failures.append(answer)
                    except OSError as error:
                        failures.append(str(error))

            coming = [threading.Thread(target=keep_coming) for _ in range(4)]
            clients = [threading.Thread(target=keep_asking) for _ in range(8)]
            for client in clients + coming:
                client.start()
            for _ in clients:
                self.assertTrue(begun.acquire(timeout=SECONDS), failures)
            # TERM gives those who are between two requests 250 ms, which a busy machine may need.
            self.assertEqual(daemon.stop(signal.SIGQUIT), 0)
            for client in clients + coming:
                client.join(SECONDS)
            self.assertEqual((failures, len(last)), ([], len(clients)))

    def test_a_log_that_is_reopened_under_load_loses_no_line(self):
        """F09: every refused request is one line with the port of its client, in the file that is
        written to or in one that was moved away."""
        logs = self.folder / "logs"
        logs.mkdir()
        per_client, clients = 150, 4
        with self.start("-g", "log.ansync_started=on", "-g", "log.level=DEBUG",
                        "-g", "log.path=logs/") as daemon:
            host, port = daemon.url.removeprefix("http://").split(":")
            ports, failures, running = [], [], threading.Semaphore(0)

            def keep_erring():
                try:
                    for _ in range(per_client):
                        with socket.create_connection((host, int(port)), SECONDS) as peer:
                            peer.sendall(b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n")
                            answer = b"".join(iter(lambda: peer.recv(4096), b""))
                            ports.append(peer.getsockname()[1])
                        if not answer.startswith(b"HTTP/1.1 400 "):
                            failures.append(answer)
                except OSError as error:
                    failures.append(str(error))
                running.release()

            threads = [threading.Thread(target=keep_erring) for _ in range(clients)]
            for thread in threads:
                thread.start()
            rounds = 0
            while not running.acquire(timeout=0.02):  # what logrotate does, again and again
                rounds += 1
                for path in logs.glob("*.log"):
                    path.rename(path.with_suffix(f".{rounds}"))
                daemon.send_signal(signal.SIGUSR1)
            for thread in threads:
                thread.join(SECONDS)
            self.assertEqual(daemon.stop(), 0)
        lines = [line for path in logs.iterdir() for line in path.read_text().splitlines()]
        seen = re.findall(r"127\.0\.0\.1:(\d+): ", "\n".join(lines))
        self.assertEqual((failures, len(ports)), ([], per_client * clients))
        self.assertEqual(sorted(map(int, seen)), sorted(ports))
        self.assertGreater(rounds, 1)
        self.assertGreater(len(list(logs.iterdir())), 1)
        self.assertEqual([line for line in lines if "lost" in line], [])

    def test_a_port_in_use_is_one_sentence_in_every_accept_mode(self):
        """F13: also with SO_REUSEPORT, which would share the port without a word."""
        with self.start() as daemon:
            port = daemon.url.rpartition(":")[2]
            for mode in ("thread", "reuseport", "exclusive"):
                second = self.run_once("-g", f'listeners=[{{"port": {port}}}]',
                                       "-g", f"loop.accept={mode}")
                self.assertEqual(second.returncode, 69, second.stderr)
                self.assertIn("is in use", second.stderr)
                self.assertEqual(second.stderr.count("\n"), 1)

    def test_a_missing_root_says_what_to_do(self):
        ended = self.run_once("-g", "http.root_path=nowhere")
        self.assertEqual(ended.returncode, 66)
        self.assertIn("nowhere", ended.stderr)
        self.assertIn("http.root_path", ended.stderr)

    def test_answers_datagrams_on_the_port_that_its_log_names(self):
        udp = ("-g", "udp.enabled=on", "-g", "udp.address=127.0.0.1")
        with self.start(*udp) as daemon, socket.socket(type=socket.SOCK_DGRAM) as peer:
            port = daemon.wait_for(r"listening on udp 127\.0\.0\.1:(\d+)")[1]
            peer.settimeout(SECONDS)
            peer.sendto(b"ping", ("127.0.0.1", int(port)))
            self.assertEqual(peer.recv(100), b"ping")
            second = self.run_once(*udp, "-g", f"udp.port={port}", "-g",
                                   'listeners=[{"port": 0}]')
            self.assertEqual(second.returncode, 69, second.stderr)
            self.assertIn(f"udp 127.0.0.1:{port}: ", second.stderr)
            self.assertEqual(daemon.stop(), 0)

    def test_a_process_that_cannot_be_prepared_says_which_key_to_mend(self):
        ended = self.run_once("-g", "daemon.working_directory=nowhere")
        self.assertEqual(ended.returncode, 66)
        self.assertRegex(ended.stderr, r'daemon\.working_directory "nowhere": No such file')
        most = 1 << 30  # above what any system gives
        ended = self.run_once("-g", f"daemon.rlimit_nofile={most}")
        self.assertNotEqual(ended.returncode, 0)
        self.assertIn("daemon.rlimit_nofile", ended.stderr)

    def test_more_connections_than_files_are_refused_at_the_start(self):
        few = self.folder / "few_files.sh"
        few.write_text(f'#!/bin/sh\nulimit -n 200\nexec "{pathlib.Path(PROGRAM).resolve()}" "$@"\n')
        few.chmod(0o700)
        for connections in (135, 136):  # and 64 files for the rest
            with Daemon(few, self.folder, "-f", "site.json",
                        "-g", f"limits.connections={connections}") as daemon:
                self.assertEqual(ask(daemon.url + "/hello"), (200, b"hello\n"))
        ended = subprocess.run([few, "-f", "site.json", "-g", "limits.connections=137"],
                               cwd=self.folder, capture_output=True, text=True, timeout=SECONDS,
                               check=False)
        self.assertEqual(ended.returncode, 78)
        self.assertIn("limits.connections 137 needs 201 open files", ended.stderr)

    def test_works_in_the_folder_that_it_was_told(self):
        (self.folder / "there").mkdir()
        (self.folder / "there" / "www").mkdir()
        (self.folder / "there" / "www" / "index.html").write_text("<p>there</p>")
        with self.start("-g", "daemon.working_directory=there") as daemon:
            self.assertEqual(ask(daemon.url + "/"), (200, b"<p>there</p>"))

    def test_a_pid_file_that_names_nobody_is_told(self):
        pid_file = self.folder / "ssxrver.pid"
        ended = self.run_once("-p", str(pid_file), "-s", "stop")
        self.assertNotEqual(ended.returncode, 0)
        self.assertIn(str(pid_file), ended.stderr)

    def test_test_and_print(self):
        self.assertEqual(self.run_once("-t").returncode, 0)
        printed = self.run_once("-T")
        self.assertEqual(printed.returncode, 0)
        self.assertEqual(json.loads(printed.stdout)["worker_processes"], 2)
        wrong = self.run_once("-t", "-g", "worker_proceses=3")
        self.assertEqual(wrong.returncode, 78)
        self.assertIn("worker_processes", wrong.stderr)

    def test_versions_help_and_usage(self):
        self.assertRegex(self.run_once("-v").stdout, r"^ssxrver/\d+\.\d+\.\d+\n$")
        self.assertIn("compiler:", self.run_once("-V").stdout)
        self.assertEqual(self.run_once("--help").returncode, 0)
        self.assertEqual(self.run_once("--no-such-option").returncode, 64)
        self.assertEqual(self.run_once("-s", "stop").returncode, 64, "no pid file is named")

    def test_background_pid_file_and_signals_by_it(self):
        pid_file = self.folder / "ssxrver.pid"
        started = self.run_once("-d", "-p", str(pid_file), "-g",
                                'listeners=[{"unix": "here.sock"}]')
        self.assertEqual(started.returncode, 0, started.stderr)
        self.wait_for(pid_file.exists)
        self.wait_for(lambda: pid_file.read_text().strip() != "")
        second = self.run_once("-p", str(pid_file), "-g", 'listeners=[{"port": 0}]')
        self.assertEqual(second.returncode, 69, second.stderr)
        self.assertEqual(self.run_once("-p", str(pid_file), "-s", "reopen").returncode, 0)
        self.assertEqual(self.run_once("-p", str(pid_file), "-s", "quit").returncode, 0)
        self.wait_for(lambda: not pid_file.exists())
        self.assertNotEqual(self.run_once("-p", str(pid_file), "-s", "stop").returncode, 0)


def listening_socket(address=("127.0.0.1", 0)):
    return socket.create_server(address)


class SocketActivation(Base):
    """LISTEN_FDS: sockets that somebody else has bound."""

    def test_a_client_that_came_before_the_daemon_is_answered(self):
        for mode in ("thread", "reuseport", "exclusive"):
            with self.subTest(mode), listening_socket() as ours:
                port = ours.getsockname()[1]
                early = socket.create_connection(("127.0.0.1", port), SECONDS)
                early.sendall(b"GET /hello HTTP/1.0\r\n\r\n")
                with early, self.start("-g", f"loop.accept={mode}", sockets=[ours]) as daemon:
                    self.assertEqual(daemon.url, f"http://127.0.0.1:{port}")
                    self.assertEqual(daemon.output.count("listening on"), 1)
                    answer = b"".join(iter(lambda: early.recv(4096), b""))
                    self.assertTrue(answer.endswith(b"hello\n"), answer)
                    self.assertEqual(ask(daemon.url + "/hello"), (200, b"hello\n"))
                    self.assertEqual(daemon.stop(), 0)

    def test_nobody_is_refused_while_one_daemon_follows_another(self):
        with listening_socket() as ours:
            port = ours.getsockname()[1]
            with self.start(sockets=[ours]) as daemon:
                self.assertEqual(daemon.stop(), 0)
            with socket.create_connection(("127.0.0.1", port), SECONDS) as between:
                between.sendall(b"GET /hello HTTP/1.0\r\n\r\n")
                with self.start(sockets=[ours]) as daemon:
                    answer = b"".join(iter(lambda: between.recv(4096), b""))
                    self.assertTrue(answer.endswith(b"hello\n"), answer)
                    self.assertEqual(daemon.stop(), 0)

    def test_a_listener_takes_the_socket_of_its_name(self):
        with listening_socket() as first, listening_socket() as second:
            wanted = second.getsockname()[1]
            listeners = 'listeners=[{"systemd": "web"}]'
            with self.start("-g", listeners, sockets=[first, second],
                            names="admin:web") as daemon:
                self.assertEqual(daemon.url, f"http://127.0.0.1:{wanted}")
                self.assertEqual(ask(daemon.url + "/hello")[0], 200)
                self.assertEqual(daemon.stop(), 0)
            with self.assertRaisesRegex(ConnectionError, r'ended with 69: .*"web"'):
                self.start("-g", listeners, sockets=[first], names="admin")

    def test_sockets_beyond_the_listeners_are_served_too(self):
        with listening_socket() as first, listening_socket() as second:
            with self.start(sockets=[first, second]) as daemon:
                for ours in (first, second):
                    url = f"http://127.0.0.1:{ours.getsockname()[1]}/hello"
                    self.assertEqual(ask(url), (200, b"hello\n"))
                self.assertEqual(daemon.stop(), 0)

    def test_what_is_meant_for_another_process_is_left_alone(self):
        with listening_socket() as ours:
            with self.start(sockets=[ours], listen_pid=1) as daemon:
                self.assertNotEqual(daemon.url.rpartition(":")[2], str(ours.getsockname()[1]))
                self.assertEqual(ask(daemon.url + "/hello")[0], 200)
                self.assertEqual(daemon.stop(), 0)

    def test_a_socket_that_does_not_listen_is_refused(self):
        with socket.socket() as ours:
            with self.assertRaisesRegex(ConnectionError, "ended with 69: "):
                self.start(sockets=[ours])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--daemon", required=True)
    known, rest = parser.parse_known_args()
    PROGRAM = known.daemon
    unittest.main(argv=[sys.argv[0], *rest])
