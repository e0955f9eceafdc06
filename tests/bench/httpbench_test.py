#!/usr/bin/env python3
"""Tests of the speed table's own parts: what it computes, reads and prints."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

import meter
from fake_http import Handler, serving
from httpbench import checks, client, load, meters, model, parse, peers, proc, rows, runner
from httpbench import server, servers, stats, tracing
from httpbench.model import FLOOR, NGINX, REUSEPORT, THREAD, Kind, Table

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import peer  # noqa: E402

WRK = """Running 3s test @ http://127.0.0.1:1/
  1 threads and 100 connections
Requests/sec: 140332.00
httpbench requests=423000 bytes=65000000 duration_us=3014000 errors=2 p50_us=640 p99_us=1200
"""
OWN = {"answered": 45000, "per_second": 15000.0, "failed_status": 2, "failed_timeout": 3,
       "latency_p50_us": 640.0, "latency_p99_us": 900.0}  # fmt: skip
WEBBENCH = "Speed=900000 pages/min, 2000000 bytes/sec.\nRequests: 45000 susceed, 1 failed.\n"
STRACE = """% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- ----------------
 70.00    0.100000           5      1000           sendto
 30.00    0.050000           5      1020        20 recvfrom
------ ----------- ----------- --------- --------- ----------------
100.00    0.150000           5      2020        20 total
"""


def a_row(key: str) -> model.Row:
    return rows.select([key])[0]


# Its second thread makes these calls, and nobody else does.
CALLS = 1000
TRACED = f"""import os, sys, threading
told = threading.Event()
def work():
    told.wait()
    for _ in range({CALLS}):
        os.getppid()
thread = threading.Thread(target=work)
thread.start()
print('up', flush=True)
sys.stdin.readline()
told.set()
thread.join()
print('done', flush=True)
sys.stdin.readline()
"""


class Tracing(unittest.TestCase):
    def test_what_connects_is_not_counted(self) -> None:
        counts = iter([(100, 10), (700, 210)])
        with mock.patch.object(tracing, "_count", lambda *_: next(counts)):
            self.assertEqual(tracing.calls_each([1], Path("x"), 3, lambda _: 0), 3.0)

    def test_a_longer_load_without_more_answers_is_an_error(self) -> None:
        with mock.patch.object(tracing, "_count", lambda *_: (5, 10)):
            with self.assertRaises(tracing.TraceError):
                tracing.calls_each([1], Path("x"), 3, lambda _: 0)

    def test_the_calls_of_all_threads_are_counted_while_the_block_runs(self) -> None:
        if not shutil.which("strace"):
            self.lacking("strace is not installed")
        with tempfile.TemporaryDirectory() as folder, subprocess.Popen(
            [sys.executable, "-c", TRACED], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdin is not None and process.stdout is not None
            self.assertEqual(process.stdout.readline(), "up\n")
            report = Path(folder) / "report"
            try:
                with tracing._strace([process.pid], report):
                    traced = self.are_traced(process.pid)
                    print(file=process.stdin, flush=True)
                    self.assertEqual(process.stdout.readline(), "done\n")
            except tracing.TraceError as error:
                if "Operation not permitted" not in str(error):
                    raise
                self.lacking(str(error))
            self.assertEqual(traced, [True, True])
            self.assertFalse(any(self.are_traced(process.pid)))
            text = report.read_text()
        self.assertRegex(text, rf"(?m)\s{CALLS}\s+getppid$")
        self.assertGreater(parse.strace_calls(text), CALLS)

    def lacking(self, why: str) -> None:
        self.assertFalse(peer.required(), why)
        self.skipTest(why)

    @staticmethod
    def are_traced(pid: int) -> list[bool]:
        """Thread by thread."""
        tasks = Path(f"/proc/{pid}/task").iterdir()
        return [tracing._tracer_of(int(task.name)) != 0 for task in tasks]

    def test_a_tracer_that_ends_or_never_attaches_is_told(self) -> None:
        for command, patience in (("true", tracing.PATIENCE), ("cat", -1.0)):
            with tempfile.TemporaryDirectory() as folder, \
                 subprocess.Popen([command], stdin=subprocess.PIPE) as tracer, \
                 mock.patch.object(tracing, "PATIENCE", patience), \
                 mock.patch.object(tracing.time, "sleep", side_effect=AssertionError):  # fmt: skip
                if command == "true":
                    tracer.wait()
                messages = Path(folder) / "messages"
                messages.write_text("not you\n")
                with self.assertRaisesRegex(tracing.TraceError, "could not attach: not you$"):
                    tracing._wait_attached(tracer, [os.getpid()], messages)


class Stats(unittest.TestCase):
    def test_quartiles_of_seven_rounds(self) -> None:
        self.assertEqual(stats.spread([7, 1, 3, 2, 6, 5, 4]), stats.Spread(2.5, 4, 5.5, 7))

    def test_one_value_is_its_own_quartiles(self) -> None:
        self.assertEqual(stats.spread([3.0]), stats.Spread(3.0, 3.0, 3.0, 1))

    def test_no_values_are_an_error(self) -> None:
        with self.assertRaises(ValueError):
            stats.spread([])

    def test_ratios_pair_the_rounds_so_that_common_noise_cancels(self) -> None:
        self.assertEqual(stats.round_ratios([2.0, 20.0], [1.0, 10.0]), [2.0, 2.0])

    def test_a_reference_of_zero_gives_no_ratio(self) -> None:
        self.assertEqual(stats.round_ratios([2.0, 3.0], [0.0, 1.0]), [3.0])

    def test_a_target_is_met_at_the_limit_and_not_above(self) -> None:
        self.assertTrue(stats.is_met(1.08, 1.08))
        self.assertFalse(stats.is_met(1.0801, 1.08))


class Parse(unittest.TestCase):
    def test_reads_the_line_of_our_wrk_script(self) -> None:
        result = parse.wrk(WRK)
        self.assertEqual((result.requests, result.bytes, result.errors), (423000, 65000000, 2))
        self.assertEqual((result.seconds, result.p50_us, result.p99_us), (3.014, 640, 1200))

    def test_wrk_without_the_line_is_an_error(self) -> None:
        with self.assertRaises(parse.ParseError):
            parse.wrk("unable to connect")

    def test_wrk_with_a_key_missing_is_an_error(self) -> None:
        with self.assertRaises(parse.ParseError):
            parse.wrk("httpbench requests=1 bytes=2\n")

    def test_reads_our_own_load_and_counts_failures_of_every_kind(self) -> None:
        result = parse.own(OWN)
        self.assertEqual((result.requests, result.seconds, result.errors), (45000, 3.0, 5))
        self.assertEqual((result.p50_us, result.p99_us), (640, 900))

    def test_reads_webbench(self) -> None:
        self.assertEqual(parse.webbench(WEBBENCH, 3), parse.LoadResult(45000, 3, 1))

    def test_reads_the_total_of_strace_with_and_without_errors(self) -> None:
        self.assertEqual(parse.strace_calls(STRACE), 2020)
        self.assertEqual(parse.strace_calls(STRACE.replace("20 total", "   total")), 2020)

    def test_strace_without_a_total_is_an_error(self) -> None:
        with self.assertRaises(parse.ParseError):
            parse.strace_calls("")


class Rows(unittest.TestCase):
    def test_no_names_mean_every_row(self) -> None:
        self.assertEqual(rows.select([]), rows.all_rows())

    def test_an_unknown_row_is_named(self) -> None:
        with self.assertRaisesRegex(ValueError, "no row nonsense; there are hello,"):
            rows.select(["hello", "nonsense"])

    def test_keys_are_unique(self) -> None:
        keys = [row.key for row in rows.all_rows()]
        self.assertEqual(len(keys), len(set(keys)))

    def test_the_embedded_program_is_asked_for_no_files(self) -> None:
        self.assertFalse(rows.serves(model.APP, a_row("file612")))
        self.assertTrue(rows.serves(model.APP, a_row("hello")))
        self.assertTrue(rows.serves(NGINX, a_row("file612")))

    def test_routed_json_is_asked_of_frameworks_and_the_floor(self) -> None:
        for server in (FLOOR, model.APP, model.BEAST, model.DROGON, model.BUN, "somebody's"):
            self.assertTrue(rows.serves(server, a_row("json")), server)
        for server in (NGINX, model.H2O, REUSEPORT, THREAD):
            self.assertFalse(rows.serves(server, a_row("json")), server)
        self.assertFalse(rows.serves(model.DROGON, a_row("hello")))

    def test_who_has_one_worker_is_not_asked_for_two(self) -> None:
        self.assertFalse(rows.serves(model.BUN, a_row("two")))
        self.assertTrue(rows.serves(model.UWEBSOCKETS, a_row("two")))

    def test_the_table_of_2021_is_that_of_nginx_apache_and_us_and_whom_one_adds(self) -> None:
        for server in (FLOOR, NGINX, model.APACHE, REUSEPORT, THREAD, "somebody's"):
            self.assertTrue(rows.serves(server, a_row("two_web")), server)
        for server in (model.H2O, model.UWEBSOCKETS, model.APP):
            self.assertFalse(rows.serves(server, a_row("two_web")), server)

    def test_a_connection_per_request_may_cost_more_where_a_thread_accepts(self) -> None:
        limits = {name: target.limit for target in a_row("connect").targets
                  for name in target.servers}  # fmt: skip
        self.assertEqual(limits, {REUSEPORT: 1.08, THREAD: 1.6, model.APP: 1.6})


class Processes(unittest.TestCase):
    def test_reads_ticks_behind_a_name_with_brackets_and_blanks(self) -> None:
        stat = "42 (a) b (c) S 1 1 1 0 -1 4194304 1 2 3 4 70 30 5 6 20 0 1 0"
        self.assertEqual(proc.stat_ticks(stat), 100)

    def test_a_tree_holds_the_children(self) -> None:
        child = "'print(1, flush=True); input()'"
        script = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child}])"
        with subprocess.Popen(
            [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as parent:
            assert parent.stdout is not None and parent.stdin is not None
            parent.stdout.readline()
            self.assertEqual(len(proc.tree(parent.pid)), 2)
            self.assertGreater(proc.resident_bytes(parent.pid), 1_000_000)
            parent.stdin.write(b"\n")

    def test_the_tree_of_a_process_that_has_ended_costs_nothing(self) -> None:
        self.assertEqual(proc.cpu_seconds(2**22 + 1), 0.0)
        self.assertEqual(proc.sleeps(2**22 + 1), 0)

    def test_sleeps_are_voluntary_switches(self) -> None:
        status = "voluntary_ctxt_switches:\t12\nnonvoluntary_ctxt_switches:\t34\n"
        self.assertEqual(proc.sleeps_of(status), 12)
        before = proc.sleeps(os.getpid())
        time.sleep(0.001)
        self.assertGreater(proc.sleeps(os.getpid()), before)

    def test_stop_ends_a_process_that_does_not_listen_to_term(self) -> None:
        deaf = "from signal import *; signal(15, SIG_IGN); print(1, flush=True); pause()"
        process = subprocess.Popen([sys.executable, "-c", deaf], stdout=subprocess.PIPE)
        assert process.stdout is not None
        with process.stdout:
            process.stdout.readline()
            proc.stop(process, patience=0.05)
        self.assertEqual(process.returncode, -9)

    def test_pinning_ends_with_the_block(self) -> None:
        before = os.sched_getaffinity(0)
        with proc.pinned(min(before)):
            self.assertEqual(os.sched_getaffinity(0), {min(before)})
        self.assertEqual(os.sched_getaffinity(0), before)


class Configs(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.place = server.Place(4711, Path(folder.name), Path("/site"))

    def test_ssxrver_gets_one_worker_and_the_accept_mode(self) -> None:
        daemon = servers.Ssxrver(THREAD, Path("/x/ssxrver"), "thread")
        command = daemon.command(self.place, a_row("hello"))
        config = json.loads(Path(command[-1]).read_text())
        self.assertEqual(command[:2], ["/x/ssxrver", "-f"])
        self.assertEqual((config["port"], config["worker_processes"]), (4711, 1))
        self.assertEqual(config["loop"], {"accept": "thread"})
        self.assertEqual(config["http"]["root_path"], "/site")

    def test_who_defers_is_told_to_in_that_row_alone(self) -> None:
        daemon = servers.Ssxrver(THREAD, Path("/x/ssxrver"), "thread")
        floor = servers.Floor(FLOOR, Path("/x/epoll_http"))
        nginx = peers.known(Path("/x"))[0]
        for key, told in (("connect", False), ("connect_deferred", True)):
            row = a_row(key)
            config = json.loads(Path(daemon.command(self.place, row)[-1]).read_text())
            self.assertEqual(config.get("tcp"), {"defer_accept": "1s"} if told else None)
            self.assertEqual("-d" in floor.command(self.place, row), told)
            nginx.command(self.place, row)
            text = (self.place.folder / "nginx.conf").read_text()
            self.assertEqual("backlog=4096 deferred;" in text, told)
            self.assertEqual("backlog=4096;" in text, not told)

    def test_the_floor_looks_at_paths_only_for_files(self) -> None:
        floor = servers.Floor(FLOOR, Path("/x/epoll_http"))
        self.assertNotIn("-r", floor.command(self.place, a_row("hello")))
        self.assertIn("-r", floor.command(self.place, a_row("file612")))
        self.assertIn(rows.JSON.decode(), floor.command(self.place, a_row("json")))

    def test_the_embedded_program_is_that_of_the_row(self) -> None:
        app = servers.App(model.APP, Path("/x/hello_app"))
        self.assertEqual(app.command(self.place, a_row("hello")), ["/x/hello_app", "4711", "1"])
        self.assertEqual(app.command(self.place, a_row("json")), ["/x/json_app", "4711", "1"])

    def test_what_others_are_told_has_the_place_and_the_workers_in_it(self) -> None:
        told = {"nginx": "worker_processes 2;", "h2o": "num-threads: 2",
                "lighttpd": "server.max-worker = 2", "apache": "StartServers 2"}  # fmt: skip
        for one in peers.known(Path("/x")):
            if isinstance(one, peers.Configured):
                one.command(self.place, a_row("two"))
                text = (self.place.folder / f"{one.name}.conf").read_text()
                self.assertIn(told.pop(one.name), text)
                self.assertIn("4711", text)
                self.assertIn("/site", text)
        self.assertEqual(told, {})

    def test_bun_is_that_of_npm_where_it_was_installed_for_this(self) -> None:
        programs = self.place.folder
        here = programs / "npm" / "node_modules" / ".bin"
        here.mkdir(parents=True)
        (here / "bun").touch(mode=0o755)
        script = peers.Script(model.BUN, programs)
        self.assertEqual(script.command(self.place, a_row("hello"))[0], str(here / "bun"))

    def test_a_custom_command_gets_port_and_root(self) -> None:
        custom = servers.Custom("x", "prog --port={port} '{root}/a b' -w {workers}")
        command = custom.command(self.place, a_row("two"))
        self.assertEqual(command, ["prog", "--port=4711", "/site/a b", "-w", "2"])

    def test_says_which_program_is_missing(self) -> None:
        floor = servers.Floor(FLOOR, Path("/no/epoll_http"))
        self.assertEqual(floor.missing(), "no epoll_http in /no")


class Checks(unittest.TestCase):
    def test_a_right_answer_has_no_problem(self) -> None:
        with serving(Handler) as port:
            self.assertEqual(checks.problem(port, a_row("hello"), rows.HELLO), "")
            self.assertEqual(checks.problem(port, a_row("pipeline"), rows.HELLO), "")

    def test_where_no_two_requests_are_alike_it_is_asked_so(self) -> None:
        asked: list[str] = []

        class Noting(Handler):
            def do_GET(self) -> None:
                asked.append(self.path)
                super().do_GET()

        with serving(Noting) as port:
            self.assertEqual(checks.problem(port, a_row("hello_varied"), rows.HELLO), "")
        self.assertEqual(asked, ["/?n=1", "/?n=2"])

    def test_a_server_that_does_not_know_a_query_is_seen(self) -> None:
        class Exact(Handler):
            def do_GET(self) -> None:
                if self.path == "/":
                    return super().do_GET()
                self.send_error(404)

        with serving(Exact) as port:
            self.assertEqual(checks.problem(port, a_row("hello"), rows.HELLO), "")
            fault = checks.problem(port, a_row("hello_varied"), rows.HELLO)
        self.assertEqual(fault, "status 404")

    def test_a_wrong_body_is_seen(self) -> None:
        wrong = type("Wrong", (Handler,), {"body": b"Hello World!"})
        with serving(wrong) as port:
            fault = checks.problem(port, a_row("hello"), rows.HELLO)
        self.assertIn("body of 12 bytes differs", fault)

    def test_a_connection_that_is_not_kept_alive_is_seen(self) -> None:
        closing = type("Closing", (Handler,), {"protocol_version": "HTTP/1.0"})
        with serving(closing) as port:
            self.assertNotEqual(checks.problem(port, a_row("hello"), rows.HELLO), "")

    def test_nobody_there_is_a_problem(self) -> None:
        self.assertNotEqual(checks.problem(client.free_port(), a_row("hello"), rows.HELLO), "")

    def test_the_reader_takes_two_answers_of_one_packet(self) -> None:
        ours, theirs = socket.socketpair()
        with ours, theirs:
            theirs.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab" * 2)
            reader = client.Reader(ours)
            self.assertEqual([reader.answer().body, reader.answer().body], [b"ab", b"ab"])

    def test_the_reader_refuses_what_is_no_answer(self) -> None:
        for text in (b"SSH-2.0-x\r\n\r\n", b"HTTP/1.1 200 OK\r\n\r\n", b"HTTP/1.1 2"):
            ours, theirs = socket.socketpair()
            with ours:
                with theirs:
                    theirs.sendall(text)
                with self.assertRaises(client.HttpError):
                    client.Reader(ours).answer()


class Meters(unittest.TestCase):
    def test_idle_memory_is_what_the_connections_that_stand_have_added(self) -> None:
        asked: set[object] = set()
        opened: list[socket.socket] = []

        class Noting(Handler):
            def do_GET(self) -> None:
                asked.add(self.client_address)
                super().do_GET()

        def connect(port: int) -> socket.socket:
            opened.append(socket.create_connection((client.HOST, port), 5.0))
            return opened[-1]

        def resident_bytes(pid: int) -> int:
            self.assertEqual((pid, len(asked)), (4711, len(opened)))  # each has been answered
            return 1_000_000 + 512 * sum(one.fileno() >= 0 for one in opened)

        with serving(Noting) as port, mock.patch.object(client, "connect", connect), \
             mock.patch.object(proc, "resident_bytes", resident_bytes):  # fmt: skip
            memory = meters.idle_memory(port, 4711, "/", 20)
        self.assertEqual(memory, meters.IdleMemory(20, 1_000_000, 1_000_000 + 20 * 512))
        self.assertEqual(memory.bytes_each, 512)

    def test_idle_memory_refuses_a_server_that_closes(self) -> None:
        closing = type("Closing", (Handler,), {"protocol_version": "HTTP/1.0"})
        with serving(closing) as port, self.assertRaisesRegex(meters.MeterError, "closed"):
            meters.idle_memory(port, os.getpid(), "/", 5)

    def test_first_answer_says_when_the_server_ended_instead(self) -> None:
        argv = [sys.executable, "-c", "raise SystemExit(3)"]
        core = min(os.sched_getaffinity(0))
        with tempfile.TemporaryDirectory() as folder:
            output = Path(folder) / "output"
            with self.assertRaisesRegex(meters.MeterError, "ended with 3"):
                meters.first_answer_ms(argv, client.free_port(), "/", output, core)

    def test_first_answer_has_to_be_the_right_one(self) -> None:
        server = (
            "import socket, sys; s = socket.create_server(('127.0.0.1', int(sys.argv[1])));"
            "p = s.accept()[0]; p.recv(999);"
            "p.sendall(b'HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nno')"
        )
        core, port = min(os.sched_getaffinity(0)), client.free_port()
        argv = [sys.executable, "-c", server, str(port)]
        with tempfile.TemporaryDirectory() as folder:
            output = Path(folder) / "output"
            with self.assertRaisesRegex(meters.MeterError, "wrong answer: status 200, 2 bytes"):
                meters.first_answer_ms(argv, port, "/", output, core, rows.HELLO)

    def test_the_program_fails_above_its_limit(self) -> None:
        server = (
            "import socket; s = socket.create_server(('127.0.0.1', {port})); p = s.accept()[0];"
            "p.recv(999); p.sendall(b'HTTP/1.1 200 OK\\r\\nContent-Length: 0\\r\\n\\r\\n');"
            "p.recv(1)"
        )
        with contextlib.redirect_stdout(None):
            for limit, status in (("60000", 0), ("0.001", 1)):
                options = ["start", "--rounds", "1", "--limit", limit]
                command = [sys.executable, "-c", server]
                self.assertEqual(meter.main([*options, "--", *command]), status)


class Runner(unittest.TestCase):
    def test_several_workers_share_the_cores_with_the_load(self) -> None:
        plan = runner.Plan([], [], 1, 1, 1, 0, 1, Path("x"))
        self.assertEqual((plan.server_cores(a_row("hello")), plan.load_cores(a_row("hello"))),
                         ((0,), (1,)))  # fmt: skip
        self.assertEqual((plan.server_cores(a_row("two")), plan.load_cores(a_row("two"))),
                         ((0, 1), (0, 1)))  # fmt: skip

    def test_a_row_whose_load_is_not_there_says_so(self) -> None:
        self.assertEqual(load.missing(Kind.GROWTH, Path("/no/x")), "/no/x not installed")
        self.assertEqual(load.missing(Kind.IDLE, Path("/no/x")), "")

    def test_another_server_begins_in_every_round(self) -> None:
        self.assertEqual(runner.rotated("abc", 0), ["a", "b", "c"])
        self.assertEqual(runner.rotated("abc", 4), ["b", "c", "a"])
        self.assertEqual(runner.rotated("", 1), [])

    def test_a_server_that_ends_at_once_becomes_a_note(self) -> None:
        broken = servers.Custom("broken", f"{sys.executable} -c 'raise SystemExit(\"no licence\")'")
        table = Table()
        row = a_row("idle")
        with runner.make_site() as site:
            plan = runner.Plan([row], [broken], 1, 1, 1, *proc.cores(), Path("/no/ssxrver-bench"))
            runner.Runner(plan, site, table, lambda text: None, lambda kept: None).run_all()
        self.assertEqual(table.cell("idle", "broken").note, "ended with 1: no licence")


class Namespace(unittest.TestCase):
    def test_says_which_network_holds_and_has_a_loopback_in_it(self) -> None:
        program = (
            "from httpbench import client, netns; print(netns.enter());"
            "import socket; s = socket.create_server((client.HOST, 0));"
            "client.connect(s.getsockname()[1]).close()"
        )
        command = [sys.executable, "-c", program]
        here = Path(__file__).resolve().parent
        done = subprocess.run(command, cwd=here, capture_output=True, text=True, check=True)
        self.assertRegex(done.stdout, "^(own|shared) network namespace")


if __name__ == "__main__":
    unittest.main()
