#!/usr/bin/env python3
"""Installs the build tree, and builds a project outside the tree against it: by find_package from
the installation and from the build tree, by pkg-config, and with every installed header at once.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))

from daemon import Daemon  # noqa: E402

SAYS = "Hello from elsewhere!\n"
OPTIONS = argparse.Namespace()


def run(*command, **more):
    """The standard output of a command; an error that shows everything it said."""
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, check=False, **more)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(words)}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def ask(program):
    """What the installed framework answers in a program of somebody else."""
    process = subprocess.Popen([str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               text=True)
    with process:
        with urllib.request.urlopen(f"http://{process.stdout.readline().strip()}/") as answer:
            body = answer.read().decode()
        process.stdin.close()
        if process.wait(timeout=30) != 0:
            raise AssertionError(f"{program}: {process.returncode}")
    return body


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="ssxrver-install-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.prefix = cls.folder / "prefix"
        run(OPTIONS.cmake, "--install", OPTIONS.build, "--prefix", cls.prefix)
        cls.include = next(cls.prefix.glob("include/ssxrver-*"))

    def build_by_cmake(self, name, prefix):
        """Configures, builds and runs the project with one prefix path; returns what it says."""
        source, build = self.folder / f"{name}-source", self.folder / name
        shutil.copytree(HERE / "install_test", source)
        run(OPTIONS.cmake, "-S", source, "-B", build, "-G", OPTIONS.generator,
            f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_CXX_COMPILER={OPTIONS.compiler}",
            f"-DCMAKE_CXX_FLAGS={OPTIONS.flags}")
        run(OPTIONS.cmake, "--build", build)
        return ask(build / "elsewhere")

    def test_find_package_in_the_installation(self):
        self.assertEqual(self.build_by_cmake("installed", self.prefix), SAYS)

    def test_find_package_in_the_build_tree(self):
        self.assertEqual(self.build_by_cmake("tree", OPTIONS.tree), SAYS)

    def test_a_layer_that_does_not_exist_is_named(self):
        source = self.folder / "unknown"
        source.mkdir()
        (source / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\nproject(unknown LANGUAGES CXX)\n"
            "find_package(ssxrver REQUIRED COMPONENTS base cellar)\n", encoding="utf-8")
        with self.assertRaisesRegex(AssertionError, "ssxrver has no layer cellar"):
            run(OPTIONS.cmake, "-S", source, "-B", source / "build", "-G", OPTIONS.generator,
                f"-DCMAKE_PREFIX_PATH={self.prefix}",
                f"-DCMAKE_CXX_COMPILER={OPTIONS.compiler}")

    def pkg_config(self, what):
        folder = next(self.prefix.glob("lib*/**/pkgconfig"))
        return run("pkg-config", what, "ssxrver",
                   env={**os.environ, "PKG_CONFIG_PATH": str(folder)}).split()

    def test_pkg_config_links_every_layer(self):
        program = self.folder / "by-pkg-config"
        run(OPTIONS.compiler, "-std=c++20", *OPTIONS.flags.split(), *self.pkg_config("--cflags"),
            HERE / "install_test/main.cc", "-o", program, *self.pkg_config("--libs"))
        self.assertEqual(ask(program), SAYS)
        # Every object of every library, so that no symbol of any layer may be missing.
        words = self.pkg_config("--libs")
        whole = ["-Wl,--whole-archive", *[word for word in words if "-lssxrver_" in word],
                 "-Wl,--no-whole-archive"]
        paths = [word for word in words if word.startswith("-L")]
        run(OPTIONS.compiler, "-std=c++20", *OPTIONS.flags.split(), *self.pkg_config("--cflags"),
            HERE / "install_test/main.cc", "-o", program, *paths, *whole, *words)
        self.assertEqual(ask(program), SAYS)

    def test_public_headers_need_only_public_headers(self):
        headers = sorted(path.relative_to(self.include) for path in self.include.rglob("*.h"))
        self.assertGreater(len(headers), 10)
        source = self.folder / "all.cc"
        source.write_text("".join(f'#include "{header}"\n' for header in headers),
                          encoding="utf-8")
        run(OPTIONS.compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror",
            *self.pkg_config("--cflags"), source)

    def test_the_site_and_the_documents_are_there(self):
        for path in ("ssxrver/html/index.html", "doc/ssxrver/LICENSE",
                     "doc/ssxrver/guide/getting_started.md", "ssxrver/ssxrver.service"):
            self.assertTrue((self.prefix / "share" / path).is_file(), path)

    def test_the_daemon_serves_its_own_site_from_anywhere(self):
        conf = self.prefix / "etc/ssxrver/ssxrver.json"
        with Daemon(self.prefix / "bin/ssxrver", "/", "-f", conf) as daemon:
            for path in ("/", "/docs/guide/getting_started.md"):
                with urllib.request.urlopen(daemon.url + path) as answer:
                    self.assertEqual(answer.status, 200, path)
            self.assertEqual(daemon.stop(), 0)
        minimal = self.prefix / "etc/ssxrver/ssxrver.minimal.json"
        run(self.prefix / "bin/ssxrver", "-t", "-f", minimal, cwd="/")

    def test_a_second_installation_keeps_an_edited_configuration(self):
        conf = self.prefix / "etc/ssxrver/ssxrver.minimal.json"
        before = conf.read_text(encoding="utf-8")
        conf.write_text(before + "// mine\n", encoding="utf-8")
        run(OPTIONS.cmake, "--install", OPTIONS.build, "--prefix", self.prefix)
        self.assertTrue(conf.read_text(encoding="utf-8").endswith("// mine\n"))
        conf.write_text(before, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser()
    for name in ("cmake", "generator", "build", "tree", "compiler", "flags"):
        parser.add_argument(f"--{name}", default="")
    parser.parse_known_args(namespace=OPTIONS)
    unittest.main(argv=sys.argv[:1], verbosity=2)


if __name__ == "__main__":
    main()
