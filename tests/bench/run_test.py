#!/usr/bin/env python3
"""Tests of run.sh: which programs it calls, and where it has them write. Nothing is measured."""

from __future__ import annotations

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

_HERE = Path(__file__).resolve().parent
_PAGES = _HERE / ".." / ".." / "docs" / "benchmarks"
_TABLES = {
    "http_table.py": "http",
    "ws_table.py": "websocket",
    "curves.py": "curves",
    "compare.py": "parts",
    "border_table.py": "plugins",
    "ask.py": "questions",
}


class Run(unittest.TestCase):
    """With a python3 that only says what it was called with, and fails for the scripts in FAIL."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.programs = Path(folder.name) / "programs"
        self.bin = Path(folder.name) / "bin"
        self._make(self.bin / "python3", 'echo "called $*"; [ "${1##*/}" != "${FAIL:-}" ]')
        self._make(self.programs / "log_bench", "echo called log_bench")
        self.results = self.programs / "results"
        self.results.mkdir()

    def _make(self, file: Path, text: str) -> None:
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"#!/bin/sh\n{text}\n")
        file.chmod(0o755)

    def run_it(self, *options: str, status: int = 0, fail: str = "") -> dict[str, list[str]]:
        """The arguments of each script that was called, by its name."""
        environment = {**os.environ, "PATH": f"{self.bin}:{os.environ['PATH']}", "FAIL": fail}
        done = subprocess.run([_HERE / "run.sh", self.programs, *options], text=True, check=False,
                              capture_output=True, env=environment)  # fmt: skip
        self.assertEqual(done.returncode, status, done.stderr)
        calls = [line.split()[1:] for line in done.stdout.splitlines() if line.startswith("called")]
        return {Path(call[0]).name: call[1:] for call in calls}

    def test_everything_is_saved_and_written_into_the_documents(self) -> None:
        (self.results / "http.json").write_text("of another time")
        calls = self.run_it()
        self.assertEqual({*calls}, {*_TABLES, "log_bench", "mysql_table.py", "footprint.py"})
        for script, name in _TABLES.items():
            self.assertIn(f"--json {self.results}/{name}.json", " ".join(calls[script]))
        self.assertIn(f"--page {_PAGES}/http.md", " ".join(calls["http_table.py"]))
        self.assertFalse((self.results / "http.json").exists())

    def test_what_was_interrupted_goes_on_behind_what_is_saved(self) -> None:
        (self.results / "http.json").write_text("{}")
        calls = self.run_it("--resume")
        self.assertIn(f"--replay {self.results}/http.json", " ".join(calls["http_table.py"]))
        self.assertIn(f"--page {_PAGES}/http.md", " ".join(calls["http_table.py"]))
        self.assertIn(f"--json {self.results}/websocket.json", " ".join(calls["ws_table.py"]))

    def test_a_quick_run_leaves_the_documents_alone(self) -> None:
        calls = self.run_it("--quick")
        for script in _TABLES:
            self.assertNotIn(str(_PAGES), " ".join(calls[script]))
        self.assertIn("--quick", calls["http_table.py"])
        self.assertIn("# HTTP", (self.results / "http.md").read_text())

    def test_what_fails_is_told_by_the_status_and_the_rest_is_measured(self) -> None:
        for script in (*_TABLES, "mysql_table.py", "footprint.py"):
            self.assertIn("footprint.py", self.run_it(status=1, fail=script))

    def test_options_are_those_of_a_table_alone(self) -> None:
        calls = self.run_it("--rows", "hello", "--json", "x")
        self.assertEqual({*calls}, {"http_table.py"})
        self.assertEqual(calls["http_table.py"][2:], ["--rows", "hello", "--json", "x"])
        self.assertEqual({*self.run_it("--compare", "--only", "parser")}, {"compare.py"})
        self.run_it("--quick", "--rows", "hello", status=2)


if __name__ == "__main__":
    unittest.main()
