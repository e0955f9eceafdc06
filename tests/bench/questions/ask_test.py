#!/usr/bin/env python3
"""Tests of the parts of ask.py: what they read, compare and print."""

from __future__ import annotations

import contextlib
import io
import json
import os
import socket
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import ask
from httpbench import document, rows

from asking import accept, assembly, google, markdown, memory, programs, trigger
from asking.model import Answer, AskError, Code, Grid, Plan

_HERE = Path(__file__).resolve().parent
GRID = Grid(("ns", "one", "two"), (("fast", "1.00", "2.00"),))
ANSWER = Answer("parser", (GRID, Code("`f`:", "asm", "    ret\n")))
PLACES = """# Title

<!-- ask.py parser -->
old
<!-- /ask.py -->

between

<!-- ask.py log -->
<!-- /ask.py -->
"""


def a_plan(folder: Path) -> Plan:
    return Plan(folder, _HERE.parents[2], 3, 1.0, 0, 1, lambda text: None)


def benchmark(name: str, **values: float | str) -> dict[str, float | str]:
    entry = {"run_name": name, "run_type": "iteration", "time_unit": "ns",
             "cpu_time": 10.0, "real_time": 20.0}  # fmt: skip
    return {**entry, **values}


def printed(*entries: dict[str, float | str]) -> str:
    return json.dumps({"context": {}, "benchmarks": list(entries)})


class GoogleTest(unittest.TestCase):
    def test_takes_the_median_of_the_rounds(self) -> None:
        rounds = [benchmark("a/b", cpu_time=value) for value in (9.0, 1.0, 2.0)]
        self.assertEqual(google.figures(printed(*rounds))["a/b"].ns, 2.0)

    def test_counts_items_where_the_program_does(self) -> None:
        read = google.figures(printed(benchmark("a/b", items_per_second=2e8, held=4096.0)))
        self.assertEqual(read["a/b"], google.Figure(5.0, {"held": 4096.0}))

    def test_a_clock_of_its_own_is_not_in_the_name(self) -> None:
        read = google.figures(printed(benchmark("a/b/real_time", time_unit="us")))
        self.assertEqual(read["a/b"].ns, 20_000.0)

    def test_aggregates_are_left_out(self) -> None:
        self.assertEqual(google.figures(printed(benchmark("a/b", run_type="aggregate"))), {})

    def test_a_pivot_has_the_columns_that_were_measured(self) -> None:
        measured = google.figures(printed(benchmark("r/a"), benchmark("s/a"), benchmark("s/b")))
        rows, columns = {"r": "first", "s": "second"}, {"a": "A", "b": "B", "c": "C"}
        grid = google.pivot(measured, "ns", rows, columns)
        self.assertEqual(grid.headings, ("ns", "A", "B"))
        self.assertEqual(grid.lines, (("first", "10.0", "-"), ("second", "10.0", "10.0")))

    def test_numbers_have_three_digits_that_count(self) -> None:
        seen = [google.number(value) for value in (0.123, 9.876, 12.34, 123.4, 12345.6)]
        self.assertEqual(seen, ["0.12", "9.88", "12.3", "123", "12,346"])

    def test_a_program_that_fails_is_said_so(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            program = Path(name) / "fails"
            program.write_text("#!/bin/sh\necho no >&2\nexit 3\n")
            program.chmod(0o755)
            with self.assertRaisesRegex(AskError, "ended with 3: no"):
                google.run(a_plan(Path(name)), program)


class MarkdownTest(unittest.TestCase):
    def test_a_table_and_code(self) -> None:
        text = markdown.as_markdown(ANSWER)
        self.assertEqual(text, "| ns | one | two |\n| --- | --- | --- |\n| fast | 1.00 | 2.00 |\n"
                               "\n`f`:\n\n```asm\n    ret\n```\n")  # fmt: skip

    def test_the_document_has_a_place_for_every_question(self) -> None:
        text = (_HERE.parents[2] / "docs" / "benchmarks" / "questions.md").read_text()
        answers = {key: "an answer\n" for key in ("facts", *ask.QUESTIONS)}
        self.assertEqual(
            document.filled(text, "ask.py", answers).count("an answer\n"), len(answers)
        )


class AssemblyTest(unittest.TestCase):
    PRINTED = """\
\t.file\t"x.cc"
_ZN3ssx9questions12ends_by_viewESt17basic_string_viewIcSt11char_traitsIcEE:
.LFB1:
\tmovzx\teax, BYTE PTR [rsi]
\tje\t.L3
\tjmp\t_ZN3ssx9questions14ends_by_stringERKNSt7__cxx1112basic_stringIcEE@PLT
.L3:
\tcall\t_ZdlPvm@PLT  # comment
\tret
\t.size\tx, 3
_ZN5other1fEv:
\tnop
"""

    def test_keeps_instructions_with_plain_names(self) -> None:
        bodies = assembly.functions(self.PRINTED)
        self.assertEqual(list(bodies), ["ends_by_view"])
        wanted = ("    movzx eax, BYTE PTR [rsi]\n    je .L3\n    jmp ends_by_string\n.L3:\n"
                  "    call operator delete\n    ret\n")  # fmt: skip
        self.assertEqual(bodies["ends_by_view"], wanted)


class ProgramsTest(unittest.TestCase):
    def test_every_connection_count_is_in_the_table_of_buffers(self) -> None:
        names = [f"{row}/{way}/{count}" for row in programs._ARRIVALS
                 for way in programs._BUFFERS for count in (1, 1000)]  # fmt: skip
        names += [f"{row}/{way}/1" for row in programs._LARGE for way in programs._BUFFERS]
        names += ["parse/contiguous", "parse/wrapped", "receive/recv", "receive/readv"]
        measured = google.figures(printed(*(benchmark(name, held=1024.0) for name in names)))
        with self._measured(measured), tempfile.TemporaryDirectory() as name:
            (Path(name) / "buffers_question").touch()
            answer = programs.buffers(a_plan(Path(name)))
        self.assertEqual(len(answer.parts), 3)
        first = answer.parts[0]
        assert isinstance(first, Grid)
        self.assertEqual(first.lines[0][1], "10.0; 10.0; 1,024")

    def test_a_program_that_is_not_built_is_said_so(self) -> None:
        with tempfile.TemporaryDirectory() as name, self.assertRaisesRegex(AskError, "no log_"):
            programs.log(a_plan(Path(name)))

    @staticmethod
    def _measured(figures: google.Figures) -> contextlib.AbstractContextManager[object]:
        return mock.patch.object(google, "run", return_value=figures)


class MemoryTest(unittest.TestCase):
    def test_the_daemon_starts_under_the_library(self) -> None:
        server = memory.Preloaded(Path("/x/ssxrver"), memory.Allocator("other", "/lib/other.so"))
        with tempfile.TemporaryDirectory() as name:
            place = memory.servers.Place(1, Path(name), Path(name))
            command = server.command(place, memory.rows.select(["hello"])[0])
        self.assertEqual(command[:3], ["env", "LD_PRELOAD=/lib/other.so", "/x/ssxrver"])

    def test_a_library_that_was_not_loaded_is_found_out(self) -> None:
        memory._check_preloaded(os.getpid(), memory.Allocator("glibc"))
        with self.assertRaisesRegex(AskError, "/lib/nothing.so is not in the daemon"):
            memory._check_preloaded(os.getpid(), memory.Allocator("none", "/lib/nothing.so"))


class TriggerTest(unittest.TestCase):
    def test_calls_are_added_up(self) -> None:
        one = {"cpu_us": 4.0, "wait": 0.25, "receive": 1.0, "send": 1.0, "control": 0.0}
        line = trigger._line("row", "level", [one, {**one, "cpu_us": 6.0}, {**one, "cpu_us": 5.0}])
        self.assertEqual(line, ("row", "level", "5.00", "2.25", "0.25", "1.00", "1.00", "0.00"))


class AcceptTest(unittest.TestCase):
    def test_sockets_of_a_poller_are_counted(self) -> None:
        import select

        one, other = socket.socketpair()
        with one, other, contextlib.closing(select.epoll()) as poller:
            before = accept.polled(os.getpid())[poller.fileno()]
            poller.register(one, select.EPOLLIN)
            poller.register(other, select.EPOLLIN)
            self.assertEqual(accept.polled(os.getpid())[poller.fileno()] - before, 2)

    def test_the_daemon_has_the_mode_and_the_workers(self) -> None:
        server = accept.Accepting(Path("/x/ssxrver"), "exclusive", 2)
        row = rows.select(["connect"])[0]
        config = server.config(accept.Place(1, Path("/tmp"), Path("/tmp")), row)
        self.assertEqual(config["worker_processes"], 2)
        self.assertEqual(config["loop"], {"accept": "exclusive"})


class AskTest(unittest.TestCase):
    def test_the_facts_tell_of_what_commit_and_by_what_compiler_the_answers_are(self) -> None:
        known = {"date": "today", "machine": "m", "commit": "abc", "g++": "12"}
        (grid,) = ask._facts(known, "7 rounds").parts
        assert isinstance(grid, Grid)
        self.assertEqual(grid.lines, tuple(known.items()))

    def test_an_answer_survives_json(self) -> None:
        again = Answer.from_json(json.loads(json.dumps(ANSWER.to_json())))
        self.assertEqual(again, ANSWER)

    def test_a_replay_fills_a_document(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            saved, page = Path(name) / "saved", Path(name) / "page"
            saved.write_text(json.dumps([ANSWER.to_json()]))
            page.write_text(PLACES)
            with contextlib.redirect_stdout(io.StringIO()):
                status = ask.main(["parser", "--replay", str(saved), "--page", str(page)])
            self.assertEqual(status, 0)
            self.assertIn("| fast |", page.read_text())

    def test_a_question_without_an_answer_is_an_error(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            saved = Path(name) / "saved"
            saved.write_text(json.dumps([ANSWER.to_json()]))
            with contextlib.redirect_stdout(io.StringIO()):
                self.assertEqual(ask.main(["log", "--replay", str(saved)]), 1)

    def test_an_unknown_question_is_refused(self) -> None:
        with contextlib.redirect_stderr(io.StringIO()) as said, self.assertRaises(SystemExit):
            ask.main(["why"])
        self.assertIn("no question why", said.getvalue())


if __name__ == "__main__":
    sys.exit(unittest.main())
