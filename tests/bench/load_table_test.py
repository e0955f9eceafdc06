#!/usr/bin/env python3
"""Tests of what is said of load generators, and of how their cost is read."""

from __future__ import annotations

import contextlib
import io
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import load_table
from httpbench import load, parse, saved
from httpbench.generator import Generator
from httpbench.model import Row, Sample, Table
from loadbench import loads, report, runner
from loadbench.loads import OWN, WRK

_RESULT = {"answered": 6000, "per_second": 2000.0, "failed_reset": 1, "latency_p50_us": 10.0,
           "latency_p99_us": 20.0}  # fmt: skip
_ROW = loads.rows()[0]


def a_table(wrk: list[float], own: list[float], errors: int = 0) -> Table:
    """CPU us of a request, round by round; every load has 100,000 of them a second."""
    table = Table({"machine": "test"})
    for row in loads.rows():
        table.cell(row.key, WRK).runs = [[Sample(cost, 1e5) for cost in wrk]]
        table.cell(row.key, OWN).runs = [[Sample(cost, 1e5, errors) for cost in own]]
    return table


class Report(unittest.TestCase):
    def line(self, table: Table, name: str) -> list[str]:
        lines = report.as_markdown(table).splitlines()
        (found,) = (line for line in lines if line.startswith(f"| {_ROW.title} | {name} |"))
        return [column.strip() for column in found.strip("|").split("|")]

    def test_half_the_cost_is_twice_as_many_requests_of_a_core(self) -> None:
        table = a_table([4.0, 5.0, 6.0], [2.0, 2.5, 3.0])
        self.assertEqual(self.line(table, WRK)[2:], [
            "5.000 [4.500..5.500]", "200,000", "100,000", "50%", "0", "-", "-"])  # fmt: skip
        self.assertEqual(self.line(table, OWN)[2:], [
            "2.500 [2.250..2.750]", "400,000", "100,000", "25%", "0", "2.000 [2.000..2.000]",
            ">= 1: met"])  # fmt: skip

    def test_rounds_are_compared_with_those_beside_them(self) -> None:
        found = report.times_wrk(a_table([2.0, 20.0, 2.0], [1.0, 10.0, 2.0]), _ROW)
        assert found is not None
        self.assertEqual((found.low, found.median), (1.5, 2.0))

    def test_as_many_is_enough_and_less_is_not(self) -> None:
        self.assertEqual(report.unmet(a_table([4.0], [4.0])), [])
        missed = report.unmet(a_table([4.0], [4.01]))
        self.assertEqual(missed, ["keep-alive: >= 1: NOT met", "pipelined 16 deep: >= 1: NOT met"])

    def test_who_fails_requests_misses_it(self) -> None:
        self.assertIn("NOT met", report.unmet(a_table([4.0], [1.0], errors=1))[0])

    def test_what_is_not_measured_is_not_met(self) -> None:
        self.assertEqual(report.unmet(a_table([4.0], []))[0], "keep-alive: not measured")
        self.assertEqual(self.line(a_table([4.0], []), OWN)[2:], ["-"] * 7)

    def test_every_line_has_as_many_columns(self) -> None:
        table = report.as_markdown(a_table([4.0], [3.0])).split("\n\n")[0].splitlines()
        self.assertEqual({line.count("|") for line in table}, {len(report.HEADINGS) + 1})


class Running(unittest.TestCase):
    def setUp(self) -> None:
        self.bench = load.Bench(3, (0,), Path("/x/ssxrver-bench"))

    def test_both_take_turns_at_being_first(self) -> None:
        asked: list[tuple[str, int]] = []

        def generate(name: str, bench: load.Bench, port: int, pid: int,
                     row: Row) -> parse.LoadResult:  # fmt: skip
            asked.append((name, row.depth))
            return parse.LoadResult(1000, 1.0)

        table = Table()
        with self.fake_floor(), mock.patch.object(loads, "generate", generate):
            runner.run(runner.Plan(Path("/x"), 2, 3, 0, 1), Path("/y"), table, lambda text: None)
        self.assertEqual(asked, [(name, depth) for depth in (1, 16)
                                 for name in (WRK, OWN, OWN, WRK)])  # fmt: skip
        for row in loads.rows():
            self.assertEqual([len(table.samples(row.key, name, 0)) for name in loads.LOADS], [2, 2])

    def test_a_floor_that_answers_wrong_is_not_loaded(self) -> None:
        with self.fake_floor("status 404"), self.assertRaisesRegex(runner.RunError, "status 404"):
            runner.run(runner.Plan(Path("/x"), 1, 3, 0, 1), Path("/y"), Table(), lambda text: None)

    @contextlib.contextmanager
    def fake_floor(self, fault: str = "") -> Iterator[None]:
        """It is there, and answers so."""
        with mock.patch.object(runner.servers, "running", mock.MagicMock()), \
             mock.patch.object(runner.servers.Floor, "missing", lambda floor: ""), \
             mock.patch.object(runner.shutil, "which", lambda name: name), \
             mock.patch.object(runner.checks, "problem", lambda port, row, body: fault):
            yield  # fmt: skip

    def test_what_the_child_has_used_is_divided_by_its_requests(self) -> None:
        def generate(*_: object) -> parse.LoadResult:
            burn = "import time\nwhile time.process_time() < 0.2: pass"
            subprocess.run([sys.executable, "-c", burn], check=True)
            return parse.LoadResult(100_000, 1.0, errors=3)

        with mock.patch.object(loads, "generate", generate):
            sample = runner._sample(self.bench, mock.Mock(), _ROW, OWN)
        self.assertGreater(sample.value, 1.9)
        self.assertLess(sample.value, 4.0)
        self.assertEqual((sample.rate, sample.errors), (100_000, 3))

    def test_no_request_is_an_error(self) -> None:
        with mock.patch.object(loads, "generate", lambda *_: parse.LoadResult(0, 1.0)):
            with self.assertRaisesRegex(runner.RunError, "wrk, keep-alive: not one request"):
                runner._sample(self.bench, mock.Mock(), _ROW, WRK)


class Loads(unittest.TestCase):
    def test_our_own_asks_as_wrk_does(self) -> None:
        bench = load.Bench(3, (1,), Path("/x/ssxrver-bench"))
        with mock.patch.object(Generator, "run", return_value=_RESULT) as run:
            result = loads.generate(OWN, bench, 81, 4711, loads.rows()[1])
        kind, url, pid, options = run.call_args.args
        self.assertEqual((kind, url, pid), ("http", "http://127.0.0.1:81/", 4711))
        said = " ".join(options)
        for wanted in ("-c 100", "-p 16", "-d 3s", "--warm-up 0", "-H User-Agent: httpbench/1"):
            self.assertIn(wanted, said)
        self.assertEqual((result.requests, result.seconds, result.errors), (6000, 3.0, 1))


class Program(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def replayed(self, table: Table, *options: str) -> str:
        file = self.folder / "saved.json"
        saved.keep(file, table)
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            self.assertEqual(load_table.main(["--replay", str(file), *options]), 0)
        return printed.getvalue()

    def test_it_prints_what_it_has_saved_and_fills_the_page(self) -> None:
        page = self.folder / "page.md"
        page.write_text("# Load\n\n<!-- load_table.py figures -->\n<!-- /load_table.py -->\n")
        table = a_table([4.0], [2.0])
        printed = self.replayed(table, "--page", str(page))
        self.assertIn(report.as_markdown(table), page.read_text())
        self.assertTrue(printed.endswith("No target was missed.\n"))

    def test_what_is_missed_is_listed_and_no_failure(self) -> None:
        self.assertIn("Not met:\nkeep-alive: >= 1: NOT met\n", self.replayed(a_table([2.0], [4.0])))

    def test_what_cannot_be_measured_is_told(self) -> None:
        options = ["--programs", str(self.folder), "--no-namespace"]
        with contextlib.redirect_stderr(io.StringIO()) as told:
            self.assertEqual(load_table.main(options), 2)
        self.assertRegex(told.getvalue(), "^load_table: no epoll_http in ")


if __name__ == "__main__":
    unittest.main()
