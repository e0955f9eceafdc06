#!/usr/bin/env python3
"""Tests of what the speed table prints and draws."""

from __future__ import annotations

import contextlib
import json
import tempfile
import unittest
import xml.etree.ElementTree as xml
from collections import Counter
from pathlib import Path

import http_table
from httpbench import layers, model, others, pages, places, plot, report, rows
from httpbench.model import FLOOR, NGINX, REUSEPORT, THREAD, Sample, Table


def a_row(key: str) -> model.Row:
    return rows.select([key])[0]


def a_table(ours: float = 4.2, errors: int = 0) -> Table:
    """Two runs of three rounds: the floor needs 4 us, nginx 5, we `ours`."""
    table = Table({"machine": "test"})
    for name, value in ((FLOOR, 4.0), (NGINX, 5.0), (REUSEPORT, ours)):
        samples = [Sample(value * step, 1000.0, errors) for step in (0.9, 1.0, 1.1)]
        table.cell("hello", name).runs = [samples, samples]
    return table


class Report(unittest.TestCase):
    def test_ratio_is_the_median_of_the_rounds(self) -> None:
        found = report.ratio(a_table(), "hello", REUSEPORT, FLOOR, 0)
        assert found is not None
        self.assertAlmostEqual(found.median, 1.05)

    def test_there_is_no_ratio_without_a_reference(self) -> None:
        table = a_table()
        table.cell("hello", FLOOR).runs = []
        self.assertIsNone(report.ratio(table, "hello", REUSEPORT, FLOOR, 0))

    def test_says_met_and_not_met(self) -> None:
        row = a_row("hello")
        for ours, word in ((4.2, "met"), (4.4, "NOT met")):
            said = report.verdicts(a_table(ours), row, REUSEPORT, 0)
            self.assertEqual(said, f"<= 1.06 x floor: {word}")
        self.assertEqual(report.verdicts(a_table(), row, NGINX, 0), "")

    def test_says_the_ratio_that_has_no_column(self) -> None:
        table = Table()
        table.cell("two", THREAD).runs = [[Sample(3.0)]]
        table.cell("two", model.APACHE).runs = [[Sample(4.0)]]
        said = report.verdicts(table, a_row("two"), THREAD, 0)
        self.assertEqual(said, "<= 1 x apache: met (0.75)")

    def test_says_how_often_a_connection_wakes_a_thread(self) -> None:
        table = Table()
        table.cell("connect", THREAD).runs = [[Sample(20.0, wakeups=w) for w in (1.0, 1.1, 1.4)]]
        (line,) = report.lines(table, [a_row("connect")])
        self.assertEqual(line.notes, "1.10 wake-ups each")

    def test_who_fails_requests_is_not_the_best_peer(self) -> None:
        table = a_table()
        table.cell("hello", model.APACHE).runs = [[Sample(1.0), Sample(1.0, errors=1)]]
        self.assertEqual(others.best(table, "hello", 0), NGINX)

    def test_the_best_peer_is_neither_ours_nor_the_floor(self) -> None:
        table = a_table(ours=3.0)
        table.cell("hello", model.BUN).runs = [[Sample(4.5)]]
        self.assertEqual(others.best(table, "hello", 0), model.BUN)
        self.assertEqual(others.best(table, "idle", 0), "")
        text = report.as_text(table, rows.all_rows())
        (line,) = [line for line in text.splitlines() if model.BUN in line]
        self.assertIn("best peer", line)

    def test_whom_the_user_brought_along_may_be_the_best(self) -> None:
        table = a_table()
        table.cell("hello", "mine").runs = [[Sample(1.0)]]
        self.assertEqual(others.best(table, "hello", 0), "mine")

    def test_a_target_may_be_the_best_peer(self) -> None:
        table, row = Table(), a_row("growth")
        for name, value in ((REUSEPORT, 1.2), (NGINX, 1.3), (model.BUN, 1.1)):
            table.cell("growth", name).runs = [[Sample(value)]]
        self.assertEqual(report.verdicts(table, row, REUSEPORT, 0), "<= 1 x best peer: NOT met")

    def test_memory_is_the_most_of_all_rounds(self) -> None:
        table = Table()
        samples = [Sample(1.0, resident=2e6), Sample(1.0, resident=5.25e6)]
        table.cell("hello", NGINX).runs = [samples]
        self.assertIn("  5.2  ", report.as_text(table, rows.all_rows()))

    def test_lists_what_was_missed(self) -> None:
        self.assertEqual(report.unmet(a_table(4.2), rows.all_rows()), [])
        missed = report.unmet(a_table(4.4), rows.all_rows())
        self.assertEqual(missed, [f"hello {REUSEPORT}: <= 1.06 x floor: NOT met"])

    def test_an_absolute_target_needs_no_reference(self) -> None:
        table = Table()
        table.cell("idle", REUSEPORT).runs = [[Sample(240.0)]]
        self.assertEqual(report.verdicts(table, a_row("idle"), REUSEPORT, 0), "<= 240: met")

    def test_text_has_a_line_per_server_with_both_runs(self) -> None:
        text = report.as_text(a_table(), rows.all_rows())
        (line,) = [line for line in text.splitlines() if REUSEPORT in line]
        self.assertIn("4.20 [3.99..4.41] CPU us/request", line)
        self.assertIn("4.20; 1.050 [1.05..1.05]; 0.840 [0.84..0.84]", line)
        self.assertIn("machine: test", text)

    def test_text_shows_errors_and_why_a_server_is_missing(self) -> None:
        table = a_table(errors=2)
        table.cell("hello", THREAD).note = "wrong answer: status 404"
        text = report.as_text(table, rows.all_rows())
        self.assertIn("6 errors", text)
        self.assertIn("wrong answer: status 404", text)

    def test_markdown_rows_have_as_many_columns_as_the_heading(self) -> None:
        text = report.as_markdown(a_table(), rows.all_rows())
        table = [line for line in text.splitlines() if "|" in line]
        self.assertEqual(len(table), 5)
        self.assertEqual({line.count("|") for line in table}, {len(report.HEADINGS) + 1})

    def test_json_round_trip_keeps_the_report(self) -> None:
        table = a_table(errors=1)
        again = Table.from_json(json.loads(json.dumps(table.to_json())))
        known = rows.all_rows()
        self.assertEqual(report.as_text(again, known), report.as_text(table, known))


class Places(unittest.TestCase):
    def test_who_has_fewer_is_before_us(self) -> None:
        table = a_table(ours=4.8)
        self.assertEqual(places.place(table, "hello", REUSEPORT), 1)
        table.cell("hello", model.BUN).runs = [[Sample(4.7)]]
        self.assertEqual(places.place(table, "hello", REUSEPORT), 2)

    def test_a_line_says_who_where_and_by_how_much(self) -> None:
        (line,) = places.as_markdown(a_table(ours=4.2), rows.all_rows()).splitlines()[2:]
        self.assertEqual(
            line,
            "| in-memory answer, keep-alive | nginx, 1.25 x floor | 5 CPU us/request | "
            f"{REUSEPORT}, 1.05 x floor | 4.2 | 0.84 | 1 | <= 1.06 x floor | {REUSEPORT} |",
        )

    def test_a_target_that_nobody_meets_shows_the_nearest(self) -> None:
        (line,) = places.as_markdown(a_table(ours=4.4), rows.all_rows()).splitlines()[2:]
        self.assertTrue(line.endswith("| none: 1.1 |"), line)


class Pages(unittest.TestCase):
    def test_counts_pages_of_a_minute_and_what_one_costs(self) -> None:
        table = Table()
        for name, cost, rate in ((NGINX, 10.0, 500.0), (model.APACHE, 40.0, 200.0),
                                 (THREAD, 8.0, 1000.0)):  # fmt: skip
            table.cell("two_web", name).runs = [[Sample(cost, rate, errors=3)]]
        title = a_row("two_web").title
        self.assertIn(f"| {title} | 1 | {THREAD} | 60,000 | - | 2.00 | 5.00 | 8.00 | - | 0.80 | "
                      "0.20 | 3 | yes |\n", pages.as_markdown(table, rows.all_rows()))  # fmt: skip
        self.assertEqual(pages.unmet(table, rows.all_rows()), [])

    def test_who_is_behind_in_pages_or_in_cpu_is_told_run_by_run(self) -> None:
        table = Table()
        for name, cost, rate in ((FLOOR, 8.0, 1010.0), (NGINX, 10.0, 1000.0),
                                 (THREAD, 8.0, 970.0)):  # fmt: skip
            again = [Sample(cost, rate)] * 3
            table.cell("two", name).runs = [again, again]
        table.cell("two", THREAD).runs[1] = [Sample(12.0, 1020.0)] * 3
        lines = pages.as_markdown(table, rows.all_rows()).splitlines()
        first, second = [line for line in lines if THREAD in line]
        self.assertIn("| 58,200 [58,200..58,200] | 0.96 [0.96..0.96] | 0.97 [0.97..0.97] | - |",
                      first)  # fmt: skip
        self.assertTrue(first.endswith("| NOT: pages/min 0.970 x nginx |"), first)
        self.assertTrue(second.endswith("| NOT: CPU 1.200 x nginx |"), second)
        self.assertEqual(pages.unmet(table, rows.all_rows()),
                         [f"two {THREAD}: pages/min 0.970 x nginx"])  # fmt: skip

    def test_is_nothing_without_such_rows(self) -> None:
        self.assertEqual(pages.as_markdown(a_table(), rows.all_rows()), "")


class Plot(unittest.TestCase):
    def test_draws_a_bar_per_server_except_the_floor(self) -> None:
        tree = xml.fromstring(plot.as_svg(a_table(), rows.all_rows()))
        texts = [node.text for node in tree.iter("{http://www.w3.org/2000/svg}text")]
        self.assertIn("1.05", texts)
        self.assertIn("1.25", texts)
        self.assertNotIn(FLOOR, texts)

    def test_a_title_that_is_too_long_has_two_lines(self) -> None:
        table, row = Table(), a_row("connect_deferred")
        for name, value in ((FLOOR, 4.0), (NGINX, 5.0)):
            table.cell(row.key, name).runs = [[Sample(value)]]
        drawn = plot.as_svg(table, [row])
        self.assertIn(">connection per request, accepted<", drawn)
        self.assertIn(">when it has spoken<", drawn)

    def test_an_empty_table_is_still_a_picture(self) -> None:
        xml.fromstring(plot.as_svg(Table(), rows.all_rows()))


class Replay(unittest.TestCase):
    def test_runs_of_later_files_stand_behind_the_first(self) -> None:
        table, later = a_table(4.2), a_table(4.4)
        later.cell("idle", NGINX).runs = [[Sample(517.0)]]
        table.append(later)
        self.assertEqual(len(table.cell("hello", REUSEPORT).runs), 4)
        self.assertEqual(table.values("hello", REUSEPORT, 2)[1], 4.4)
        self.assertEqual(table.values("idle", NGINX, 0), [517.0])

    def test_replay_prints_a_saved_table(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            saved, svg = Path(folder) / "a.json", Path(folder) / "a.svg"
            saved.write_text(json.dumps(a_table().to_json()))
            with contextlib.redirect_stdout(None):
                status = http_table.main(["--replay", str(saved), "--svg", str(svg)])
            self.assertEqual(status, 0)
            self.assertIn("<svg", svg.read_text())


ANNOTATED = """
--------------------------------------------------------------------------------
1,500 (100.0%)  PROGRAM TOTALS

   900 (60.00%)  ???:ssx::http::RequestParser::Machine::run_avx2(ssx::http::Head&) [/bin/ssxrver]
   400 (26.67%)  ???:ssx::http::Session::on_data(ssx::net::Connection&) [/bin/ssxrver]
   200 (13.33%)  ./string/memmove.S:__memcpy_avx_unaligned_erms [/usr/lib/libc.so.6]
"""


class Layers(unittest.TestCase):
    def test_a_report_has_a_line_for_each_function(self) -> None:
        self.assertEqual(sorted(layers.functions(ANNOTATED).values()), [200, 400, 900])

    def test_a_function_belongs_to_the_first_part_that_names_it(self) -> None:
        for function, part in (
            ("ssx::http::find_field_name(std::string_view)", "parser"),
            ("ssx::http::Router::match(std::string_view)", "router"),
            ("ssx::http::ResponseWriter::write(ssx::OutQueue&)", "writer of answers"),
            ("ssx::http::Session::on_data(ssx::net::Connection&)", "session"),
            ("ssx::http::StaticHandler::answer(ssx::http::Request const&)",
             "handler and middleware"),
            ("ssx::net::Connection::deliver(ssx::net::Batch::Seat&)",
             "connection, buffers, sockets"),
            ("ssx::net::EventLoop::run(ssx::UniqueFunction<void ()>)", "loop"),
            ("malloc", layers.LIBRARIES),
        ):  # fmt: skip
            self.assertEqual(layers.part_of(f"???:{function} [/bin/ssxrver]"), part)

    def test_what_a_start_costs_is_in_neither(self) -> None:
        once = {"???:ssx::http::Router::match()": 1_000, "ssx::ServerConfig::load()": 9_000}
        twice = {"???:ssx::http::Router::match()": 1_800, "ssx::ServerConfig::load()": 9_000}
        counts = layers.per_request(once, twice, 100)
        self.assertEqual(counts["router"], 8)
        self.assertEqual(sum(counts.values()), 8)

    def test_the_table_has_a_column_for_each_row_and_a_sum(self) -> None:
        text = layers.as_markdown({"hello": Counter({"router": 8, "loop": 1_200})})
        self.assertIn("| router | 8 |", text)
        self.assertIn("| parser | 0 |", text)
        self.assertTrue(text.endswith("| in all | 1,208 |\n"))


if __name__ == "__main__":
    unittest.main()
