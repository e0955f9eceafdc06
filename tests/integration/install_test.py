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
from pathlib import Path

HERE = Path(__file__).resolve().parent
SAYS = "elsewhere: timed out\n"
OPTIONS = argparse.Namespace()


def run(*command, **more):
    """The standard output of a command; an error that shows everything it said."""
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, check=False, **more)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(words)}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


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
        return run(build / "elsewhere")

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
        self.assertEqual(run(program), SAYS)
        # Every object of every library, so that no symbol of any layer may be missing.
        words = self.pkg_config("--libs")
        whole = ["-Wl,--whole-archive", *[word for word in words if "-lssxrver_" in word],
                 "-Wl,--no-whole-archive"]
        paths = [word for word in words if word.startswith("-L")]
        run(OPTIONS.compiler, "-std=c++20", *OPTIONS.flags.split(), *self.pkg_config("--cflags"),
            HERE / "install_test/main.cc", "-o", program, *paths, *whole, *words)
        self.assertEqual(run(program), SAYS)

    def test_public_headers_need_only_public_headers(self):
        headers = sorted(path.relative_to(self.include) for path in self.include.rglob("*.h"))
        self.assertGreater(len(headers), 10)
        source = self.folder / "all.cc"
        source.write_text("".join(f'#include "{header}"\n' for header in headers),
                          encoding="utf-8")
        run(OPTIONS.compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror",
            *self.pkg_config("--cflags"), source)

    def test_the_site_and_the_documents_are_there(self):
        for path in ("share/ssxrver/html/index.html", "share/doc/ssxrver/LICENSE"):
            self.assertTrue((self.prefix / path).is_file(), path)


def main():
    parser = argparse.ArgumentParser()
    for name in ("cmake", "generator", "build", "tree", "compiler", "flags"):
        parser.add_argument(f"--{name}", default="")
    parser.parse_known_args(namespace=OPTIONS)
    unittest.main(argv=sys.argv[:1], verbosity=2)


if __name__ == "__main__":
    main()
