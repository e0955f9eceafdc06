#!/usr/bin/env python3
"""Tests of what stands around the suite, without a network: choosing cases, judging, fetching."""

import hashlib
import json
import tempfile
import unittest
from pathlib import Path

import cases
import report
import suite
from report import Result


class Choosing(unittest.TestCase):
    def test_sections(self):
        self.assertEqual(cases.section("12.1.18"), 12)
        self.assertEqual(sorted(["9.10.1", "9.2.1", "10.1.1"], key=cases.numbers),
                         ["9.2.1", "9.10.1", "10.1.1"])  # fmt: skip

    def test_patterns_match_the_whole_id(self):
        every = ["1.1.1", "1.1.11", "11.1.1", "12.1.1"]
        self.assertEqual(cases.matching(every, ["1.*"]), ["1.1.1", "1.1.11"])
        self.assertEqual(cases.matching(every, ["1.1.1", "12.*"]), ["1.1.1", "12.1.1"])
        self.assertEqual(cases.without_deflate(every), every[:3])

    def test_what_runs_every_day(self):
        for case in ("1.1.1", "10.1.1", "7.13.2", "12.5.2", "13.7.4", "12.1.11"):
            self.assertTrue(cases.is_daily(case), case)
        for case in ("9.1.1", "12.1.1", "13.7.18", "12.2.11"):
            self.assertFalse(cases.is_daily(case), case)


def result(behavior: str, close: str = "OK", case: str = "1.1.1") -> Result:
    return Result(case, behavior, close, 1.5, "a reason")


class Judging(unittest.TestCase):
    def test_is_strict(self):
        for behavior in ("OK", "INFORMATIONAL"):
            self.assertTrue(result(behavior).passed)
        for behavior in ("NON-STRICT", "FAILED", "UNIMPLEMENTED", "MISSING"):
            self.assertFalse(result(behavior).passed, behavior)

    def test_the_end_counts_where_the_rfc_says_how(self):
        self.assertTrue(result("OK", "INFORMATIONAL").passed)
        self.assertTrue(result("INFORMATIONAL", "UNCLEAN").passed)
        for close in ("FAILED", "WRONG CODE", "UNCLEAN", "FAILED BY CLIENT", "MISSING"):
            self.assertFalse(result("OK", close).passed, close)

    def test_table_and_failures(self):
        columns = {"off": [result("OK")],
                   "both": [result("OK"), result("FAILED", case="12.1.2")]}  # fmt: skip
        lines = [" ".join(line.split()) for line in report.table(columns).split("\n")]
        self.assertEqual(lines, ["section off both", "1 frames 1/1 1.5 s 1/1 1.5 s",
                                 "12 deflate: five files - 0/1 1.5 s",
                                 "all 1/1 1.5 s 1/2 3.0 s"])  # fmt: skip
        self.assertEqual(report.failures(columns), ["both: 12.1.2: FAILED, close OK. a reason"])
        self.assertEqual(report.slowest(columns, 1), ["    1.5 s  1.1.1 off"])


class Reading(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def test_a_case_without_a_report_is_missing(self):
        found = report.read(self.folder, ["1.1.1"])
        self.assertEqual([(r.case, r.behavior, r.passed) for r in found],
                         [("1.1.1", "MISSING", False)])  # fmt: skip

    def test_a_failure_says_why(self):
        entry = {"behavior": "OK", "behaviorClose": "WRONG CODE", "remoteCloseCode": 1006,
                 "duration": 20, "reportfile": "case.json"}  # fmt: skip
        good = {**entry, "behaviorClose": "OK"}
        index = {"ssxrver": {"7.1.1": entry, "7.1.2": good}}
        (self.folder / "index.json").write_text(json.dumps(index))
        (self.folder / "case.json").write_text(json.dumps({"result": "a", "resultClose": "b"}))
        found = report.read(self.folder, ["7.1.2", "7.1.1"])
        self.assertEqual([r.passed for r in found], [True, False])
        self.assertEqual(str(found[1]), "7.1.1: OK, close WRONG CODE. b Close code 1006.")


class Fetching(unittest.TestCase):
    def test_every_package_has_a_hash(self):
        lines = suite.PACKAGES.read_text(encoding="utf-8").splitlines()
        found = suite.pinned("\n".join(lines))
        self.assertEqual(len(found), sum("==" in line for line in lines))
        self.assertTrue(any(name.startswith("autobahntestsuite-") for name in found))

    def test_another_archive_is_not_taken(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "a.tar.gz"
            digest = hashlib.sha256(b"abc").hexdigest()
            self.assertFalse(suite.is_intact(file, digest))
            file.write_bytes(b"abc")
            self.assertTrue(suite.is_intact(file, digest))
            file.write_bytes(b"abd")
            self.assertFalse(suite.is_intact(file, digest))


if __name__ == "__main__":
    unittest.main()
