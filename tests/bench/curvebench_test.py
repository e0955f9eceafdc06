#!/usr/bin/env python3
"""Tests of the curves' own parts: what they compute, read and draw."""

from __future__ import annotations

import contextlib
import io
import json
import os
import tempfile
import unittest
import xml.etree.ElementTree as xml
from collections.abc import Iterator
from pathlib import Path

import curves as program
from curvebench import curves, drawing, load, report, runner
from curvebench.model import Album, Curve, Line
from httpbench.generator import Generator, GeneratorError

RESULT = {
    "connections": 100, "answered": 1000, "per_second": 990.0, "latency_p99_us": 250.0,
    "failed_closed": 0, "failed_timeout": 0, "server_cpu_us_each": 3.5,
    "server_resident_before": 1000, "server_resident_after": 41_000,
}  # fmt: skip


def a_curve(key: str = "growth") -> Curve:
    return curves.select([key])[0]


def an_album() -> Album:
    album = Album({"machine": "test"})
    for server, factor in (("floor", 1.0), ("a < b", 2.0)):
        line = album.picture("growth").line(server)
        for point in (1, 100, 10_000):
            for value in (2.9, 3.0, 9.0):
                line.add(point, factor * value * (2 if point == 10_000 else 1))
    album.picture("growth").line("nginx").note = "not installed"
    return album


class Curves(unittest.TestCase):
    def test_an_unknown_curve_is_told(self) -> None:
        with self.assertRaisesRegex(ValueError, "no curve nonsense; there are throughput"):
            curves.select(["nonsense"])

    def test_connections_stop_where_the_open_files_do(self) -> None:
        plan = runner.Plan([], [], Generator(Path("x"), 1, 0), 1, 0, 10_000)
        self.assertEqual(plan.points(a_curve("memory")), [1_000, 5_000, 8_500])
        self.assertEqual(plan.points(a_curve("latency")), list(curves.RATES))


class Figures(unittest.TestCase):
    def test_a_line_is_of_medians(self) -> None:
        line = an_album().picture("growth").line("floor")
        self.assertEqual(drawing.medians(line), {1: 3.0, 100: 3.0, 10_000: 6.0})

    def test_growth_is_a_ratio_of_two_points(self) -> None:
        line = an_album().picture("growth").line("floor")
        self.assertEqual(report.growth(line, 100, 10_000), 2.0)
        self.assertIsNone(report.growth(Line("x"), 100, 10_000))

    def test_the_table_has_a_row_for_each_server_and_says_why_one_has_none(self) -> None:
        text = report.as_markdown(an_album(), [a_curve()])
        self.assertIn("| floor | 3.00 | 3.00 | 6.00 |  |", text)
        self.assertIn("| nginx | - | - | - | not installed |", text)
        self.assertIn("machine: test", text)

    def test_what_was_not_measured_has_no_table(self) -> None:
        self.assertNotIn("|", report.as_markdown(Album(), [a_curve()]))

    def test_a_saved_album_is_the_same(self) -> None:
        saved = json.loads(json.dumps(an_album().to_json()))
        self.assertEqual(Album.from_json(saved), an_album())


class Drawing(unittest.TestCase):
    def test_an_axis_holds_all_values_and_marks_round_ones(self) -> None:
        axis = drawing.Axis([3.0, 14.0], 0, 100)
        self.assertEqual(axis.ticks(), [2, 5, 10, 20])
        self.assertEqual(axis.place(2), 0)
        self.assertAlmostEqual(axis.place(20), 100)
        self.assertLess(axis.place(3), axis.place(14))

    def test_one_value_has_an_axis_too(self) -> None:
        axis = drawing.Axis([5.0], 0, 100)
        self.assertEqual(axis.place(5), 0)

    def test_a_picture_is_svg_and_names_its_servers(self) -> None:
        drawn = drawing.as_svg(a_curve(), an_album().picture("growth"))
        text = "".join(xml.fromstring(drawn).itertext())
        for word in ("Server CPU per request", "a < b", "floor", "10,000"):
            self.assertIn(word, text)
        self.assertNotIn("nginx", text)

    def test_nothing_cannot_be_drawn(self) -> None:
        with self.assertRaisesRegex(ValueError, "nothing was measured of growth"):
            drawing.as_svg(a_curve(), Album().picture("growth"))


@contextlib.contextmanager
def a_generator(result: dict[str, float]) -> Iterator[Generator]:
    """Stands for ssxrver-bench."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "generator"
        path.write_text(f"#!/bin/sh\ncat <<'END'\n{json.dumps(result)}\nEND\n")
        path.chmod(0o755)
        yield Generator(path, 0.1, min(os.sched_getaffinity(0)))


class Load(unittest.TestCase):
    def test_one_run_is_a_point_of_two_curves(self) -> None:
        with a_generator(RESULT) as bench:
            point = load.closed_loop(bench, 1, 1, 100)
        self.assertEqual(point, {"throughput": 990.0, "growth": 3.5})

    def test_a_rate_that_is_not_kept_has_no_latency(self) -> None:
        with a_generator(RESULT) as bench:
            self.assertEqual(load.at_rate(bench, 1, 1, 1010), 250.0)
            with self.assertRaisesRegex(GeneratorError, "990/s of 1,011/s"):
                load.at_rate(bench, 1, 1, 1011)

    def test_memory_is_that_of_each_connection(self) -> None:
        with a_generator(RESULT) as bench:
            self.assertEqual(load.held(bench, 1, 1, 100), 400.0)

    def test_failures_are_no_figure(self) -> None:
        with a_generator({**RESULT, "failed_closed": 2}) as bench:
            with self.assertRaisesRegex(GeneratorError, "2 requests failed"):
                load.closed_loop(bench, 1, 1, 100)


class Program(unittest.TestCase):
    def test_it_draws_what_was_saved(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "saved.json").write_text(json.dumps(an_album().to_json()))
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                program.main(["--replay", str(folder / "saved.json"), "--svg", name])
            self.assertEqual([path.name for path in folder.glob("*.svg")], ["growth.svg"])
        self.assertIn("| floor |", printed.getvalue())


if __name__ == "__main__":
    unittest.main()
