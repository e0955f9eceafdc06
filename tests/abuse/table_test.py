#!/usr/bin/env python3
"""README.md beside this file names tests that exist, and every test that has an id in its name.

usage: table_test.py
"""

import pathlib
import re
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
TESTS = HERE.parent
TEST = re.compile(r"^TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\)", re.MULTILINE)
PYTHON = re.compile(r"^\s+def (test_\w+)\(", re.MULTILINE)
ID = re.compile(r"^(?:test_)?([a-mA-M]\d\d)(?=[A-Z_])")


def rows(text):
    """(id, [test, ...]) of every row of every table."""
    for line in text.splitlines():
        row = re.match(r"\| ([A-M]\d\d) \| .* \| (.*) \|$", line)
        if row:
            yield row[1], re.findall(r"`([^`]+)`", row[2])


def all_tests():
    found = set()
    for path in TESTS.rglob("*_test.cc"):
        found |= {".".join(names) for names in TEST.findall(path.read_text())}
    for path in (TESTS / "integration").glob("*_test.py"):
        found |= {f"{path.name}:{name}" for name in PYTHON.findall(path.read_text())}
    return found


def id_of(test):
    found = ID.match(re.split(r"[.:]", test.removesuffix(".py"))[-1])
    return found and found[1].upper()


class Table(unittest.TestCase):
    table = list(rows((HERE / "README.md").read_text()))
    tests = all_tests()

    def test_every_test_that_is_named_exists(self):
        self.assertEqual([(id, test) for id, tests in self.table for test in tests
                          if test not in self.tests], [])

    def test_every_test_with_an_id_is_in_its_row(self):
        named = {(id, test) for id, tests in self.table for test in tests}
        self.assertEqual([test for test in sorted(self.tests)
                          if id_of(test) and (id_of(test), test) not in named], [])

    def test_every_row_names_a_test_and_every_id_has_one_row(self):
        ids = [id for id, _ in self.table]
        self.assertEqual(sorted(set(ids)), sorted(ids))
        self.assertEqual([id for id, tests in self.table if not tests], [])
        self.assertGreaterEqual(len(ids), 25)

    def test_finds_what_it_looks_for(self):
        text = "| A01 | a, b | `S.T` and `x_test.py:test_y` |\n| id | x | y |"
        self.assertEqual(list(rows(text)),
                         [("A01", ["S.T", "x_test.py:test_y"])])
        self.assertEqual(id_of("Slow.C01Heads"), "C01")
        self.assertEqual(id_of("abuse_test.py:test_c09_a"), "C09")
        self.assertIsNone(id_of("Slow.Heads"))
        self.assertIsNone(id_of("Slow.B2Heads"))


if __name__ == "__main__":
    sys.exit(unittest.main())
