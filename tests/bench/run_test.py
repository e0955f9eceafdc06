#!/usr/bin/env python3
"""Tests of run.sh: which programs it calls, and where it has them write. Nothing is measured."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

from httpbench import choosing, environment

_HERE = Path(__file__).resolve().parent
_PAGES = _HERE / ".." / ".." / "docs" / "benchmarks"
_TABLES = {
    "http_table.py": "http",
    "ws_table.py": "websocket",
    "curves.py": "curves",
    "compare.py": "parts",
    "border_table.py": "plugins",
    "ask.py": "questions",
    "load_table.py": "load",
}


_FAKE = f"""case $1 in */resumable.py) exec {sys.executable} "$@" ;; esac
echo "called $*"
[ "${{1##*/}}" != "${{FAIL:-}}" ]"""


class Run(unittest.TestCase):
    """With a python3 that only says what it was called with, and fails for the scripts in FAIL."""

    facts: dict[str, str]

    @classmethod
    def setUpClass(cls) -> None:
        cls.facts = environment.facts("own", (0, 1), "3 rounds")

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.programs = Path(folder.name) / "programs"
        self.bin = Path(folder.name) / "bin"
        self._make(self.bin / "python3", _FAKE)
        log_bench = 'echo called log_bench; [ "${FAIL:-}" != log_bench ]'
        self._make(self.programs / "log_bench", log_bench)
        self.results = self.programs / "results"
        self.results.mkdir()
        self.said = ""

    def _make(self, file: Path, text: str) -> None:
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"#!/bin/sh\n{text}\n")
        file.chmod(0o755)

    def save(self, name: str, **other: str) -> Path:
        """A result of this machine and commit, but for what is said."""
        facts = self.facts | other
        content: dict[str, Any] | list[Any] = {"environment": facts, "cells": []}
        if name == "parts":  # which says less of the kernel
            content = {"facts": facts | {"machine": ".".join(facts["machine"].split(".")[:-1])}}
        if name == "questions":
            content = [{"key": "facts", "parts": [{"lines": [*facts.items()]}]}]
        file = self.results / f"{name}.json"
        file.write_text(json.dumps(content))
        return file

    def run_it(self, *options: str, status: int = 0, fail: str = "") -> dict[str, list[str]]:
        """The arguments of each script that was called, by its name."""
        environment = {**os.environ, "PATH": f"{self.bin}:{os.environ['PATH']}", "FAIL": fail}
        done = subprocess.run([_HERE / "run.sh", self.programs, *options], text=True, check=False,
                              capture_output=True, env=environment)  # fmt: skip
        self.assertEqual(done.returncode, status, done.stderr)
        self.said = done.stderr
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
        for name in _TABLES.values():
            if name != "plugins":
                self.save(name)
        calls = self.run_it("--resume")
        for script, name in (("http_table.py", "http"), ("ws_table.py", "websocket")):
            options = " ".join(calls[script])
            self.assertIn(f"--json {self.results}/{name}.json --resume", options)
            self.assertIn(f"--page {_PAGES}/{name}.md", options)
        for script in ("curves.py", "compare.py", "ask.py", "load_table.py"):
            self.assertIn(f"--replay {self.results}/{_TABLES[script]}.json",
                          " ".join(calls[script]))  # fmt: skip
        self.assertIn(f"--json {self.results}/plugins.json", " ".join(calls["border_table.py"]))

    def refused(self, *options: str) -> str:
        self.assertEqual(self.run_it("--resume", *options, status=2), {})
        self.assertIn("run.sh: nothing was measured or written", self.said)
        return self.said

    def test_what_is_of_another_commit_or_machine_is_not_mixed_in(self) -> None:
        for name in _TABLES.values():
            for fact in ("commit", "machine"):
                with self.subTest(name, fact=fact):
                    file = self.save(name, **{fact: "another.1"})
                    said = rf"{file}: {fact} was another\S*, now it is {self.facts[fact]}\n"
                    self.assertRegex(self.refused(), said)
                    file.unlink()

    def test_what_is_not_whole_is_not_resumed(self) -> None:
        for text in ("", "{}", "[]", "[1]", '{"facts": 1}', '{"environment": {"commit"'):
            file = self.results / "load.json"
            file.write_text(text)
            self.assertIn(f"{file}: not what a table has saved", self.refused())

    def test_servers_that_were_brought_along_are_brought_again(self) -> None:
        for name in ("http", "curves", "websocket"):
            with self.subTest(name):
                option = "--extra-ws" if name == "websocket" else "--extra"
                with_a = choosing.plan("3 rounds", [choosing.Extra("a", "x")])
                file = self.save(name, plan=with_a)
                self.assertIn(f"{file}: plan was {with_a}, now it is", self.refused())
                self.assertIn(f"{file}: plan was", self.refused(option, "b=x"))
                self.run_it("--resume", option, "a=y")
                self.save(name)
                self.assertIn(f"{file}: plan was", self.refused(option, "a=x"))
                file.unlink()

    def test_a_quick_run_leaves_what_a_whole_one_has_saved(self) -> None:
        whole = self.save("http")
        calls = self.run_it("--quick")
        self.assertTrue(whole.exists())
        for script, name in _TABLES.items():
            self.assertIn(f"--json {self.results}/quick/{name}.json", " ".join(calls[script]))

    def test_a_quick_run_leaves_the_documents_alone(self) -> None:
        calls = self.run_it("--quick")
        for script in _TABLES:
            self.assertNotIn(str(_PAGES), " ".join(calls[script]))
        self.assertIn("--quick", calls["http_table.py"])
        self.assertIn("# HTTP", (self.results / "quick" / "http.md").read_text())

    def test_the_figures_of_the_curves_stand_beside_their_pictures(self) -> None:
        calls = self.run_it()
        self.assertIn(f"--page {_PAGES}/http.md --svg {_PAGES}", " ".join(calls["curves.py"]))

    def test_a_whole_run_takes_servers_of_http_and_of_websockets(self) -> None:
        extra = ("--extra", "a=x", "--extra=b=y", "--extra-ws", "c=z", "--extra-ws=d=v")
        for options in (extra, ("--quick", *extra), (*extra, "--resume")):
            with self.subTest(options):
                calls = self.run_it(*options)
                self.assertIn("footprint.py", calls)
                for script in ("http_table.py", "curves.py"):
                    self.assertEqual(calls[script][-4:], ["--extra", "a=x", "--extra", "b=y"])
                self.assertEqual(calls["ws_table.py"][-4:], ["--extra", "c=z", "--extra", "d=v"])
                for script in ("compare.py", "border_table.py", "ask.py", "mysql_table.py"):
                    self.assertNotIn("--extra", calls[script])

    def test_a_command_is_one_word_for_the_table(self) -> None:
        python = 'for word; do echo "word $word"; done >>"$(dirname "$0")/words"; echo "called $1"'
        self._make(self.bin / "python3", python)
        self.run_it("--extra", "mine=./server -p {port} 'a b'")
        words = (self.bin / "words").read_text().splitlines()
        self.assertEqual(words.count("word mine=./server -p {port} 'a b'"), 2)

    def test_a_server_beside_other_options_is_for_the_table_of_http_alone(self) -> None:
        for options in (("--rows", "hello", "--extra", "a=x"), ("--extra", "a=x", "--rows", "b")):
            calls = self.run_it(*options)
            self.assertEqual({*calls}, {"http_table.py"})
            self.assertEqual(calls["http_table.py"][2:], [*options])

    def test_options_that_do_not_fit_are_refused_before_anything_is_measured(self) -> None:
        for options, said in (
            (("--extra",), "--extra wants NAME=COMMAND"),
            (("--extra", "mine"), "--extra wants NAME=COMMAND, not 'mine'"),
            (("--extra-ws=mine=",), "--extra-ws wants NAME=COMMAND, not 'mine='"),
            (("--extra", "--quick"), "--extra wants NAME=COMMAND, not '--quick'"),
            (("--extra-ws", "a=x", "--rows", "b"), "--rows is for the table of HTTP alone"),
            (("--quick", "--rows", "b"), "--rows is for the table of HTTP alone"),
            (("--quick", "--resume"), "--resume or --quick, not both"),
        ):
            with self.subTest(options):
                self.assertEqual(self.run_it(*options, status=2), {})
                self.assertIn(f"run.sh: {said}", self.said)

    def test_what_fails_is_told_by_the_status_and_the_rest_is_measured(self) -> None:
        for script in (*_TABLES, "log_bench", "mysql_table.py", "footprint.py"):
            self.assertIn("footprint.py", self.run_it(status=1, fail=script))

    def test_options_are_those_of_a_table_alone(self) -> None:
        calls = self.run_it("--rows", "hello", "--json", "x")
        self.assertEqual({*calls}, {"http_table.py"})
        self.assertEqual(calls["http_table.py"][2:], ["--rows", "hello", "--json", "x"])
        self.assertEqual({*self.run_it("--compare", "--only", "parser")}, {"compare.py"})


if __name__ == "__main__":
    unittest.main()
