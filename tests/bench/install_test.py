#!/usr/bin/env python3
"""Tests of peers/install.sh and peers/sources.sh, and of what build.sh does with them. The go, npm,
make and cmake of these tests only say what they were asked for, and leave what would come of it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

_HERE = Path(__file__).resolve().parent
_PEERS = _HERE / "peers"
_BUILD = _HERE.parents[1] / "build.sh"
_PIN = re.compile(r"(\S+) ([0-9a-f]{40})\b")  # repository and commit, in sources.sh
_FAKES = {
    "go": 'echo go "$PWD"; [ "${PWD##*/}" != "${FAIL:-}" ] || exit 1; : >"$3"; chmod +x "$3"',
    "npm": """echo npm "$@"; [ "${FAIL:-}" != npm ] || exit 1
for last; do :; done
bin=$5/node_modules/.bin; mkdir -p "$bin"
echo "echo ${last#bun@}" >"$bin/bun"; chmod +x "$bin/bun" """,
    "make": 'echo make "$@"; [ "${FAIL:-}" != make ] || exit 1; : >"$2/uSockets.a"',
    "cmake": """echo cmake "$@"; [ "${FAIL:-}" != cmake ] || exit 1
case $1 in
  -S) mkdir -p "$4" ;;
  --install) mkdir -p "$2/../../inst" ;;
esac""",
}


class Installed(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()
        self.programs = self.folder / "programs"
        self.sources = self.programs / "sources"
        self.bin = self.folder / "bin"
        self.bin.mkdir()
        for name, text in _FAKES.items():
            self.fake(name, text)

    def fake(self, name: str, text: str) -> None:
        (self.bin / name).write_text(f"#!/bin/sh\n{text}\n")
        (self.bin / name).chmod(0o755)

    def call(self, *command: object, **variables: str) -> subprocess.CompletedProcess[str]:
        mine = ("SSX_", "CMAKE_", "GIT_")
        environment = {k: v for k, v in os.environ.items() if not k.startswith(mine)}
        environment |= {
            "PATH": f"{self.bin}:{os.environ['PATH']}",
            "SSX_PEER_SOURCES": f"file://{self.folder}/remote",
            "GIT_CONFIG_GLOBAL": "/dev/null",
        }
        done = subprocess.run([*map(str, command)], text=True, check=False, capture_output=True,
                              env=environment | variables)  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        return done


class Install(Installed):
    """No git can reach the repositories here."""

    def install(self, fail: str = "") -> subprocess.CompletedProcess[str]:
        return self.call(_PEERS / "install.sh", self.programs, FAIL=fail)

    def built(self) -> set[str]:
        return {program.name.removeprefix("ws_") for program in self.programs.glob("ws_*")}

    def test_every_server_in_go_is_built_of_fixed_versions(self) -> None:
        self.install()
        there = {folder.name for folder in (_PEERS / "go").iterdir()}
        self.assertEqual(self.built(), there)
        for name in there:
            with self.subTest(name):
                folder = _PEERS / "go" / name
                self.assertIn("\nrequire ", (folder / "go.mod").read_text())
                self.assertNotEqual((folder / "go.sum").read_text(), "")

    def test_bun_is_of_a_fixed_version(self) -> None:
        self.assertRegex(self.install().stdout, r"(?m)^npm install .* bun@\d+\.\d+\.\d+$")

    def test_what_is_there_is_not_installed_again(self) -> None:
        self.install()
        self.assertEqual(self.install().stdout, "")

    def test_a_bun_of_another_version_is_replaced(self) -> None:
        self.install()
        bun = self.programs / "npm" / "node_modules" / ".bin" / "bun"
        wanted = bun.read_text()
        bun.write_text("echo 0.0.1\n")
        self.install()
        self.assertEqual(bun.read_text(), wanted)

    def test_what_cannot_be_built_is_left_out_and_told(self) -> None:
        done = self.install(fail="gws")
        self.assertIn("gws is left out", done.stderr)
        self.assertNotIn("gws", self.built())
        self.assertIn("quickws", self.built())

    def test_without_bun_the_rest_is_installed(self) -> None:
        done = self.install(fail="npm")
        self.assertIn("bun is left out", done.stderr)
        self.assertIn("gws", self.built())

    def test_repositories_that_git_cannot_reach_are_left_out_and_told(self) -> None:
        done = self.install()
        self.assertIn("uWebSockets is left out", done.stderr)
        self.assertIn("Drogon is left out", done.stderr)
        self.assertNotIn("make", done.stdout)


class Sources(Installed):
    """With repositories like those of sources.sh, in a folder, and a copy of it that wants their
    commits."""

    def setUp(self) -> None:
        super().setUp()
        text = (_PEERS / "sources.sh").read_text()
        self.pins = dict(_PIN.findall(text))
        for repository in self.pins:
            folder = self.folder / "remote" / repository
            (folder / "src").mkdir(parents=True)
            self.call("git", "init", "--quiet", folder)
            self.commit(repository, "old")
        self.script = self.folder / "sources.sh"
        shutil.copy(_PEERS / "sources.sh", self.script)
        self.pin()

    def commit(self, repository: str, text: str) -> None:
        folder = self.folder / "remote" / repository
        (folder / "src" / "text").write_text(text)
        git = ("git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@b")
        self.call(*git, "add", ".")
        self.call(*git, "commit", "--quiet", "--message", text)

    def pin(self) -> None:
        """What stands last in the repositories is wanted."""
        text = self.script.read_text()
        for repository in self.pins:
            folder = self.folder / "remote" / repository
            head = self.call("git", "-C", folder, "rev-parse", "HEAD").stdout.strip()
            text = re.sub(rf"{repository} \w{{40}}", f"{repository} {head}", text)
        self.script.write_text(text)

    def fetch(self, fail: str = "") -> subprocess.CompletedProcess[str]:
        return self.call(self.script, self.programs, FAIL=fail)

    def for_cmake(self, **variables: str) -> list[str]:
        return self.call(self.script, "--cmake", self.programs, **variables).stdout.splitlines()

    def test_they_are_fetched_at_a_commit_and_built(self) -> None:
        self.assertEqual(len(self.pins), 4)
        for repository in self.pins:
            self.commit(repository, "later, which nobody has asked for")
        said = self.fetch()
        self.assertNotIn("left out", said.stderr)
        for name in ("uWebSockets", "uSockets", "drogon", "drogon/trantor"):
            self.assertEqual((self.sources / name / "src" / "text").read_text(), "old")
        self.assertIn(f"make -C {self.sources}/uSockets WITH_OPENSSL=0", said.stdout)
        self.assertIn(f"-DCMAKE_INSTALL_PREFIX={self.sources}/inst", said.stdout)

    def test_what_is_there_is_neither_fetched_nor_built_again(self) -> None:
        self.fetch()
        shutil.rmtree(self.folder / "remote")
        again = self.fetch()
        self.assertEqual((again.stdout, again.stderr), ("", ""))

    def test_what_could_not_be_built_is_tried_again(self) -> None:
        for tool, name in (("make", "uWebSockets"), ("cmake", "Drogon")):
            with self.subTest(name):
                self.assertIn(f"{name} is left out", self.fetch(fail=tool).stderr)
                again = self.fetch()
                self.assertEqual(again.stderr, "")
                self.assertRegex(again.stdout, rf"^{tool} ")
                shutil.rmtree(self.sources)

    def test_another_commit_is_built_anew(self) -> None:
        self.fetch()
        for repository in self.pins:
            self.commit(repository, "new")
        self.pin()
        said = self.fetch()
        self.assertIn("make ", said.stdout)
        self.assertIn("cmake --install", said.stdout)
        self.assertEqual((self.sources / "drogon" / "trantor" / "src" / "text").read_text(), "new")
        self.commit("an-tao/trantor", "newer")  # of which Drogon is built
        self.pin()
        said = self.fetch()
        self.assertIn("cmake --install", said.stdout)
        self.assertNotIn("make -C", said.stdout)

    def test_cmake_is_told_of_what_is_there(self) -> None:
        self.assertEqual(self.for_cmake(), [])
        self.fetch()
        self.assertEqual(
            self.for_cmake(),
            [
                f"-DSSX_UWEBSOCKETS_INCLUDE={self.sources}/uWebSockets/src",
                f"-DSSX_USOCKETS_INCLUDE={self.sources}/uSockets/src",
                f"-DSSX_USOCKETS_LIBRARY={self.sources}/uSockets/uSockets.a",
                f"-DCMAKE_PREFIX_PATH={self.sources}/inst",
                "-UDrogon_DIR",
            ],
        )

    def test_what_the_user_says_comes_first(self) -> None:
        mine = {"SSX_USOCKETS_INCLUDE": "/mine/a b", "CMAKE_PREFIX_PATH": "/c:/d"}
        told = ["-DSSX_USOCKETS_INCLUDE=/mine/a b", "-DCMAKE_PREFIX_PATH=/c;/d", "-UDrogon_DIR"]
        self.assertEqual(self.for_cmake(**mine), told)
        self.fetch()
        told[1] += f";{self.sources}/inst"
        self.assertLess({*told}, {*self.for_cmake(**mine)})


class Build(Installed):
    """./build.sh bench, on a machine that has every package of Debian."""

    def test_the_servers_of_others_are_installed_and_handed_to_cmake(self) -> None:
        self.fake("dpkg-query", 'shift 2; for name; do echo "installed $name"; done')
        self.fake("python3", "echo python3")
        build = self.folder / "build"
        mine = {"BUILD_DIR": str(build), "SSX_USOCKETS_LIBRARY": "/mine.a"}
        done = self.call(_BUILD, "bench", "--install", "--compare", **mine)
        self.assertIn("go ", done.stdout)
        self.assertIn("Drogon is left out", done.stderr)
        configured = (build / "Bench" / "configure.log").read_text()
        self.assertRegex(configured, r"^cmake --preset bench .* -DSSX_USOCKETS_LIBRARY=/mine\.a\n")


if __name__ == "__main__":
    unittest.main()
