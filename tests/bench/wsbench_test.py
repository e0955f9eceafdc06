#!/usr/bin/env python3
"""Tests of the WebSocket table's own parts: what it computes, reads and prints."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path
from unittest import mock

import footprint
import ws_table
from httpbench import generator, plot, tracing
from httpbench.model import FLOOR, REUSEPORT, UWEBSOCKETS, Sample, Table
from thesis import bars
from wsbench import load, report, rows, runner, servers
from wsbench.rows import QUICKWS

RESULT = {
    "connections": 100, "seconds": 2.0, "answered": 1000, "standing": 100, "bytes_out": 3 << 20,
    "failed_closed": 1, "failed_status": 2, "latency_p50_us": 10.0, "latency_p99_us": 20.0,
    "server_cpu_seconds": 0.003, "server_resident_before": 1000, "server_resident_after": 41_000,
    "server_resident_peak": 50_000,
}  # fmt: skip

# Stands for ssxrver-bench.
GENERATOR = f"#!/bin/sh\ncat <<'END'\n{json.dumps(RESULT)}\nEND\n"

# Answers right, which is all that the one above wants.
A_SERVER = f"{sys.executable} {Path(__file__).with_name('fake_websocket.py')} {{port}}"
OF_PAGES = f"{sys.executable} -m http.server --bind 127.0.0.1 {{port}}"


def a_row(key: str) -> rows.Row:
    return rows.select([key])[0]


def a_table(key: str, figures: dict[str, Sample]) -> Table:
    table = Table({"machine": "test"})
    for name, sample in figures.items():
        table.cell(key, name).runs = [[sample] * 3, [sample] * 3]
    return table


class Rows(unittest.TestCase):
    def test_every_row_has_a_target_and_a_name_of_its_own(self) -> None:
        every = rows.all_rows()
        self.assertEqual(len(every), len({row.key for row in every}))
        self.assertTrue(all(row.targets for row in every))

    def test_an_unknown_row_is_told(self) -> None:
        with self.assertRaisesRegex(ValueError, "no row nonsense"):
            rows.select(["nonsense"])


class Verdicts(unittest.TestCase):
    def check(self, key: str, figures: dict[str, Sample], wanted: str) -> None:
        table = a_table(key, figures)
        self.assertIn(wanted, report.verdicts(table, a_row(key), REUSEPORT, 0))

    def test_a_ratio_at_its_limit_is_met_and_above_it_is_not(self) -> None:
        floor = Sample(1.0)
        self.check("echo1k", {FLOOR: floor, REUSEPORT: Sample(1.06)}, "<= 1.06 x floor: met")
        self.check("echo1k", {FLOOR: floor, REUSEPORT: Sample(1.07)}, "<= 1.06 x floor: NOT met")

    def test_a_rate_is_to_be_at_least_so_high(self) -> None:
        peer = Sample(1.0, rate=100.0)
        for rate, wanted in ((300.0, ": met (3.00)"), (299.0, ": NOT met (2.99)")):
            own = Sample(1.0, rate=rate)
            self.check("whole", {UWEBSOCKETS: peer, REUSEPORT: own}, wanted)

    def test_the_best_of_the_others_is_a_reference(self) -> None:
        figures = {UWEBSOCKETS: Sample(2.0), "mine": Sample(1.5)}
        for own, word in ((1.5, "met (1.00)"), (1.6, "NOT met (1.07)")):
            self.check("echo1k", {**figures, REUSEPORT: Sample(own)}, f"<= 1 x best peer: {word}")

    def test_memory_is_compared_too(self) -> None:
        peer = Sample(1.0, rate=1.0, resident=90e6)
        own = Sample(1.0, rate=2.0, resident=31e6)
        wanted = "resident <= 0.333333 x quickws: NOT met"
        self.check("many", {QUICKWS: peer, REUSEPORT: own}, wanted)

    def test_latency_of_the_first_row(self) -> None:
        floor = Sample(1.0, p50_us=100.0, p99_us=200.0)
        own = Sample(1.0, p50_us=110.0, p99_us=230.0)
        self.check("echo64", {FLOOR: floor, REUSEPORT: own}, "p50 <= 1.1 x floor: met")
        self.check("echo64", {FLOOR: floor, REUSEPORT: own}, "p99 <= 1.1 x floor: NOT met")

    def test_others_have_no_targets(self) -> None:
        table = a_table("echo1k", {FLOOR: Sample(1.0), UWEBSOCKETS: Sample(9.0)})
        self.assertEqual(report.unmet(table, [a_row("echo1k")]), [])

    def test_what_is_missed_is_listed(self) -> None:
        table = a_table("echo1k", {FLOOR: Sample(1.0), REUSEPORT: Sample(2.0)})
        self.assertEqual(len(report.unmet(table, [a_row("echo1k")])), 1)


class NotMeasured(unittest.TestCase):
    """A target that cannot be judged does not vanish."""

    def setUp(self) -> None:
        self.rows = [self.with_one_target("echo1k")]

    @staticmethod
    def with_one_target(key: str) -> rows.Row:
        row = a_row(key)
        return dataclasses.replace(row, targets=row.targets[:1])

    def check(self, table: Table, count: int, ending: str) -> None:
        verdict = report.verdicts(table, self.rows[0], REUSEPORT, 0)
        self.assertEqual(verdict, "<= 1.06 x floor: not measured")
        for _ in range(2):  # printing asks for nothing
            self.assertEqual(len(report.unmet(table, self.rows)), count)
            self.assertTrue(report.summary(table, self.rows).startswith(ending))
            report.as_text(table, self.rows)

    def test_a_server_of_ours_that_failed_has_missed_its_target(self) -> None:
        table = a_table("echo1k", {FLOOR: Sample(1.0)})
        table.cell("echo1k", REUSEPORT).note = "ended with 1"
        self.check(table, 1, "Not met:")

    def test_so_it_has_without_its_reference(self) -> None:
        table = a_table("echo1k", {REUSEPORT: Sample(1.0)})
        table.cell("echo1k", FLOOR).note = "no program"
        self.check(table, 1, "Not met:")

    def test_but_not_when_nobody_asked_for_the_reference(self) -> None:
        self.check(a_table("echo1k", {REUSEPORT: Sample(1.0)}), 0, "No target was measured.")

    def test_an_absolute_target_needs_no_reference(self) -> None:
        table = Table({})
        table.cell("idle", REUSEPORT).note = "ended with 1"
        self.assertEqual(len(report.unmet(table, [a_row("idle")])), 1)

    def test_rows_and_servers_that_nobody_asked_for_say_nothing(self) -> None:
        table = a_table("echo1k", {FLOOR: Sample(1.0), REUSEPORT: Sample(1.0)})
        rest = [self.with_one_target(key) for key in ("echo1k", "echo64k", "idle")]
        self.assertEqual(report.unmet(table, rest), [])
        self.assertEqual(report.summary(table, rest), "No target was missed.")

    def test_it_is_said_when_only_a_part_was_measured(self) -> None:
        table = a_table("file", {REUSEPORT: Sample(1.0, resident=1.0)})
        self.assertEqual(
            report.summary(table, [a_row("file")]),
            "No target was missed; some were not measured.",
        )


class Printing(unittest.TestCase):
    def setUp(self) -> None:
        own = Sample(1.05, 1e6, 2, 300.0, 600.0, 4e6)
        self.table = a_table("echo64", {FLOOR: Sample(1.0, 1e6), REUSEPORT: own})
        self.table.cell("echo64", UWEBSOCKETS).note = "no program"
        self.rows = [a_row("echo64")]

    def test_text_has_a_line_per_server_with_notes_and_errors(self) -> None:
        text = report.as_text(self.table, self.rows)
        self.assertIn("1.050 [1.05..1.05]", text)
        self.assertIn("no program", text)
        self.assertIn("6 errors", text)

    def test_there_is_a_ratio_to_the_best_of_the_others_in_both_runs(self) -> None:
        self.table.cell("echo64", QUICKWS).runs = [[Sample(2.1)] * 3, [Sample(4.2)] * 3]
        self.table.cell("echo64", "beast").runs = [[Sample(9.0)] * 3]
        line = {row[1]: row for row in report.lines(self.table, self.rows)}
        self.assertEqual(line[QUICKWS][8], "best peer")
        self.assertEqual(line[REUSEPORT][8], "0.500 [0.50..0.50]")
        self.assertEqual(line[REUSEPORT][10], "1.05; 1.050 [1.05..1.05]; 0.250 [0.25..0.25]")

    def test_markdown_has_as_many_columns_in_every_line(self) -> None:
        table = report.as_markdown(self.table, self.rows).split("\n\n")[0].splitlines()
        self.assertEqual({line.count("|") for line in table}, {len(report.HEADINGS) + 1})

    def test_the_plot_is_svg_and_says_what_it_shows(self) -> None:
        drawn = plot.as_svg(self.table, self.rows, "Server CPU per message")
        self.assertIn("Server CPU per message", "".join(xml.fromstring(drawn).itertext()))

    def test_a_saved_table_prints_the_same(self) -> None:
        saved = json.loads(json.dumps(self.table.to_json()))
        again = report.as_text(Table.from_json(saved), self.rows)
        self.assertEqual(again, report.as_text(self.table, self.rows))

    def test_the_program_prints_a_saved_table(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            saved = Path(folder) / "saved.json"
            saved.write_text(json.dumps(self.table.to_json()))
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                ws_table.main(["--replay", str(saved), "--rows", "echo64"])
        self.assertIn("echo 64 B, 100 connections", printed.getvalue())


class Servers(unittest.TestCase):
    def test_the_port_is_filled_in(self) -> None:
        server = servers.Server("mine", "./mine --port {port} -v")
        self.assertEqual(server.command(81), ["./mine", "--port", "81", "-v"])

    def test_the_floor_counts_at_another_path_and_cannot_do_the_rest(self) -> None:
        floor = servers.known(Path("there"))[0]
        self.assertEqual(floor.path("/sink"), "/bulk")
        self.assertEqual(floor.path("/whole"), "")

    def test_a_program_that_is_not_there_is_missing(self) -> None:
        self.assertIn("no program", servers.Server("x", "/nowhere/x {port}").missing())


class Running(unittest.TestCase):
    """Trouble with one server is a note, and the plan goes on."""

    def run_plan(self, script: str, listed: list[servers.Server], runs: int = 1) -> Table:
        table = Table({})
        core = min(os.sched_getaffinity(0))
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "generator"
            program.write_text(script)
            program.chmod(0o755)
            bench = generator.Generator(program, 0.1, core)
            plan = runner.Plan([a_row("echo1k")], listed, bench, 2, runs, core)
            runner.Runner(plan, Path(folder), table, lambda text: None, lambda kept: None).run_all()
        return table

    def test_a_generator_that_does_not_end(self) -> None:
        with mock.patch.object(generator, "GRACE", 1.0):
            script = "#!/bin/sh\nexec sleep 60\n"
            table = self.run_plan(script, [servers.Server(REUSEPORT, A_SERVER)])
        cell = table.cell("echo1k", REUSEPORT)
        self.assertEqual(cell.note, "generator did not end in time")
        self.assertEqual(cell.samples(0), [])

    def test_a_server_that_does_not_end(self) -> None:
        def stop(process: subprocess.Popen[bytes]) -> None:
            process.kill()
            process.wait()
            raise subprocess.TimeoutExpired(["server"], 5)

        with mock.patch.object(servers.proc, "stop", stop):
            two = [servers.Server(name, A_SERVER) for name in (REUSEPORT, QUICKWS)]
            table = self.run_plan(GENERATOR, two)
        for name in (REUSEPORT, QUICKWS):
            cell = table.cell("echo1k", name)
            self.assertEqual(len(cell.samples(0)), 2)
            self.assertIn("timed out after 5 seconds", cell.note)

    def test_a_server_that_answers_wrong_is_not_timed(self) -> None:
        listed = [servers.Server(QUICKWS, OF_PAGES), servers.Server(REUSEPORT, A_SERVER)]
        table = self.run_plan(GENERATOR, listed)
        note = table.cell("echo1k", QUICKWS).note
        self.assertTrue(note.startswith("wrong answer: no WebSocket: 'HTTP/1.0 404 "), note)
        self.assertEqual(table.cell("echo1k", QUICKWS).samples(0), [])
        self.assertEqual(len(table.cell("echo1k", REUSEPORT).samples(0)), 2)

    def test_a_server_is_asked_where_it_serves_what_the_row_wants(self) -> None:
        elsewhere = servers.Server(REUSEPORT, A_SERVER, {"/echo": "/sink"})
        table = self.run_plan(GENERATOR, [elsewhere])
        self.assertEqual(table.cell("echo1k", REUSEPORT).note, "wrong answer: opcode 1, not 2")

    def test_a_program_that_is_not_there(self) -> None:
        two = [servers.Server(name, "/nowhere/x {port}") for name in (FLOOR, REUSEPORT)]
        table = self.run_plan(GENERATOR, two, 2)
        self.assertIn("no program", table.cell("echo1k", REUSEPORT).note)
        self.assertEqual(len(report.unmet(table, [a_row("echo1k")])), 1)


class Generator(unittest.TestCase):
    def measure(self, script: str, key: str = "echo1k") -> Sample:
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "generator"
            program.write_text(script)
            program.chmod(0o755)
            bench = generator.Generator(program, 0.1, min(os.sched_getaffinity(0)))
            return load.measure(bench, a_row(key), 1, os.getpid(), "/")

    def test_what_it_says_becomes_a_sample(self) -> None:
        sample = self.measure(GENERATOR)
        self.assertEqual((sample.value, sample.rate, sample.errors), (3.0, 500.0, 3))
        self.assertEqual((sample.p50_us, sample.p99_us), (10.0, 20.0))
        self.assertEqual(sample.resident, 50_000)

    def test_a_file_is_counted_in_megabytes(self) -> None:
        sample = self.measure(GENERATOR, "file")
        self.assertEqual((sample.value, sample.rate), (1000.0, 1.5))

    def test_memory_is_counted_by_connection(self) -> None:
        self.assertEqual(self.measure(GENERATOR, "idle").value, 400.0)

    def test_no_option_is_said_twice(self) -> None:
        script = """#!/bin/sh
case "$*" in *"-c "*"-c "*) echo "-c: said twice" >&2; exit 64;; esac
""" + GENERATOR.split("\n", 1)[1]
        with mock.patch.object(tracing, "calls_each", lambda *given: given[-1](1)):
            for row in rows.all_rows():
                self.assertGreater(self.measure(script, row.key).value, 0, row.key)

    def test_connections_that_have_gone_are_told(self) -> None:
        script = GENERATOR.replace('"standing": 100', '"standing": 99')
        with self.assertRaisesRegex(generator.GeneratorError, "only 99 connections"):
            self.measure(script, "idle")

    def test_what_it_complains_of_is_told(self) -> None:
        script = "#!/bin/sh\necho 'refused: 404' >&2\nexit 1\n"
        with self.assertRaisesRegex(generator.GeneratorError, "refused: 404"):
            self.measure(script)

    def test_no_message_is_an_error(self) -> None:
        wanted = "not one message was answered, 3 failed"
        with self.assertRaisesRegex(generator.GeneratorError, wanted):
            self.measure(GENERATOR.replace("1000,", "0,", 1))


class Footprint(unittest.TestCase):
    def test_the_limit_itself_is_met(self) -> None:
        self.assertIn("122,880: met", footprint.describe(footprint.LIMIT))
        self.assertIn("122,880: NOT met", footprint.describe(footprint.LIMIT + 1))

    def test_it_weighs_a_program(self) -> None:
        with tempfile.NamedTemporaryFile() as program:
            program.write(b"x" * 1000)
            program.flush()
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                self.assertEqual(footprint.main(["--program", program.name]), 0)
        self.assertIn("1,000 bytes", printed.getvalue())


class Thesis(unittest.TestCase):
    def test_the_bars_are_svg_with_every_figure(self) -> None:
        drawn = bars.as_svg("a < b", "us", [bars.Bar("one", 1.5, "a"), bars.Bar("two", 3, "b")])
        text = "".join(xml.fromstring(drawn).itertext())
        self.assertIn("a < b", text)
        self.assertIn("3.0 us", text)

    def test_it_explains_itself(self) -> None:
        program = Path(__file__).with_name("thesis") / "experiments.py"
        done = subprocess.run(
            [sys.executable, str(program), "--help"], capture_output=True, text=True, check=True
        )
        self.assertIn("300 new connections/s", done.stdout)


if __name__ == "__main__":
    unittest.main()
