#!/usr/bin/env python3
"""A new plugin, as somebody makes it: the project that the program writes, built, checked and put
into a configuration.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

OPTIONS = argparse.Namespace()


def run(*command, folder=None):
    words = [str(word) for word in command]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)


class Plugin(unittest.TestCase):
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
        self.assertIn("this build does not run them yet", done.stderr)

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


def main():
    parser = argparse.ArgumentParser()
    for name in ("daemon", "source", "tree", "cmake", "generator", "compiler", "flags"):
        parser.add_argument(f"--{name}", required=True)
    _, rest = parser.parse_known_args(namespace=OPTIONS)
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
