#!/usr/bin/env python3
"""Our WebSockets pass the suite, strictly, and the suite sees what a broken server does.

usage: autobahn_test.py --build FOLDER --echo PROGRAM --client PROGRAM

What runs with every change: frames, texts, closing, and a part of permessage-deflate. run.py runs
all. Where the suite cannot be had, the test is skipped, or fails with SSX_REQUIRE_PEERS=1.
"""

import argparse
import sys
import unittest
from pathlib import Path

import cases
import echo
import fuzzer
import own_client
import report
import suite

import peer
from daemon import Program

HERE = Path(__file__).resolve().parent
OPTIONS = argparse.Namespace()
SECONDS = 150.0  # half a minute, where nothing else runs

# One case of each kind that the broken server should fail: reserved bits, opcodes, fragments,
# UTF-8, close frames.
BROKEN = ("3.2", "4.1.1", "5.1", "6.3.1", "7.3.6", "7.9.1")
HARMLESS = ("1.1.2", "1.2.2", "7.1.1")


class Autobahn(unittest.TestCase):
    def test_there_are_all_cases(self):
        self.assertEqual(len(OPTIONS.cases), cases.COUNT)
        self.assertLessEqual({*BROKEN, *HARMLESS}, {*OPTIONS.cases})

    def test_our_server_passes(self):
        selected = [case for case in OPTIONS.cases if cases.is_daily(case)]
        columns = echo.run(OPTIONS.suite, OPTIONS.echo, selected, OPTIONS.folder, SECONDS)
        print(report.table(columns))
        self.assertEqual(report.failures(columns), [])

    def test_our_client_passes(self):
        selected = [case for case in OPTIONS.cases if cases.is_daily(case)]
        columns = own_client.run(OPTIONS.suite, OPTIONS.client, selected, OPTIONS.folder, SECONDS)
        print(report.table(columns))
        self.assertEqual(report.failures(columns), [])

    def test_a_broken_server_does_not(self):
        task = fuzzer.Task([*BROKEN, *HARMLESS], OPTIONS.folder / "broken", SECONDS)
        with Program(sys.executable, str(HERE / "broken_echo.py")) as server:
            url = server.url.replace("http:", "ws:")
            results = fuzzer.against_server(OPTIONS.suite, task, url, "broken")
        self.assertEqual([r.case for r in results if not r.passed], [*BROKEN])
        self.assertNotIn("MISSING", [r.behavior for r in results])

    def test_a_client_that_is_known_passes(self):
        python = peer.python_with("websockets") or peer.missing("python3-websockets")
        task = fuzzer.Task(cases.matching(OPTIONS.cases, ["1.1.*", "7.1.*"]),
                           OPTIONS.folder / "client", SECONDS)  # fmt: skip
        client = [python, str(HERE / "reference_client.py")]
        columns = {"client": fuzzer.for_client(OPTIONS.suite, task, client)}
        self.assertEqual(report.failures(columns), [])
        self.assertGreater(len(task.cases), 10)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--echo", type=Path, required=True)
    parser.add_argument("--client", type=Path, required=True)
    rest = parser.parse_known_args(namespace=OPTIONS)[1]
    OPTIONS.folder = OPTIONS.build.resolve() / "autobahn"
    try:
        OPTIONS.suite = suite.prepare(OPTIONS.folder)
    except suite.Missing as missing:
        peer.missing("Autobahn|Testsuite", str(missing))
    OPTIONS.cases = fuzzer.all_cases(OPTIONS.suite)
    unittest.main(argv=[sys.argv[0], *rest])
