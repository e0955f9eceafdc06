#!/usr/bin/env python3
"""Tests of micro/compare.py: what it reads, what it calls moved, and what it says."""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
import unittest
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from httpbench.stats import Spread
from micro import compare
from microbench import model, programs, report, verdict
from microbench.model import Figure, Run, RunError
from microbench.verdict import Machine, Verdict


def a_spread(median: float, half: float = 0.01) -> Spread:
    """With quartiles so far from the median, as a part of it."""
    return Spread(median * (1 - half), median, median * (1 + half), 9)


def a_run(times: Mapping[str, float], **facts: str) -> Run:
    return Run(facts, {"x_bench": {name: Figure(a_spread(time)) for name, time in times.items()}})


def entry(name: str, nanoseconds: float, **others: Any) -> dict[str, Any]:
    """As Google Benchmark writes one repetition; the wall clock says twice as much."""
    return {"name": name, "run_name": name, "run_type": "iteration", "time_unit": "ns",
            "cpu_time": nanoseconds, "real_time": 2 * nanoseconds, **others}  # fmt: skip


class Verdicts(unittest.TestCase):
    def judge(self, before: Spread, now: Spread, machine: Machine = Machine()) -> Verdict:
        return verdict.judge(before, now, machine, 0.1)

    def test_what_moves_by_more_than_tolerance_and_spread_has_moved(self) -> None:
        self.assertIs(self.judge(a_spread(100), a_spread(120)), Verdict.SLOWER)
        self.assertIs(self.judge(a_spread(120), a_spread(100)), Verdict.FASTER)

    def test_the_tolerance_is_a_part_of_the_shorter_time(self) -> None:
        self.assertIs(self.judge(a_spread(100), a_spread(110)), Verdict.SAME)
        self.assertIs(self.judge(a_spread(100), a_spread(110.1)), Verdict.SLOWER)
        self.assertIs(self.judge(a_spread(110), a_spread(100)), Verdict.SAME)
        self.assertIs(self.judge(a_spread(110.1), a_spread(100)), Verdict.FASTER)

    def test_what_stays_within_both_spreads_is_the_same(self) -> None:
        self.assertIs(self.judge(a_spread(100, 0.1), a_spread(135, 0.1)), Verdict.SAME)
        self.assertIs(self.judge(a_spread(100, 0.01), a_spread(135, 0.2)), Verdict.SAME)
        self.assertIs(self.judge(a_spread(100, 0.1), a_spread(160, 0.1)), Verdict.SLOWER)

    def test_a_part_of_a_cycle_is_nothing(self) -> None:
        self.assertIs(self.judge(a_spread(0.3), a_spread(0.6)), Verdict.SAME)
        self.assertIs(self.judge(a_spread(0.3), a_spread(0.8)), Verdict.SLOWER)

    def test_what_the_machine_explains_has_not_moved(self) -> None:
        slow = Machine(least=1.0, most=1.5)
        self.assertIs(self.judge(a_spread(100), a_spread(160), slow), Verdict.SAME)
        self.assertIs(self.judge(a_spread(100), a_spread(180), slow), Verdict.SLOWER)
        fast = Machine(least=0.5, most=0.5)
        self.assertIs(self.judge(a_spread(100), a_spread(50), fast), Verdict.SAME)
        self.assertIs(self.judge(a_spread(100), a_spread(100), fast), Verdict.SLOWER)
        self.assertIs(self.judge(a_spread(100), a_spread(40), fast), Verdict.FASTER)

    def test_the_ratio_is_what_the_machine_leaves(self) -> None:
        machine = Machine(least=0.8, most=1.25)
        for ratio, left in ((1.0, 1.0), (0.9, 1.0), (2.5, 2.0), (0.4, 0.5)):
            self.assertAlmostEqual(machine.without(ratio), left)

    def test_the_machine_is_all_kinds_of_work_that_both_runs_have(self) -> None:
        before = a_run({"Calibration/a": 100, "Calibration/b": 100, "Calibration/c": 1, "x": 1})
        now = a_run({"Calibration/a": 90, "Calibration/b": 120, "Calibration/d": 9, "x": 7})
        change = verdict.machine_change(before.programs["x_bench"], now.programs["x_bench"])
        self.assertEqual(change, Machine(0.9, 1.2))
        self.assertEqual(verdict.machine_change({}, {}), Machine())


class Comparisons(unittest.TestCase):
    def test_tells_what_is_new_and_what_is_gone(self) -> None:
        before, now = a_run({"kept": 1, "gone": 2}), a_run({"new": 3, "kept": 1})
        seen = [(line.name, line.verdict) for line in verdict.compare(before, now, 0.1)]
        self.assertEqual(
            seen, [("new", Verdict.NEW), ("kept", Verdict.SAME), ("gone", Verdict.GONE)]
        )
        self.assertEqual(len(verdict.compare(Run({}, {}), now, 0.1)), 2)

    def test_calibration_is_never_compared_itself(self) -> None:
        before, now = a_run({"Calibration/a": 1, "x": 5}), a_run({"Calibration/a": 2, "x": 10})
        (line,) = verdict.compare(before, now, 0.1)
        self.assertEqual((line.name, line.verdict, line.ratio), ("x", Verdict.SAME, 1.0))

    def test_only_slower_is_worse(self) -> None:
        before = a_run({"x": 10, "gone": 1})
        for time, worse in ((5, False), (10, False), (20, True)):
            lines = verdict.compare(before, a_run({"x": time, "new": 1}), 0.1)
            self.assertIs(verdict.is_worse(lines), worse)


class Reports(unittest.TestCase):
    def test_a_time_has_three_digits_and_a_unit(self) -> None:
        for nanoseconds, text in ((0.306, "0.31 ns"), (9.996, "10.0 ns"), (71.25, "71.2 ns"),
                                  (999.4, "999 ns"), (999.6, "1.00 us"), (1.5e6, "1.50 ms"),
                                  (2e9, "2.00 s"), (234e9, "234 s")):  # fmt: skip
            self.assertEqual(report.nice_time(nanoseconds), text)

    def test_the_text_has_both_machines_and_every_verdict(self) -> None:
        before = a_run({"x": 10, "gone": 1}, machine="old", commit="1")
        now = a_run({"x": 20, "new": 1}, machine="new", commit="1")
        text = report.as_text(before, now, verdict.compare(before, now, 0.1))
        self.assertIn("machine  old  ->  new\n", text)
        self.assertIn("commit   1\n", text)
        self.assertRegex(text, r"x +10\.0 ns \+-1 % +20\.0 ns \+-1 % +2\.00 +SLOWER")
        self.assertIn("1 SLOWER, 1 new, 1 gone; the machine takes 1.00 to 1.00", text)
        self.assertNotIn("company", text)

    def test_says_when_the_machine_is_another_one(self) -> None:
        before, now = a_run({"Calibration/a": 1, "x": 10}), a_run({"Calibration/a": 2, "x": 20})
        text = report.as_text(before, now, verdict.compare(before, now, 0.1))
        self.assertIn("the machine takes 2.00 to 2.00", text)
        self.assertIn("company", text)

    def test_markdown_has_a_table_for_each_program(self) -> None:
        bytes_each = Run({"machine": "m"}, {
            "a_bench": {"A/1": Figure(a_spread(10), 640), "A/2": Figure(a_spread(10))},
            "b_bench": {"B": Figure(a_spread(2000)), "Calibration/c": Figure(a_spread(5))},
        })  # fmt: skip
        lines = report.as_markdown(bytes_each).splitlines()
        self.assertIn("| what | time | quartiles | GB/s |", lines)
        self.assertIn("| A/1 | 10.0 ns | 9.90 ns .. 10.1 ns | 64 |", lines)
        self.assertIn("| A/2 | 10.0 ns | 9.90 ns .. 10.1 ns |  |", lines)
        self.assertIn("| B | 2.00 us | 1.98 us .. 2.02 us |", lines)
        self.assertIn("* machine: m", lines)
        self.assertIn("* Calibration/c: 5.00 ns to 5.00 ns, by program", lines)


class Files(unittest.TestCase):
    def test_a_run_comes_back_as_it_was_written(self) -> None:
        run = Run({"machine": "m"}, {"x_bench": {"X/1": Figure(Spread(1.5, 2.5, 3.5, 9), 64),
                                                 "X/2": Figure(a_spread(100))}})  # fmt: skip
        self.assertEqual(Run.from_json(run.to_json()), run)

    def test_a_file_that_is_no_run_is_refused(self) -> None:
        good = json.loads(a_run({"x": 10}).to_json())
        figure = good["programs"]["x_bench"]["x"]
        for wrong in ([], {}, {**good, "format": 2}, {**good, "programs": 3},
                      {**good, "programs": {"x_bench": {"x": {**figure, "low": 20}}}},
                      {**good, "programs": {"x_bench": {"x": {**figure, "low": -1}}}},
                      {**good, "programs": {"x_bench": {"x": {"median": 10}}}}):  # fmt: skip
            with self.assertRaises(RunError, msg=str(wrong)):
                Run.from_json(json.dumps(wrong))
        with self.assertRaisesRegex(RunError, "not a run of compare.py"):
            Run.from_json("{")


class Programs(unittest.TestCase):
    def seen(self, *entries: Mapping[str, Any]) -> dict[str, programs.Series]:
        return programs.seen_in({"benchmarks": list(entries)})

    def test_reads_the_clock_of_the_processor_or_of_the_wall(self) -> None:
        seen = self.seen(entry("A", 5), entry("A", 6), entry("B/real_time", 5))
        self.assertEqual(seen["A"].times, [5, 6])
        self.assertEqual(seen["B/real_time"].times, [10])

    def test_knows_units_and_leaves_aggregates_out(self) -> None:
        seen = self.seen(entry("A", 5, time_unit="us"), entry("A", 9, run_type="aggregate"))
        self.assertEqual(seen["A"].times, [5000])

    def test_counts_the_bytes_of_one_iteration(self) -> None:
        self.assertEqual(self.seen(entry("A", 10, bytes_per_second=6.4e9))["A"].bytes, 64)

    def test_settings_are_no_part_of_a_name(self) -> None:
        seen = self.seen(entry("A/min_time:0.004/threads:2", 1), entry("B/1/repeats:3", 1))
        self.assertEqual(list(seen), ["A/threads:2", "B/1"])

    def test_keeps_the_order_of_the_source(self) -> None:
        place = ("family_index", "per_family_instance_index")
        seen = self.seen(entry("C", 1, **dict(zip(place, (1, 0)))),
                         entry("B", 1, **dict(zip(place, (0, 1)))),
                         entry("A", 1, **dict(zip(place, (0, 0)))))  # fmt: skip
        self.assertEqual(list(seen), ["A", "B", "C"])

    def test_a_benchmark_that_failed_is_no_figure(self) -> None:
        with self.assertRaisesRegex(RunError, "A: no server"):
            self.seen(entry("A", 0, error_occurred=True, error_message="no server"))

    def test_a_filter_keeps_the_calibration(self) -> None:
        options = programs.Plan(1, 1, 0.1, "a|b").options()
        self.assertIn(f"--benchmark_filter=(a|b)|^{model.CALIBRATION}", options)


class CommandLine(unittest.TestCase):
    """With programs that say what a file says."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.baseline = self.folder / "baseline.json"

    def program(self, name: str, script: str) -> None:
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def says(self, name: str, **times: float) -> None:
        entries = [entry(key, value) for key, value in times.items()]
        entries.append(entry("Calibration/a", 10))
        content = {"context": {"compiler": "GCC"}, "benchmarks": entries}
        (self.folder / f"{name}.json").write_text(json.dumps(content))
        self.program(name, f"cat {self.folder}/{name}.json")

    def run_it(self, *options: str) -> tuple[int, str, str]:
        """Its status, what it prints and what it complains about."""
        out, err = io.StringIO(), io.StringIO()
        fixed = ["--programs", str(self.folder), "--baseline", str(self.baseline), "--rounds", "1"]
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                status = compare.main([*fixed, *options])
            except SystemExit as error:
                status = int(error.code or 0)
        return status, out.getvalue(), err.getvalue()

    def test_ends_with_one_when_something_got_slower(self) -> None:
        self.says("x_bench", a=10, b=10)
        self.assertEqual(self.run_it("--save")[0], 0)
        status, out, _ = self.run_it()
        self.assertEqual(status, 0)
        self.assertIn("2 same", out)
        self.says("x_bench", a=10, b=20)
        status, out, _ = self.run_it()
        self.assertEqual(status, 1)
        self.assertIn("1 SLOWER, 1 same", out)
        self.assertEqual(self.run_it("--tolerance", "150")[0], 0)
        self.assertEqual(self.run_it("--filter", "a")[0], 0)

    def test_a_missing_or_broken_baseline_is_told_before_anything_runs(self) -> None:
        self.program("x_bench", f"touch {self.folder}/ran; exit 1")
        status, _, err = self.run_it()
        self.assertEqual(status, 2)
        self.assertRegex(err, "no baseline: .*baseline.json.*--save makes one")
        self.baseline.write_text('{"format": 7}')
        status, _, err = self.run_it()
        self.assertEqual(status, 2)
        self.assertRegex(err, "baseline.json: format 7, not 1")
        self.assertFalse((self.folder / "ran").exists())

    def test_says_which_program_failed(self) -> None:
        self.program("x_bench", "echo out of luck >&2; exit 3")
        status, _, err = self.run_it("--save")
        self.assertEqual(status, 2)
        self.assertIn("x_bench ended with 3: out of luck", err)
        self.program("x_bench", "echo hello")
        self.assertIn("x_bench wrote no JSON", self.run_it("--save")[2])
        self.assertFalse(self.baseline.exists())

    def test_one_program_alone_leaves_the_others_out(self) -> None:
        self.says("x_bench", a=10)
        self.says("y_bench", b=10)
        self.run_it("--save")
        self.program("y_bench", "exit 1")
        for name in ("x", "x_bench"):
            status, out, _ = self.run_it("--only", name)
            self.assertEqual(status, 0)
            self.assertIn("1 same;", out)
        status, _, err = self.run_it("--only", "z")
        self.assertEqual(status, 2)
        self.assertIn("no program z_bench; there are x_bench, y_bench", err)

    def test_a_baseline_is_of_everything(self) -> None:
        self.says("x_bench", a=10)
        for option in (["--filter", "a"], ["--only", "x"], ["--replay", str(self.baseline)]):
            status, _, err = self.run_it("--save", *option)
            self.assertEqual(status, 2)
            self.assertIn("--save is for everything", err)

    def test_a_filter_that_fits_nothing_or_is_none_is_an_error(self) -> None:
        self.says("x_bench")
        self.baseline.write_text(a_run({"a": 10}).to_json())
        self.assertIn("no benchmark is like 'zzz'", self.run_it("--filter", "zzz")[2])
        self.assertEqual(self.run_it("--filter", "(")[0], 2)

    def test_a_saved_run_is_compared_and_printed_without_measuring(self) -> None:
        self.says("x_bench", a=10)
        saved, page = self.folder / "run.json", self.folder / "run.md"
        self.run_it("--save")
        self.run_it("--json", str(saved))
        self.program("x_bench", "exit 1")
        self.assertEqual(self.run_it("--replay", str(saved), "--markdown", str(page))[0], 0)
        self.assertIn("| a | 10.0 ns |", page.read_text())


if __name__ == "__main__":
    unittest.main()
