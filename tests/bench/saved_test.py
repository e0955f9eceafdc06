#!/usr/bin/env python3
"""Tests of what is kept of a measurement that is interrupted."""

from __future__ import annotations

import contextlib
import io
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import http_table
import ws_table
from httpbench import runner as http_runner
from httpbench import saved
from httpbench.model import Row, Sample, Table
from httpbench.rows import select
from wsbench import runner as ws_runner

_FACTS = {"machine": "m", "plan": "2 runs", "commit": "abc", "date": "today"}


class Interrupted(Exception):
    """The power is gone."""


class Saved(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "table.json"

    def a_table(self) -> Table:
        table = Table(dict(_FACTS))
        table.cell("hello", "floor").runs.append([Sample(1.0)])
        return table

    def test_nothing_is_resumed_unasked(self) -> None:
        saved.keep(self.file, self.a_table())
        self.assertEqual(saved.begin(self.file, _FACTS, resume=False).cells, [])

    def test_without_a_file_there_is_nothing_to_resume_or_keep(self) -> None:
        saved.keep(None, self.a_table())
        for file in (None, self.file):
            self.assertEqual(saved.begin(file, _FACTS, resume=True), Table(_FACTS))

    def test_what_was_kept_is_there_again(self) -> None:
        saved.keep(self.file, self.a_table())
        later = {**_FACTS, "date": "tomorrow"}
        self.assertEqual(saved.begin(self.file, later, resume=True), self.a_table())
        self.assertEqual([*self.file.parent.iterdir()], [self.file])

    def test_rows_of_another_machine_plan_or_commit_are_not_mixed_in(self) -> None:
        saved.keep(self.file, self.a_table())
        for fact in ("machine", "plan", "commit"):
            with self.assertRaisesRegex(SystemExit, f"{fact} was {_FACTS[fact]}, now it is other"):
                saved.begin(self.file, {**_FACTS, fact: "other"}, resume=True)

    def test_the_programs_want_a_file_to_resume(self) -> None:
        for program in (http_table, ws_table):
            with contextlib.redirect_stderr(io.StringIO()) as told:
                with self.assertRaises(SystemExit):
                    program.main(["--resume"])
            self.assertIn("--resume needs the FILE of --json", told.getvalue())


class Rows(unittest.TestCase):
    """Two rows, two runs; the power goes in the third of the four."""

    def setUp(self) -> None:
        self.rows = select(["hello", "idle"])
        self.table = Table()
        self.begun: list[tuple[str, int]] = []
        self.kept: list[int] = []

    def run_row(self, row: Row, run: int) -> None:
        if len(self.begun) == 2 and not self.table.has("hello", 1):
            raise Interrupted
        self.begun.append((row.key, run))
        runs = self.table.cell(row.key, "floor").runs
        runs.extend([] for _ in range(run + 1 - len(runs)))

    def resumed(self, runner: http_runner.Runner | ws_runner.Runner) -> None:
        with mock.patch.object(runner, "_run_row", self.run_row):
            with self.assertRaises(Interrupted):
                runner.run_all()
            self.table.cell("hello", "floor").runs.append([])  # as if it had been measured
            runner.run_all()
        self.assertEqual(self.begun, [("hello", 0), ("idle", 0), ("idle", 1)])
        self.assertEqual(self.kept, [1, 2, 2])  # cells

    def keep(self, table: Table) -> None:
        self.kept.append(len(table.cells))

    def test_of_http_are_kept_one_by_one_and_not_measured_twice(self) -> None:
        plan = http_runner.Plan(self.rows, [], 1, 1, 2, 0, 1, Path("/no/ssxrver-bench"))
        with http_runner.make_site() as site:
            runner = http_runner.Runner(plan, site, self.table, lambda text: None, self.keep)
            with mock.patch("httpbench.load.missing", lambda kind, program: ""):
                self.resumed(runner)

    def test_of_websockets_too(self) -> None:
        plan = mock.Mock(rows=self.rows, runs=2)
        runner = ws_runner.Runner(plan, Path("x"), self.table, lambda text: None, self.keep)
        self.resumed(runner)


if __name__ == "__main__":
    unittest.main()
