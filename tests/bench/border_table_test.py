#!/usr/bin/env python3
"""Tests of the parts of border_table.py: what they count, compare and print."""

from __future__ import annotations

import contextlib
import io
import json
import sys
import tempfile
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from unittest import mock

import border_table
from borderbench import report, runner, ways
from httpbench import instructions, parse
from httpbench.model import Sample, Table

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from serving import in_thread  # noqa: E402


def a_table(ratio: float = 1.02) -> Table:
    """Three rounds of an embedded handler that needs 4 us, and of plugins."""
    table = Table({"machine": "test"})
    for way in ways.WAYS:
        cpu = 4.0 if way is ways.EMBEDDED else 4.0 * ratio
        samples = [Sample(cpu * noise, 1000.0) for noise in (0.9, 1.0, 1.2)]
        table.cell("hello", way.key).runs = [samples]
        table.cell("hello_instructions", way.key).runs = [[Sample(500 * cpu)]]
    return table


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    asked = 0

    def do_GET(self) -> None:
        Handler.asked += 1
        self.send_response(200 if self.path == "/own/hello" else 404)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments: object) -> None:
        del arguments


class Instructions(unittest.TestCase):
    def test_reads_the_total_of_a_report(self) -> None:
        text = "summary: 7\nfn=(1) totals: 8\ntotals: 123456789\n"
        self.assertEqual(instructions.total(text), 123456789)

    def test_a_report_without_a_total_is_an_error(self) -> None:
        with self.assertRaises(instructions.CountError):
            instructions.total("events: Ir\n")

    def test_what_the_start_costs_is_not_in_the_figure(self) -> None:
        with mock.patch.object(instructions, "_count") as count:
            count.side_effect = lambda *given: 1_000_000 + 250 * given[4]
            each = instructions.per_request([], 1, "/", 1, 100, Path())
        self.assertEqual(each, 250)

    def test_asks_as_often_as_it_says_and_wants_good_answers(self) -> None:
        with in_thread(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as port:
            Handler.asked = 0
            instructions._ask(port, "/own/hello", 4, 12)
            self.assertEqual(Handler.asked, 12)
            with self.assertRaisesRegex(instructions.CountError, "status 404"):
                instructions._ask(port, "/sdk/hello", 1, 1)


class Runner(unittest.TestCase):
    def sample(self, printed: parse.LoadResult) -> Sample:
        row, way = ways.rows()[0], ways.EMBEDDED
        with mock.patch.object(runner.load, "generate", return_value=printed), mock.patch.object(
            runner.proc, "scheduled_seconds", side_effect=[1.0, 1.004]
        ):
            return runner._sample(runner.load.Bench(1, 0), 1, 1, row, way)

    def test_a_sample_is_the_cpu_time_of_one_request(self) -> None:
        sample = self.sample(parse.LoadResult(requests=1000, seconds=0.5))
        self.assertAlmostEqual(sample.value, 4.0)
        self.assertEqual(sample.rate, 2000)

    def test_a_round_with_errors_is_none(self) -> None:
        for printed in (parse.LoadResult(9, 1.0, errors=1), parse.LoadResult(0, 1.0)):
            with self.assertRaises(runner.RunError):
                self.sample(printed)


class Report(unittest.TestCase):
    def test_a_ratio_at_the_limit_is_met_and_one_above_it_is_not(self) -> None:
        self.assertEqual(report.unmet(a_table(1.0299)), [])
        missed = report.unmet(a_table(1.0301))
        self.assertEqual(len(missed), len(ways.PLUGINS))
        self.assertEqual(missed[0], "keep-alive, plugin in C: <= 1.03: NOT met")

    def test_the_embedded_handler_has_no_target(self) -> None:
        row = ways.rows()[0]
        self.assertEqual(report.verdict(a_table(2.0), row, ways.EMBEDDED), "")

    def test_shows_ratios_round_by_round_and_instructions(self) -> None:
        line = next(x for x in report.as_markdown(a_table(1.02)).splitlines() if "SDK" in x)
        self.assertIn("| 4.08 [3.88..4.49] | 1,000 | 1.020 [1.020..1.020] | <= 1.03: met |", line)
        self.assertIn("| 2,040 | +40 |", line)

    def test_what_was_not_measured_is_a_dash(self) -> None:
        line = report.as_markdown(Table()).splitlines()[2]
        self.assertEqual(line, "| keep-alive | embedded handler | - | - | - |  | - | - |")


class Program(unittest.TestCase):
    def replay(self, table: Table) -> tuple[int, str]:
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(
            io.StringIO()
        ) as printed:
            saved, markdown = Path(folder) / "a.json", Path(folder) / "a.md"
            saved.write_text(json.dumps(table.to_json()))
            status = border_table.main(["--replay", str(saved), "--markdown", str(markdown)])
            self.assertIn(markdown.read_text(), printed.getvalue())
        return status, printed.getvalue()

    def test_the_status_says_whether_the_target_is_met(self) -> None:
        status, printed = self.replay(a_table(1.02))
        self.assertEqual((status, "No target was missed." in printed), (0, True))
        status, printed = self.replay(a_table(1.05))
        self.assertEqual((status, "Not met:" in printed), (1, True))

    def test_names_what_is_not_built(self) -> None:
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(
            io.StringIO()
        ) as said:
            self.assertEqual(border_table.main(["--programs", folder]), 2)
        for name in ("border_app", "hello_plugin_c.so", "hello_plugin.so"):
            self.assertIn(f"{folder}/{name}", said.getvalue())

    def test_a_row_that_there_is_none_of_is_told(self) -> None:
        with mock.patch.object(ways, "missing", return_value=[]), contextlib.redirect_stderr(
            io.StringIO()
        ) as said:
            self.assertEqual(border_table.main(["--rows", "hello,helo"]), 2)
        self.assertIn("no row helo", said.getvalue())

    def test_a_count_that_cannot_be_is_refused(self) -> None:
        for wrong in (["--requests", "17"], ["--seconds", "0"], ["--rounds", "-1"]):
            with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()):
                border_table.main(wrong)


if __name__ == "__main__":
    unittest.main()
