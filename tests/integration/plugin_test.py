#!/usr/bin/env python3
"""A new plugin, as somebody makes it: the project that the program writes, built, checked and put
into a configuration.
"""

import argparse
import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import peer  # noqa: E402
from daemon import Daemon  # noqa: E402

OPTIONS = argparse.Namespace()


# Of a plugin that takes a new config while it runs.
TAKES_A_CONFIG = """  host.on_config(
      [&host] {
        if (host.config().string("greeting") == "Nope") throw ssx::plugin::SetupError("not that");
      },
      [] {});
"""


def run(*command, folder=None):
    words = [str(word) for word in command]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)


class Project(unittest.TestCase):
    """What `ssxrver plugin new` writes, built against the source tree."""

    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="ssxrver-plugin-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.project = cls.folder / "greeter"
        cls.plugin = cls.project / "build" / "greeter.so"
        made = run(OPTIONS.daemon, "plugin", "new", "greeter", folder=cls.folder)
        assert made.returncode == 0, made.stderr
        cls.build("build", f"-DSSXRVER_SOURCE={OPTIONS.source}")

    @classmethod
    def build(cls, build, *options):
        for command in (
                ("-B", build, "-G", OPTIONS.generator, f"-DSSXRVER={OPTIONS.daemon}",
                 f"-DCMAKE_CXX_COMPILER={OPTIONS.compiler}", *options),
                ("--build", build)):
            done = run(OPTIONS.cmake, *command, folder=cls.project)
            assert done.returncode == 0, done.stdout + done.stderr


class Plugin(Project):
    def ssxrver(self, *arguments):
        return run(OPTIONS.daemon, *arguments, folder=self.project)

    def test_its_own_test_passes(self):
        ctest = Path(OPTIONS.cmake).with_name("ctest")
        done = run(ctest, "--test-dir", "build", "--no-tests=error", "--output-on-failure",
                   folder=self.project)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_builds_with_the_package_of_the_build_tree(self):
        self.build("packaged", f"-DCMAKE_PREFIX_PATH={OPTIONS.tree}",
                   f"-DCMAKE_CXX_FLAGS={OPTIONS.flags}")
        done = self.ssxrver("plugin", "check", self.project / "packaged" / "greeter.so")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_says_what_it_is(self):
        done = self.ssxrver("plugin", "info", self.plugin)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("name:        greeter\n", done.stdout)

    def test_its_configuration_is_good(self):
        done = self.ssxrver("-t", "-f", "ssxrver.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("is good", done.stdout)

    def test_a_wrong_config_is_told_with_its_place(self):
        config = json.loads((self.project / "ssxrver.json").read_text(encoding="utf-8"))
        config["plugins"][0]["config"] = {"greeting": 1}
        (self.project / "wrong.json").write_text(json.dumps(config), encoding="utf-8")
        for arguments in (("-t",), ()):
            done = self.ssxrver(*arguments, "-f", "wrong.json")
            self.assertEqual(done.returncode, 78)
            self.assertRegex(done.stderr, r"wrong.json:1:\d+: /plugins/0/config/greeting: "
                                          r"expected text, found 1\n")

    def test_what_others_may_write_to_is_not_loaded(self):
        self.plugin.chmod(0o666)
        try:
            done = self.ssxrver("-t", "-f", "ssxrver.json")
        finally:
            self.plugin.chmod(0o644)
        self.assertEqual(done.returncode, 78)
        self.assertIn("can be written to by others (mode 0666)", done.stderr)

    def test_one_symbol_is_seen_by_others(self):
        symbols = run("nm", "-D", "--defined-only", self.plugin).stdout.split("\n")
        names = [line.split()[-1] for line in symbols if line]
        self.assertEqual(names, ["ssxrver_plugin_query"])

    def test_a_plugin_without_its_function_is_no_plugin(self):
        source = self.project / "none.cc"
        source.write_text("int none = 1;\n", encoding="utf-8")
        lists = self.project / "CMakeLists.txt"
        text = lists.read_text(encoding="utf-8")
        lists.write_text(text + "ssxrver_add_plugin(none SOURCES none.cc)\n", encoding="utf-8")
        try:
            done = run(OPTIONS.cmake, "--build", "build", "--target", "none", folder=self.project)
        finally:
            lists.write_text(text, encoding="utf-8")
        self.assertNotEqual(done.returncode, 0)
        said = " ".join((done.stdout + done.stderr).split())  # CMake breaks lines
        self.assertIn("does not define ssxrver_plugin_query", said)


class Served(Project):
    """The same project, as the daemon runs it."""

    def setUp(self):
        self.pid_file = self.folder / "pid"
        self.daemon = Daemon(OPTIONS.daemon, self.project, "-f", "ssxrver.json",
                             "-p", str(self.pid_file))
        self.addCleanup(self.daemon.__exit__)

    def ask(self, path="/greeter/World"):
        with urllib.request.urlopen(self.daemon.url + path, timeout=10) as answer:
            return answer.read().decode()

    def reload(self):
        """Returns when the old generation is gone; each says so in one line of the log."""
        self.daemon.output = ""
        done = run(OPTIONS.daemon, "-s", "reload-plugin", "greeter", "-f", "ssxrver.json",
                   "-p", self.pid_file, folder=self.project)
        self.assertEqual(done.returncode, 0, done.stderr)

    def change(self, before, after):
        source = self.project / "greeter.cc"
        text = source.read_text(encoding="utf-8")
        self.assertIn(before, text)
        source.write_text(text.replace(before, after), encoding="utf-8")
        done = run(OPTIONS.cmake, "--build", "build", folder=self.project)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_answers(self):
        self.assertEqual(self.ask(), "Hello, World!\n")
        self.assertEqual(self.daemon.stop(), 0)

    def wrk(self):
        """Thirty-two connections that ask until somebody sends it SIGINT."""
        wrk = shutil.which("wrk")
        if wrk is None:
            self.assertFalse(peer.required(), "wrk is missing")
            return None
        process = subprocess.Popen(
            [wrk, "-t1", "-c32", "-d3600s", self.daemon.url + "/greeter/wrk"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def told_no_failure(self, wrk):
        wrk.send_signal(signal.SIGINT)
        said = wrk.communicate(timeout=30)[0]
        self.assertNotIn("Socket errors", said)
        self.assertNotIn("Non-2xx or 3xx responses", said)
        answered = re.search(r"(\d+) requests in", said)
        self.assertIsNotNone(answered, said)
        print(f"wrk: {OPTIONS.reloads} reloads, {answered[1]} requests answered, none failed")
        self.assertGreater(int(answered[1]), 1000)

    def test_an_edited_plugin_is_reloaded_under_load(self):
        asked, failures = [0], []
        is_over = threading.Event()

        def load():
            connection = http.client.HTTPConnection("127.0.0.1", self.daemon.port, timeout=10)
            while not is_over.is_set():
                try:
                    connection.request("GET", "/greeter/you")
                    answer = connection.getresponse()
                    body = answer.read()
                    if answer.status != 200 or body not in (b"Hello, you!\n", b"Hello, you?\n"):
                        failures.append((answer.status, body))
                    asked[0] += 1
                except OSError as error:
                    failures.append(error)
                    connection.close()

        wrk = self.wrk()
        client = threading.Thread(target=load)
        client.start()
        self.addCleanup(is_over.set)
        self.change('"!\\n"', '"?\\n"')
        for _ in range(OPTIONS.reloads):
            self.reload()
            self.daemon.wait_for(r"plugin greeter .* is gone")
        is_over.set()
        client.join()
        self.assertEqual(failures, [])
        self.assertGreater(asked[0], 100)
        if wrk is not None:
            self.told_no_failure(wrk)
        self.assertEqual(self.ask(), "Hello, World?\n")
        self.change('"?\\n"', '"!\\n"')
        self.reload()
        self.daemon.wait_for(r"plugin greeter .* is gone")
        self.assertEqual(self.ask(), "Hello, World!\n")
        self.assertEqual(self.daemon.stop(), 0)

    def test_what_cannot_be_loaded_leaves_the_old_one(self):
        kept = self.plugin.read_bytes()
        try:
            self.plugin.write_bytes(kept[:5000])
            self.reload()
            self.daemon.wait_for(r"plugin greeter .* serves on: .*greeter\.so")
        finally:
            self.plugin.write_bytes(kept)
        self.assertEqual(self.ask(), "Hello, World!\n")
        self.reload()
        self.daemon.wait_for(r"serves in place of greeter 0\.1\.0, generation 1")
        self.assertEqual(self.daemon.stop(), 0)

    def configure(self, **plugin):
        """Writes the file anew, with these keys of the plugin; the rest of it goes back later."""
        path = self.project / "ssxrver.json"
        before = path.read_text(encoding="utf-8")
        self.addCleanup(path.write_text, before, encoding="utf-8")
        config = json.loads(before)
        config["plugins"][0].update(plugin)
        path.write_text(json.dumps(config), encoding="utf-8")

    def test_a_changed_config_is_read_again(self):
        self.configure(config={"greeting": "Hej"})
        self.reload()
        self.daemon.wait_for(r"serves in place of greeter 0\.1\.0, generation 1")
        self.assertEqual(self.ask(), "Hej, World!\n")
        self.configure(config={"greeting": 1})
        self.reload()
        self.daemon.wait_for(r"generation 2 serves on: .*config/greeting: expected text, found 1")
        self.configure(enabled=False)
        done = run(OPTIONS.daemon, "-s", "reload-plugin", "greeter", "-f", "ssxrver.json",
                   "-p", self.pid_file, folder=self.project)
        self.assertEqual(done.returncode, 64)
        self.assertEqual(self.ask(), "Hej, World!\n")
        self.assertEqual(self.daemon.stop(), 0)

    def test_a_config_is_changed_in_place_where_the_plugin_can_take_it(self):
        self.change("  host.get(", TAKES_A_CONFIG + "  host.get(")
        self.addCleanup(self.change, TAKES_A_CONFIG, "")
        self.reload()
        self.daemon.wait_for(r"serves in place of greeter 0\.1\.0, generation 1")
        self.configure(config={"greeting": "Salut"})
        self.reload()
        self.daemon.wait_for(r"plugin greeter 0\.1\.0, generation 2 has its new config")
        self.configure(config={"greeting": "Nope"})
        self.reload()
        self.daemon.wait_for(r"generation 2 serves on: .*config_prepare: not that")
        self.assertEqual(self.daemon.stop(), 0)

    def test_a_broken_file_leaves_all_as_it_was(self):
        path = self.project / "ssxrver.json"
        kept = path.read_text(encoding="utf-8")
        self.addCleanup(path.write_text, kept, encoding="utf-8")
        other = self.project / "other.json"
        other.write_text(kept, encoding="utf-8")
        path.write_text("{", encoding="utf-8")
        done = run(OPTIONS.daemon, "-s", "reload-plugin", "greeter", "-f", "other.json",
                   "-p", self.pid_file, folder=self.project)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.daemon.wait_for(r"generation 1 serves on: .*ssxrver\.json:1:2: ")
        self.assertEqual(self.ask(), "Hello, World!\n")
        self.assertEqual(self.daemon.stop(), 0)

    def test_a_signal_without_a_name_is_told(self):
        os.kill(self.daemon.pid, signal.SIGRTMIN)
        self.daemon.wait_for(r"names no plugin that was on at the start")
        self.assertEqual(self.daemon.stop(), 0)

    def test_nobody_else_can_be_reloaded(self):
        done = run(OPTIONS.daemon, "-s", "reload-plugin", "other", "-f", "ssxrver.json",
                   "-p", self.pid_file, folder=self.project)
        self.assertEqual(done.returncode, 64)
        self.assertIn('has no plugin "other" that is on', done.stderr)


def main():
    parser = argparse.ArgumentParser()
    for name in ("daemon", "source", "tree", "cmake", "generator", "compiler", "flags"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--reloads", type=int, default=20)
    _, rest = parser.parse_known_args(namespace=OPTIONS)
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
