#!/usr/bin/env python3
"""Tests of which version of a server is told."""

from __future__ import annotations

import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from httpbench import versions
from httpbench.model import BEAST, DROGON, FLOOR, NGINX, THREAD, UWEBSOCKETS


class Versions(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.programs = Path(folder.name)
        (self.programs / "cmake").mkdir()

    def of(self, name: str) -> str:
        return versions.of([name], self.programs).get(name, "")

    def cached(self, variable: str, folder: Path) -> None:
        (self.programs / "cmake" / "CMakeCache.txt").write_text(f"{variable}:PATH={folder}\n")

    def test_what_a_program_says(self) -> None:
        with mock.patch.object(versions, "output", return_value="nginx version: nginx/1.2.3"):
            self.assertEqual(self.of(NGINX), "1.2.3")

    def test_a_program_that_is_not_there(self) -> None:
        commands = {NGINX: (["/nowhere/nginx"], r"nginx/(\S+)")}
        with mock.patch.object(versions, "_COMMANDS", commands):
            self.assertEqual(self.of(NGINX), "not installed")

    def test_the_floor_and_ours_have_none_but_the_commit(self) -> None:
        self.assertEqual(versions.of([FLOOR, THREAD], self.programs), {})

    def test_what_a_header_says(self) -> None:
        header = self.programs / "version.hpp"
        header.write_text('#define BOOST_LIB_VERSION "1_74"\n')
        with mock.patch.dict(versions._HEADERS, {BEAST: (str(header), r'VERSION "(\S+)"')}):
            self.assertEqual(self.of(BEAST), "1.74")
        with mock.patch.dict(versions._HEADERS, {BEAST: ("/nowhere/version.hpp", "x")}):
            self.assertEqual(self.of(BEAST), "not installed")

    def test_what_a_server_in_go_was_built_of(self) -> None:
        self.assertEqual(self.of("gws"), "unknown")  # it was not
        said = "ws_gws: go1.24\n\tmod\tx\t(devel)\n\tdep\tgithub.com/lxzan/gws\tv1.2.3\th1:x\n"
        with mock.patch.object(versions, "output", return_value=said):
            self.assertEqual(self.of("gws"), "1.2.3")

    def test_nothing_is_known_of_whom_the_user_has_brought(self) -> None:
        self.assertEqual(versions.of([NGINX], self.programs, [NGINX]), {})

    def test_the_commit_of_a_clone(self) -> None:
        clone = self.programs / "clone"
        git = ["git", "-C", str(clone), "-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run(["git", "init", "-q", str(clone)], check=True)
        subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "x"], check=True)
        subprocess.run([*git, "tag", "v7"], check=True)
        self.cached("SSX_UWEBSOCKETS_INCLUDE", clone)
        self.assertEqual(self.of(UWEBSOCKETS), "v7")

    def test_the_version_of_a_package(self) -> None:
        package = self.programs / "cmake" / "Drogon"
        package.mkdir()
        (package / "DrogonConfigVersion.cmake").write_text('set(PACKAGE_VERSION "1.9.1")\n')
        self.cached("Drogon_DIR", package)
        self.assertEqual(self.of(DROGON), "1.9.1")

    def test_sources_that_nobody_brought(self) -> None:
        self.assertEqual(self.of(UWEBSOCKETS), "unknown")
        self.cached("Drogon_DIR", Path("Drogon_DIR-NOTFOUND"))
        self.assertEqual(self.of(UWEBSOCKETS), "not installed")
        self.assertEqual(self.of(DROGON), "not installed")


if __name__ == "__main__":
    unittest.main()
