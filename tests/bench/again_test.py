#!/usr/bin/env python3
"""Tests of who is measured in a second run."""

from __future__ import annotations

import unittest
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from httpbench import again, rows, runner
from httpbench.model import APACHE, APP, BUN, FLOOR, H2O, NGINX, REUSEPORT, THREAD, Sample, Table
from wsbench import rows as ws_rows
from wsbench import runner as ws_runner


@dataclass(frozen=True)
class A:
    """A server."""

    name: str

    def missing(self) -> str:
        return ""

    def path(self, of_the_row: str) -> str:
        return of_the_row


_FIRST = {FLOOR: 4.0, REUSEPORT: 9.0, THREAD: 9.0, NGINX: 5.0, H2O: 5.5, BUN: 5.51, APACHE: 40.0}


def a_table(row: str, medians: dict[str, float]) -> Table:
    table = Table()
    for name, median in medians.items():
        table.cell(row, name).runs = [[Sample(median)]]
    return table


def chosen(table: Table, *references: str) -> list[str]:
    able = [A(name) for name in (*_FIRST, APP)]
    return [server.name for server in again.of(able, table, "hello", references)]


class Again(unittest.TestCase):
    def test_the_floor_ours_the_best_of_the_others_and_who_is_within_a_tenth(self) -> None:
        found = chosen(a_table("hello", _FIRST))
        self.assertEqual(found, [FLOOR, REUSEPORT, THREAD, NGINX, H2O, APP])

    def test_whom_a_target_names_however_dear(self) -> None:
        self.assertIn(APACHE, chosen(a_table("hello", _FIRST), NGINX, APACHE))

    def test_who_failed_requests_was_not_the_best(self) -> None:
        table = a_table("hello", _FIRST)
        table.cell("hello", NGINX).runs = [[Sample(5.0, errors=1)]]
        self.assertEqual(chosen(table), [FLOOR, REUSEPORT, THREAD, H2O, BUN, APP])

    def test_where_no_other_was_measured_we_stand_alone(self) -> None:
        self.assertEqual(chosen(a_table("hello", {FLOOR: 4.0})), [FLOOR, REUSEPORT, THREAD, APP])


class Runners(unittest.TestCase):
    """Each asks for all in its first run, and in the second for those."""

    def asked(self, kind: type, row: object, run: int, table: Table) -> list[str]:
        plan = mock.Mock(rows=[row], servers=[A(name) for name in table.servers()], rounds=1)
        measuring = kind(plan, mock.Mock(), table, lambda text: None, lambda table: None)
        with mock.patch.object(measuring, "_bring_up", return_value=None) as bring_up:
            measuring._run_row(row, run)
        servers = (one for call in bring_up.call_args_list for one in call.args)
        return [one.name for one in servers if isinstance(one, A)]

    def test_of_http(self) -> None:
        row = rows.select(["hello"])[0]
        table = a_table("hello", _FIRST)
        self.assertEqual(self.asked(runner.Runner, row, 0, table), [*_FIRST])
        second = [FLOOR, REUSEPORT, THREAD, NGINX, H2O]
        self.assertEqual(self.asked(runner.Runner, row, 1, table), second)
        self.assertFalse(table.cell("hello", APACHE).runs[1:])

    def test_of_websockets(self) -> None:
        row = ws_rows.select(["many"])[0]
        table = a_table("many", {**_FIRST, ws_rows.QUICKWS: 50.0})
        self.assertEqual(self.asked(ws_runner.Runner, row, 0, table), [*_FIRST, ws_rows.QUICKWS])
        second = [FLOOR, REUSEPORT, THREAD, NGINX, H2O, ws_rows.QUICKWS]
        self.assertEqual(self.asked(ws_runner.Runner, row, 1, table), second)


if __name__ == "__main__":
    unittest.main()
