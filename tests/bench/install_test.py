#!/usr/bin/env python3
"""Tests of peers/install.sh with a go and an npm that only say what they were asked for."""

from __future__ import annotations

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

_PEERS = Path(__file__).resolve().parent / "peers"
_GO = 'echo "$PWD" "$@"; [ "${PWD##*/}" != "${FAIL:-}" ] || exit 1; : >"$3"; chmod +x "$3"'


class Install(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.programs = Path(folder.name) / "programs"
        self.bin = Path(folder.name) / "bin"
        self.bin.mkdir()
        for name, text in (("go", _GO), ("npm", "echo npm")):
            (self.bin / name).write_text(f"#!/bin/sh\n{text}\n")
            (self.bin / name).chmod(0o755)

    def install(self, fail: str = "") -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PATH": f"{self.bin}:{os.environ['PATH']}", "FAIL": fail}
        done = subprocess.run([_PEERS / "install.sh", self.programs], text=True, check=False,
                              capture_output=True, env=environment)  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

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

    def test_what_is_there_is_not_built_again(self) -> None:
        self.install()
        self.assertNotIn("/go/", self.install().stdout)

    def test_what_cannot_be_built_is_left_out_and_told(self) -> None:
        done = self.install(fail="gws")
        self.assertIn("gws is left out", done.stderr)
        self.assertNotIn("gws", self.built())
        self.assertIn("quickws", self.built())


if __name__ == "__main__":
    unittest.main()
