#!/usr/bin/env python3
"""Tests of the speed table's central figure: what a request costs, out of what a load and a meter
say, and that nobody is loaded who answers wrong."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from unittest import mock

import fake_http
from httpbench import generator, load, model, parse, proc, rows, runner, servers, tracing
from httpbench.model import Kind, Sample

PID, PORT, CORE = 4711, 81, min(os.sched_getaffinity(0))
URL = f"http://127.0.0.1:{PORT}"
WRK = """Running 2s test @ http://127.0.0.1:81/
  1 threads and 100 connections
Requests/sec: 200.00
httpbench requests=400 bytes=1300000 duration_us=2000000 errors=2 p50_us=640 p99_us=1200
"""
OWN = {"answered": 400, "per_second": 200.0, "failed_status": 2, "failed_timeout": 3,
       "latency_p50_us": 650.0, "latency_p99_us": 1300.0, "server_cpu_us_each": 2.0,
       "server_resident_after": 1_000_000}  # fmt: skip
MANY = {**OWN, "per_second": 150.0, "failed_status": 40, "latency_p50_us": 7000.0,
        "latency_p99_us": 9000.0, "server_cpu_us_each": 3.0,
        "server_resident_after": 50_000_000}  # fmt: skip
WEBBENCH = """Runing info: 100 clients, running 2 sec.

Speed=12000 pages/min, 650000 bytes/sec.
Requests: 400 susceed, 7 failed.
"""
COMPLAINT = "echo 'unable to connect' >&2\nexit 1\n"


def a_row(key: str) -> model.Row:
    return rows.select([key])[0]


def says(text: str) -> str:
    return f"cat <<'END'\n{text}END\n"


def says_json(result: dict[str, float]) -> str:
    return says(json.dumps(result) + "\n")


def by_option(scripts: dict[str, str]) -> str:
    cases = "".join(f'*"{option} "*) {script};;\n' for option, script in scripts.items())
    return f'case "$*" in\n{cases}esac\n'


class Faked(unittest.TestCase):
    """Scripts of a folder of its own stand for the generators."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.bench = load.Bench(2, (CORE,), self.folder / "ssxrver-bench")
        path = mock.patch.dict(os.environ, PATH=f"{self.folder}:{os.environ['PATH']}")
        path.start()
        self.addCleanup(path.stop)

    def fake(self, name: str, script: str) -> None:
        """It notes how it was called, and on which cores."""
        cores = "$(sed -n 's/^Cpus_allowed_list:.//p' /proc/self/status)"
        note = f'echo "{cores} {name} $*" >> {self.folder}/asked\n'
        (self.folder / name).write_text(f"#!/bin/sh\n{note}{script}")
        (self.folder / name).chmod(0o755)

    def asked(self) -> list[str]:
        """The calls, oldest first."""
        file = self.folder / "asked"
        return file.read_text().splitlines() if file.exists() else []

    def measure(self, key: str, wire_size: int = 0) -> Sample:
        """The load costs the server half a second and 1000 sleeps, and 2 MB stay."""
        (self.folder / "asked").unlink(missing_ok=True)

        def reading(before: float, after: float) -> Callable[[int], float]:
            return lambda pid: (after if self.asked() else before) if pid == PID else 0

        with mock.patch.multiple(proc, cpu_seconds=reading(10.0, 10.5), sleeps=reading(300, 1300),
                                 resident_bytes=reading(5e6, 7e6)):  # fmt: skip
            return load.measure(self.bench, PORT, PID, a_row(key), wire_size)

    def check_error(self, error: type[Exception], key: str, text: str) -> None:
        with self.assertRaisesRegex(error, text):
            self.measure(key)


class Measure(Faked):
    def test_cpu_time_of_the_load_is_divided_by_the_requests(self) -> None:
        self.fake("wrk", says(WRK))
        self.assertEqual(self.measure("hello"), Sample(1250.0, 200.0, 2, 640.0, 1200.0, 7e6))

    def test_big_answers_are_counted_in_bytes(self) -> None:
        self.fake("wrk", says(WRK))
        self.assertEqual(self.measure("file1m", 650), Sample(250.0, 1000.0, 2, 640.0, 1200.0, 7e6))

    def test_where_each_request_connects_wake_ups_are_counted(self) -> None:
        self.fake("ssxrver-bench", says_json(OWN))
        wanted = Sample(1250.0, 200.0, 5, 650.0, 1300.0, 7e6, 2.5)
        self.assertEqual(self.measure("connect"), wanted)

    def test_the_exit_status_of_webbench_is_no_failure(self) -> None:
        for name, key in (("webbench", "webbench"), ("ssxrver-bench", "two_web")):
            self.fake(name, says(WEBBENCH) + "exit 3\n")
            self.assertEqual(self.measure(key), Sample(1250.0, 200.0, 7, 0, 0, 7e6, 2.5))

    def test_not_one_request_is_an_error(self) -> None:
        self.fake("wrk", says(WRK.replace("=400", "=0")))
        self.fake("ssxrver-bench", says_json({**OWN, "answered": 0, "per_second": 0.0}))
        self.fake("webbench", says(WEBBENCH.replace("400", "0")))
        for key in ("hello", "connect", "webbench"):
            self.check_error(load.LoadError, key, "^not one request was answered$")

    def test_less_than_one_answer_in_bytes_is_none(self) -> None:
        self.fake("wrk", says(WRK))
        with self.assertRaisesRegex(load.LoadError, "not one request"):
            self.measure("file16m", 1_300_001)


class Generate(Faked):
    def told(self, kind: Kind, key: str) -> str:
        load.generate(self.bench, PORT, PID, kind, a_row(key))
        return self.asked()[-1]

    def test_each_is_told_what_the_row_asks_for_and_runs_on_its_core(self) -> None:
        self.fake("wrk", says(WRK))
        self.fake("webbench", says(WEBBENCH))
        wrk = self.told(Kind.WRK, "pipeline")
        self.assertTrue(wrk.startswith(f"{CORE} wrk -t1 -c100 -d2s "), wrk)
        self.assertTrue(wrk.endswith(f"/load.lua {URL}/ -- 16"), wrk)
        self.assertTrue(self.told(Kind.WRK, "hello_varied").endswith(f" {URL}/ -- 1 varied"))
        options = f"-c 100 -t 2 {URL}/f612.bin"
        self.assertEqual(self.told(Kind.WEBBENCH, "file612"), f"{CORE} webbench {options}")
        self.fake("ssxrver-bench", says(WEBBENCH))
        self.assertEqual(self.told(Kind.WEB, "file612"), f"{CORE} ssxrver-bench web {options}")
        self.fake("ssxrver-bench", says_json(OWN))
        each = self.told(Kind.EACH, "connect")
        self.assertTrue(each.startswith(f"{CORE} ssxrver-bench http {URL}/ --pid {PID} "), each)
        self.assertTrue(each.endswith(" --each -c 100 -d 2s --warm-up 0s"), each)

    def test_a_load_that_does_not_end_is_ended(self) -> None:
        self.bench = load.Bench(0, (CORE,), self.bench.own)
        loads = {"wrk": "hello", "ssxrver-bench": "connect", "webbench": "webbench"}
        with mock.patch.object(load, "GRACE", 0.2), mock.patch.object(generator, "GRACE", 0.2):
            for name, key in loads.items():
                self.fake(name, "exec sleep 5\n")
                self.check_error(load.LoadError, key, f"^{name} did not end in time$")

    def test_what_fails_is_an_error_with_its_complaint(self) -> None:
        for said in ("", says(WRK)):
            self.fake("wrk", said + COMPLAINT)
            self.check_error(load.LoadError, "hello", "^wrk ended with 1: unable to connect$")
        self.fake("ssxrver-bench", COMPLAINT)
        self.check_error(load.LoadError, "connect", "^unable to connect$")

    def test_a_webbench_without_a_result_is_an_error(self) -> None:
        self.fake("webbench", COMPLAINT)
        self.check_error(load.LoadError, "webbench", "^webbench ended with 1: unable to connect$")
        self.fake("webbench", "echo nothing of it\n")
        self.check_error(parse.ParseError, "webbench", "^no webbench request count")

    def test_a_result_that_is_cut_is_an_error(self) -> None:
        self.fake("ssxrver-bench", says(says_json(OWN)[len("cat <<'END'\n"):40]))
        self.check_error(load.LoadError, "connect", "^ssxrver-bench did not say all of it$")


class Growth(Faked):
    def growth(self, few: dict[str, float], many: dict[str, float]) -> Sample:
        answers = {" -c 100": says_json(few), " -c 10000": says_json(many)}
        self.fake("ssxrver-bench", by_option(answers))
        return load.growth(self.bench, PORT, PID, a_row("growth"))

    def test_the_cost_with_many_connections_is_divided_by_that_with_few(self) -> None:
        wanted = Sample(1.5, 150.0, 2 + 3 + 40 + 3, 7000.0, 9000.0, 50e6)
        self.assertEqual(self.growth(OWN, MANY), wanted)
        few, many = self.asked()
        self.assertTrue(few.endswith(" -c 100 -d 2s --warm-up 1s"), few)
        self.assertTrue(many.endswith(" -c 10000 -d 2s --warm-up 1s"), many)

    def test_a_cost_of_nothing_divides_nothing(self) -> None:
        with self.assertRaisesRegex(load.LoadError, "^the few cost the server nothing"):
            self.growth({**OWN, "server_cpu_us_each": 0.0}, MANY)

    def test_not_one_request_of_either_is_an_error(self) -> None:
        for few, many in ((0, 400), (400, 0)):
            with self.assertRaisesRegex(load.LoadError, "^not one request was answered$"):
                self.growth({**OWN, "answered": few}, {**MANY, "answered": many})


class SystemCalls(Faked):
    def test_those_of_a_longer_load_less_those_of_a_short_one(self) -> None:
        own = [says_json({**OWN, "answered": answers}) for answers in (200, 600)]
        wrk = [says(WRK.replace("=400", f"={answers}")) for answers in (200, 600)]
        self.fake("ssxrver-bench", by_option({" -d 1s": own[0], " -d 3s": own[1]}))
        self.fake("wrk", by_option({" -d1s": wrk[0], " -d3s": wrk[1]}))
        report = self.folder / "report"
        for key, name in (("syscalls", "wrk"), ("syscalls_connect", "ssxrver-bench")):
            calls = iter([650, 1850])

            @contextlib.contextmanager
            def strace(pids: Sequence[int], report: Path) -> Iterator[None]:
                self.assertEqual(pids, [PID, PID + 1])
                yield
                report.write_text(f"100.00    0.150000   5   {next(calls)}      total\n")

            with mock.patch.object(tracing, "_strace", strace), \
                 mock.patch.object(proc, "tree", lambda pid: [pid, pid + 1]):  # fmt: skip
                sample = load.system_calls(self.bench, PORT, PID, a_row(key), report)
            self.assertEqual(sample, Sample(3.0))
            self.assertEqual([line.split()[1] for line in self.asked()[-2:]], [name] * 2)


class Answering(Faked):
    """A server is started, asked, and loaded only when its answers are right."""

    def run_row(self, *wrong: str) -> model.Table:
        """Servers of the hello with this made wrong; two rounds."""
        program = f"{sys.executable} {fake_http.__file__} {{port}}"
        listed = [servers.Custom(name or "right", f"{program} {name}") for name in wrong]
        table = model.Table()
        with runner.make_site() as site:
            plan = runner.Plan([a_row("hello")], listed, 2, 1, 1, CORE, CORE, self.bench.own)
            runner.Runner(plan, site, table, lambda text: None, lambda kept: None).run_all()
        return table

    def test_a_server_that_answers_wrong_is_not_timed(self) -> None:
        self.fake("wrk", says(WRK))
        table = self.run_row("body", "short", "", "long", "status", "later")
        self.assertEqual({cell.server: cell.note for cell in table.cells}, {
            "body": "wrong answer: body of 12 bytes differs from the 12 expected",
            "short": "wrong answer: body of 11 bytes differs from the 12 expected",
            "right": "",
            "long": "wrong answer: connection closed early",
            "status": "wrong answer: status 500",
            "later": "wrong answer: status 503"})  # fmt: skip
        taken = {cell.server: len(cell.samples(0)) for cell in table.cells if cell.samples(0)}
        self.assertEqual(taken, {"right": 2})
        self.assertEqual(len(self.asked()), 2)

    def test_a_server_that_does_not_end_is_a_note_and_the_plan_goes_on(self) -> None:
        def stop(process: subprocess.Popen[bytes]) -> None:
            process.kill()
            process.wait()
            raise subprocess.TimeoutExpired(["server"], 5)

        self.fake("wrk", says(WRK))
        with mock.patch.object(servers.proc, "stop", stop):
            cell = self.run_row("").cell("hello", "right")
        self.assertIn("timed out after 5 seconds", cell.note)
        self.assertEqual(len(cell.samples(0)), 2)

    def test_a_load_that_fails_is_a_note_and_no_sample(self) -> None:
        self.fake("wrk", COMPLAINT)
        cell = self.run_row("").cell("hello", "right")
        self.assertEqual((cell.note, cell.samples(0)), ("wrk ended with 1: unable to connect", []))
        self.assertEqual(len(self.asked()), 1)


if __name__ == "__main__":
    unittest.main()
