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
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import curves as program
from curvebench import curves, drawing, load, report, runner
from curvebench.model import Album, Curve
from httpbench.generator import Generator, GeneratorError
from httpbench.model import FLOOR, OURS
from httpbench.runner import Site

RESULT = {
    "connections": 100, "answered": 1000, "per_second": 990.0, "latency_p99_us": 250.0,
    "standing": 100, "failed_closed": 0, "failed_timeout": 0, "server_cpu_us_each": 3.5,
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
    album.picture("growth").line("nginx").note = "wrong answer: no body"
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
        self.assertEqual(line.medians(), {1: 3.0, 100: 3.0, 10_000: 6.0})

    def test_a_line_ends_where_most_rounds_fail(self) -> None:
        line = an_album().picture("growth").line("floor")
        line.fail(100, "a hiccup")
        self.assertIsNone(line.end())
        for _ in range(2):
            line.fail(10_000, "too much")
        self.assertIsNone(line.end())  # two rounds of five
        for _ in range(2):
            line.fail(10_000, "too much")
        self.assertEqual(line.end(), 10_000)
        line.fail(20_000, "far too much")
        self.assertEqual(line.end(), 10_000)
        self.assertEqual(line.medians(), {1: 3.0, 100: 3.0})

    def test_the_table_tells_of_each_round_that_failed_and_where_a_line_ends(self) -> None:
        album = an_album()
        line = album.picture("growth").line("floor")
        line.fail(100, "a hiccup")
        for _ in range(4):
            line.fail(10_000, "too much")
        line.fail(20_000, "is of no interest")
        text = report.as_markdown(album, [a_curve()])
        self.assertIn("| floor | 3.00 | 3.00 | - |\n", text)
        self.assertIn("\n* floor at 100, 1 of 4 rounds: a hiccup\n", text)
        self.assertIn("\n* floor at 10,000, 4 of 7 rounds: too much, and the line ends\n", text)
        self.assertNotIn("no interest", text)

    def test_the_one_round_of_a_point_is_not_counted(self) -> None:
        album = an_album()
        album.picture("growth").line("beast").fail(1, "no memory")
        self.assertIn("\n* beast at 1: no memory, and the line ends\n",
                      report.as_markdown(album, [a_curve()]))  # fmt: skip

    def test_the_table_has_a_row_for_each_server_and_says_why_one_has_none(self) -> None:
        text = report.as_markdown(an_album(), [a_curve()])
        self.assertIn("| floor | 3.00 | 3.00 | 6.00 |\n", text)
        self.assertIn("| nginx | - | - | - |\n\n* nginx: wrong answer: no body\n", text)
        self.assertTrue(text.endswith("\n\nmachine: test\n"), text)

    def test_what_was_not_measured_has_no_table(self) -> None:
        self.assertNotIn("|", report.as_markdown(Album(), [a_curve()]))

    def test_it_is_told_where_open_files_end_the_curve(self) -> None:
        album = an_album()
        self.assertNotIn("open files", report.as_markdown(album, [a_curve()]))
        album.picture("growth").line("floor").add(18_500, 6.0)
        self.assertIn("18,500 keep-alive connections instead of 20,000: the limit of open files",
                      report.as_markdown(album, [a_curve()]))  # fmt: skip

    def test_one_sample_for_each_figure_is_told_to_be_a_first_look(self) -> None:
        self.assertNotIn("first look", report.as_markdown(an_album(), [a_curve()]))
        hurried = Album({"machine": "test"})
        hurried.picture("growth").line("floor").add(1, 3.0)
        self.assertIn("a first look", report.as_markdown(hurried, [a_curve()]))

    def test_a_saved_album_is_the_same(self) -> None:
        saved = json.loads(json.dumps(an_album().to_json()))
        self.assertEqual(Album.from_json(saved), an_album())

    def test_facts_that_were_not_saved_are_told_to_be_unknown(self) -> None:
        saved = an_album().to_json()
        del saved["environment"]
        text = report.as_markdown(Album.from_json(saved), [a_curve()])
        self.assertIn("date, the machine and the commit were not saved", text)


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

    def test_no_two_servers_look_alike(self) -> None:
        servers = [FLOOR, *OURS, *(f"peer {i}" for i in range(20))]
        album = Album()
        for server in servers:
            album.picture("growth").line(server).add(1, 3.0)
        drawn = xml.fromstring(drawing.as_svg(a_curve(), album.picture("growth")))
        strokes = [tuple(line.get(f"stroke{part}") for part in ("", "-width", "-dasharray"))
                   for line in drawn.iter() if line.tag.endswith("polyline")]  # fmt: skip
        self.assertEqual(len(strokes), len(servers))
        self.assertEqual(len(set(strokes)), len(servers))
        self.assertEqual({width for _, width, _ in strokes[-len(OURS):]}, {"3"})  # on top

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
            with self.assertRaisesRegex(GeneratorError, "only 100 connections stood"):
                load.held(bench, 1, 1, 101)

    def test_failures_are_no_figure(self) -> None:
        with a_generator({**RESULT, "failed_closed": 2}) as bench:
            with self.assertRaisesRegex(GeneratorError, "2 requests failed"):
                load.closed_loop(bench, 1, 1, 100)


class Running(unittest.TestCase):
    """The runner with its servers up already: who answers what is played by `load`."""

    def setUp(self) -> None:
        self.album = Album()
        self.asked: list[tuple[str, int]] = []

    def measure(self, key: str, answers: Callable[[str, int], float]) -> None:
        """Ports tell the servers apart. `answers` raises where a server fails."""
        up = [SimpleNamespace(server=SimpleNamespace(name=name), port=port, pid=1)
              for port, name in enumerate(("strong", "weak"))]  # fmt: skip

        def play(bench: Generator, port: int, pid: int, point: int) -> float:
            name = up[port].server.name
            self.asked.append((name, point))
            return answers(name, point)

        plan = runner.Plan([a_curve(key)], [], Generator(Path("x"), 1, 0), 3, 0, 10_000)
        one = runner.Runner(plan, Site(Path(), Path()), self.album, lambda text: None)
        with mock.patch.object(one, "_bring_up", return_value=up), \
                mock.patch.object(load, "at_rate", play), \
                mock.patch.object(load, "closed_loop", lambda *asked: {
                    "throughput": play(*asked), "growth": 1.0}):  # fmt: skip
            one._measure(a_curve(key), [10, 20, 30], 3)

    def test_a_server_that_fails_in_most_rounds_is_asked_no_more(self) -> None:
        def answers(name: str, point: int) -> float:
            if name == "weak" and point >= 20:
                raise GeneratorError(f"{point - 1}/s of {point}/s were answered")
            return 5.0

        self.measure("latency", answers)
        weak = self.album.picture("latency").line("weak")
        self.assertEqual(self.asked.count(("weak", 20)), 3)
        self.assertNotIn(("weak", 30), self.asked)
        self.assertEqual(self.asked.count(("strong", 30)), 3)
        self.assertEqual(weak.medians(), {10: 5.0})
        self.assertEqual(weak.troubles, {20: ["19/s of 20/s were answered"] * 3})

    def test_one_round_that_failed_ends_no_line(self) -> None:
        def answers(name: str, point: int) -> float:
            if point == 20 and self.asked.count((name, point)) == 2:
                raise GeneratorError("a neighbour woke up")
            return 5.0

        self.measure("latency", answers)
        weak = self.album.picture("latency").line("weak")
        self.assertEqual(weak.medians(), {10: 5.0, 20: 5.0, 30: 5.0})
        self.assertEqual({point: len(values) for point, values in weak.samples.items()},
                         {10: 3, 20: 2, 30: 3})  # fmt: skip

    def test_trouble_is_of_both_curves_of_a_run(self) -> None:
        def answers(name: str, point: int) -> float:
            raise GeneratorError("2 requests failed")

        self.measure("throughput", answers)
        for key in ("throughput", "growth"):
            line = self.album.picture(key).line("weak")
            self.assertEqual(line.troubles, {10: ["2 requests failed"] * 3})
            self.assertEqual(line.end(), 10)


class Program(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.saved = self.folder / "saved.json"
        self.saved.write_text(json.dumps(an_album().to_json()))

    def replay(self, *options: str) -> str:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            program.main(["--replay", str(self.saved), *options])
        return printed.getvalue()

    def test_it_draws_what_was_saved(self) -> None:
        printed = self.replay("--svg", str(self.folder))
        self.assertEqual([path.name for path in self.folder.glob("*.svg")], ["growth.svg"])
        self.assertIn("| floor |", printed)

    def test_it_fills_a_page_with_figures_and_facts(self) -> None:
        page = self.folder / "page.md"
        page.write_text("by hand\n\n<!-- curves.py figures -->\nold\n<!-- /curves.py -->\n")
        printed = self.replay("--page", str(page))
        self.assertEqual(page.read_text(), "by hand\n\n<!-- curves.py figures -->\n"
                                           f"{printed}<!-- /curves.py -->\n")  # fmt: skip

    def test_what_was_measured_without_a_server_does_not_stand_for_it(self) -> None:
        with self.assertRaisesRegex(SystemExit, "measured without these --extra"):
            self.replay("--extra", "mine=x")
        album = an_album()
        album.environment["plan"] = "1 round, with --extra mine"
        self.saved.write_text(json.dumps(album.to_json()))
        self.assertIn("with --extra mine", self.replay("--extra", "mine=x"))

    def test_the_facts_tell_rounds_and_open_files(self) -> None:
        plans = {
            (): "3 rounds of 2 s, at most 20,000 open files a process",
            ("--quick",): "1 round of 0.5 s, at most 20,000 open files a process",
        }
        for options, plan in plans.items():
            self.assertEqual(program._plan(program._parse(options), 20_000), plan)

    def test_it_measures_who_is_brought_along(self) -> None:
        options = program._parse(["--servers", "floor", "--extra", "mine=sh -c {port}"])
        with mock.patch.object(program, "_progress"):
            found = program._servers(options, self.folder)
        self.assertEqual([server.name for server in found], ["floor", "mine"])


if __name__ == "__main__":
    unittest.main()
