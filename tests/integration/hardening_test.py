#!/usr/bin/env python3
"""J08: how the daemon was compiled and linked, read from the program, and from the commands that
make it and its Release build.

usage: hardening_test.py --daemon PROGRAM --build FOLDER --source FOLDER --cmake CMAKE
                         --generator NAME --compiler CXX
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

OPTIONS = argparse.Namespace()
LAYERS = ("ssxrver", "http")


def run(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          check=True).stdout


def compile_commands(build):
    """(name, the words of its command) of every source of the layers, generated ones too."""
    trees = (Path(OPTIONS.source).resolve(), Path(build))
    roots = [tree / layer for tree in trees for layer in LAYERS]
    for entry in json.loads((Path(build) / "compile_commands.json").read_text()):
        source = Path(entry["file"])
        if source.suffix == ".cc" and any(source.is_relative_to(root) for root in roots):
            yield source.name, entry["command"].split()


class Program(unittest.TestCase):
    def readelf(self, *what):
        return run("readelf", "-W", *what, OPTIONS.daemon)

    def test_is_loaded_anywhere(self):
        self.assertRegex(self.readelf("-h"), r"Type:\s+DYN")
        self.assertRegex(self.readelf("-d"), r"FLAGS_1.* PIE")

    def test_has_nothing_writable_that_could_be_read_only(self):
        self.assertIn("GNU_RELRO", self.readelf("-l"))
        dynamic = self.readelf("-d")
        self.assertRegex(dynamic, r"\(FLAGS\).*BIND_NOW")
        self.assertRegex(dynamic, r"FLAGS_1.* NOW")
        self.assertNotIn("TEXTREL", dynamic)

    def test_executes_nothing_writable(self):
        segments = re.findall(r"^ +(\w+) +0x\S+ 0x\S+ 0x\S+ 0x\S+ 0x\S+ ([R ][W ][E ]) ",
                              self.readelf("-l"), re.MULTILINE)
        self.assertIn("GNU_STACK", dict(segments))
        self.assertGreater(len(segments), 5)
        self.assertEqual([kind for kind, may in segments if "W" in may and "E" in may], [])
        self.assertNotIn("E", dict(segments)["GNU_STACK"])

    def test_looks_for_libraries_in_the_systems_folders_alone(self):
        self.assertNotRegex(self.readelf("-d"), "RPATH|RUNPATH")

    def test_checks_its_stack_and_where_it_was_optimised_its_copies(self):
        symbols = self.readelf("--dyn-syms")
        self.assertIn("__stack_chk_fail", symbols)
        commands = [words for _, words in compile_commands(OPTIONS.build)]
        if any("-D_FORTIFY_SOURCE=2" in words for words in commands):
            self.assertRegex(symbols, r"__mem\w+_chk|__\w*printf_chk")


class Flags(unittest.TestCase):
    def check(self, build, *more):
        wanted = {"-fstack-protector-strong", "-fcf-protection=full", *more}
        sources = set()
        for source, words in compile_commands(build):
            sources.add(source)
            self.assertLessEqual(wanted, set(words), source)
            self.assertTrue({"-fPIE", "-fPIC"} & set(words), source)
        self.assertLessEqual({"main.cc", "event_loop.cc", "session.cc"}, sources)

    def test_of_the_program_under_test(self):
        self.check(OPTIONS.build)

    def test_of_the_release_build(self):
        """Optimised too: the program of 2021 said -o3, which names an output file."""
        with tempfile.TemporaryDirectory(prefix="ssxrver-release-") as folder:
            run(OPTIONS.cmake, "-S", OPTIONS.source, "-B", folder, "-G", OPTIONS.generator,
                f"-DCMAKE_CXX_COMPILER={OPTIONS.compiler}", "-DCMAKE_BUILD_TYPE=Release",
                "-DSSX_BUILD_TESTS=OFF", "-DSSX_BUILD_EXAMPLES=OFF")
            self.check(folder, "-O2", "-DNDEBUG", "-D_FORTIFY_SOURCE=2")
            if OPTIONS.generator == "Ninja":
                commands = run("ninja", "-C", folder, "-t", "commands", "ssxrver").splitlines()
                link = [line for line in commands if "main.cc.o -o" in line][-1]
                for flag in ("-pie", "-Wl,-z,relro,-z,now,-z,noexecstack"):
                    self.assertIn(f" {flag} ", link)
                self.assertNotIn("-rpath", link)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for name in ("daemon", "build", "source", "cmake", "generator", "compiler"):
        parser.add_argument(f"--{name}", required=True)
    parser.parse_args(namespace=OPTIONS)
    unittest.main(argv=sys.argv[:1])
