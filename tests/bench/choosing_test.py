#!/usr/bin/env python3
"""Tests of who is measured: --servers and --extra of the tables and the curves."""

from __future__ import annotations

import argparse
import contextlib
import io
import unittest
from dataclasses import dataclass
from pathlib import Path

import curves
import http_table
import ws_table
from httpbench import choosing
from httpbench.choosing import Extra


@dataclass(frozen=True)
class A:
    """A server."""

    name: str
    lacks: str = ""

    def missing(self) -> str:
        return self.lacks


KNOWN = (A("floor"), A("nginx", "nginx is not installed"))


class TheOption(unittest.TestCase):
    def test_it_is_a_name_and_a_command(self) -> None:
        self.assertEqual(choosing.extra("mine=prog -p {port} a=b").name, "mine")
        found = choosing.extra("mine=prog -p {port} a=b").command
        self.assertEqual(found.replace("'", ""), "prog -p {port} a=b")

    def test_a_program_with_a_path_is_found_from_any_folder(self) -> None:
        found = choosing.extra("mine=./prog {port}").command
        self.assertEqual(found.split()[0], str(Path.cwd() / "prog"))

    def test_what_is_no_name_and_command_is_refused(self) -> None:
        for text in ("mine", "mine=", "mine=  ", "=prog", "a/b=prog", "a|b=prog", ""):
            with self.subTest(text), self.assertRaisesRegex(
                argparse.ArgumentTypeError, "wants NAME=COMMAND, not"
            ):
                choosing.extra(text)
        with self.assertRaisesRegex(argparse.ArgumentTypeError, "No closing quotation: \"mine='x"):
            choosing.extra("mine='x")

    def test_it_has_one_name_in_all_programs(self) -> None:
        for program in (http_table, ws_table, curves):
            with self.subTest(program.__name__):
                options = program._parse(["--extra", "a=x", "--extra", "b=y {port}"])
                self.assertEqual([one.name for one in options.extra], ["a", "b"])
                with contextlib.redirect_stderr(io.StringIO()) as said:
                    with self.assertRaises(SystemExit) as ended:
                        program._parse(["--extra", "a"])
                self.assertEqual(ended.exception.code, 2)
                self.assertIn("argument --extra: wants NAME=COMMAND, not 'a'", said.getvalue())


class Choosing(unittest.TestCase):
    def setUp(self) -> None:
        self.said: list[str] = []

    def choose(self, *wanted: str, extra: tuple[A, ...] = ()) -> list[A]:
        return choosing.choose(KNOWN, wanted, extra, self.said.append)

    def test_all_are_measured_when_none_is_named(self) -> None:
        self.assertEqual(self.choose(extra=(A("mine"),)), [*KNOWN, A("mine")])

    def test_who_is_brought_along_need_not_be_named(self) -> None:
        self.assertEqual(self.choose("floor", extra=(A("mine"),)), [KNOWN[0], A("mine")])
        self.assertEqual(self.choose("mine", extra=(A("mine"),)), [A("mine")])

    def test_another_program_takes_the_place_of_a_known_name(self) -> None:
        other = A("floor", "of another program")
        self.assertEqual(self.choose(extra=(other,)), [other, KNOWN[1]])

    def test_an_unknown_name_is_told(self) -> None:
        with self.assertRaisesRegex(SystemExit, "no server nonsense; there are floor, nginx"):
            self.choose("nonsense")

    def test_who_is_missing_is_told(self) -> None:
        self.choose()
        self.assertEqual(self.said, ["nginx is left out: nginx is not installed"])

    def test_the_plan_names_who_is_brought_along(self) -> None:
        brought = [Extra("other", "y"), Extra("mine", "x")]
        self.assertEqual(choosing.plan("2 rounds", brought), "2 rounds, with --extra mine, other")
        self.assertEqual(choosing.plan("2 rounds", []), "2 rounds")

    def test_the_tables_measure_who_is_brought_along(self) -> None:
        for program in (http_table, ws_table):
            options = program._parse(["--servers", "floor", "--extra", "mine=sh -c {port}"])
            with self.subTest(program.__name__), contextlib.redirect_stderr(io.StringIO()):
                names = [server.name for server in program._servers(options)]
                self.assertEqual(names, ["floor", "mine"])


if __name__ == "__main__":
    unittest.main()
