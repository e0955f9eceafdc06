#!/usr/bin/env python3
"""Tests of the suite itself: reading responses, checking, talking, and the list of cases."""

from __future__ import annotations

import re
import socket
import threading
import unittest

import http1_test
from http1 import checks, report, runner, servers
from http1.case import FILE, MAY, MUST, SHOULD, Await, Finish, Topic, byte_by_byte, chunked, get
from http1.cases import TOPICS, all_cases
from http1.talk import PROBE, PROBE_BODY, Conversation, Patience, Talk
from http1.wire import Answer, Fault, Reader

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc"
PROBED = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(PROBE_BODY), PROBE_BODY)


def read(data: bytes, *methods: str, end: bool = False) -> Reader:
    reader = Reader(methods or ("GET",))
    reader.feed(data)
    if end:
        reader.end()
    return reader


class Reading(unittest.TestCase):
    def test_reads_the_same_however_it_is_cut(self):
        whole = (b"HTTP/1.1 100 Continue\r\n\r\n" + OK
                 + b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                 + b"3;a=b\r\nabc\r\n2\r\nde\r\n0\r\nT: v\r\n\r\n"
                 + b"HTTP/1.1 204 No Content\r\n\r\n" + OK)  # fmt: skip
        for cut in range(len(whole) + 1):
            reader = Reader()
            reader.feed(whole[:cut])
            reader.feed(whole[cut:])
            self.assertEqual([a.body for a in reader.answers], [b"abc", b"abcde", b"", b"abc"])
            self.assertEqual([a.status for a in reader.answers[0].interim], [100])
            self.assertTrue(reader.is_between)

    def test_reads_to_the_end_without_a_length(self):
        reader = read(b"HTTP/1.0 200 OK\r\n\r\nabc", end=True)
        self.assertEqual((reader.answers[0].body, reader.answers[0].framing), (b"abc", "close"))
        self.assertEqual(reader.answers[0].version, "HTTP/1.0")

    def test_head_has_no_body_and_the_next_answer_follows(self):
        head = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n"
        reader = read(head + OK, "HEAD", "GET")
        self.assertEqual([a.body for a in reader.answers], [b"", b"abc"])
        with self.assertRaises(Fault):
            read(OK, "HEAD")

    def test_304_has_no_body_whatever_its_length_says(self):
        reader = read(b"HTTP/1.1 304 Not Modified\r\nContent-Length: 100\r\n\r\n" + OK)
        self.assertEqual([a.status for a in reader.answers], [304, 200])

    def test_what_follows_a_switch_is_not_read(self):
        reader = read(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n\x00\x01\x02")
        reader.feed(b"\x03")
        self.assertEqual([a.status for a in reader.answers], [101])

    def test_fields_are_combined_and_their_case_ignored(self):
        answer = read(b"HTTP/1.1 204 X\r\nVary: A\r\nvary:b ,, C\r\n\r\n").answers[0]
        self.assertEqual(answer.get("VARY"), "A, b ,, C")
        self.assertEqual(answer.members("Vary"), ["a", "b", "c"])
        self.assertIsNone(answer.get("Date"))

    def test_faults(self):
        ok = b"HTTP/1.1 200 OK\r\n"
        for data in (
            b"HTTP/1.1  200 OK\r\n\r\n", b"HTTP/1.1 200\r\n\r\n", b"http/1.1 200 OK\r\n\r\n",
            b"abc", b"HTTP/1.1 20 OK\r\n\r\n", b"HTTP/1.1 200 OK\n\n", b"<html>",
            ok + b"Foo : b\r\n\r\n", ok + b"Foo\r\n\r\n", ok + b"Foo: a\nBar: b\r\n\r\n",
            ok + b"Foo: a\x00\r\n\r\n", ok + b" Foo: a\r\n\r\n", ok + b"Content-Length: x\r\n\r\n",
            ok + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n",
            ok + b"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
            ok + b"Transfer-Encoding: gzip, chunked\r\n\r\n", OK + b"x",
            ok + b"Transfer-Encoding: chunked\r\n\r\nx\r\n",
            ok + b"Transfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n",
            b"HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n",
            b"HTTP/1.1 100 Continue\r\nContent-Length: 0\r\n\r\n",
        ):  # fmt: skip
            with self.subTest(data), self.assertRaises(Fault):
                read(data)

    def test_an_end_in_the_middle_is_a_fault(self):
        for data in (
            OK[:-1],
            OK[:10],
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n",
        ):
            with self.subTest(data), self.assertRaises(Fault):
                read(data, end=True)


def talk(*codes: int, kept: bool = False, body: bytes = b"") -> Talk:
    answers = [Answer("HTTP/1.1", code, [("Allow", "GET, HEAD")], body=body) for code in codes]
    return Talk(answers, kept=kept, ended=not kept)


class Checking(unittest.TestCase):
    def expect(self, check: checks.Check, good: Talk, *bad: Talk) -> None:
        self.assertEqual(check.test(good), "", check.text)
        for other in bad:
            self.assertNotEqual(check.test(other), "", check.text)

    def test_status_wants_exactly_one_answer(self):
        self.expect(checks.status(400), talk(400), talk(200), talk(400, 400), talk())
        self.expect(checks.status("4xx", 501), talk(501), talk(500))
        self.expect(checks.statuses(200, "4xx"), talk(200, 404), talk(200), talk(404, 200))
        self.expect(checks.first("2xx"), talk(200, 400), talk(400, 200), talk())

    def test_and_or(self):
        check = checks.status(400) & checks.closed | checks.status(200) & checks.kept
        self.expect(check, talk(400), talk(400, kept=True), talk(200))
        self.expect(check, talk(200, kept=True))
        self.assertIn("connection closed", check.text)
        self.assertEqual((checks.status(200) | checks.statuses(200, 200)).wanted, 2)

    def test_connection(self):
        self.expect(checks.silence, talk(), talk(400), Talk())
        self.expect(checks.closed, talk(200), Talk())
        self.expect(checks.no_interim, talk(200), Talk(interim=[Answer("HTTP/1.1", 100, [])]))

    def test_facts(self):
        self.expect(checks.body(b"x"), talk(200, body=b"x"), talk(200, body=b"y"), talk())
        self.expect(checks.field("allow", "GET.*"), talk(405), talk())
        self.expect(checks.no_field("Date"), talk(200), talk())
        self.expect(checks.member("Allow", "head"), talk(405))
        self.assertNotEqual(checks.member("Allow", "hea").test(talk(405)), "")


class Scripted:
    """A listener whose only connection gets these bytes, when so many have come in."""

    def __init__(self, *script: tuple[bytes, bytes]) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = self._listener.getsockname()
        self._script = script
        self.thread = threading.Thread(target=self._serve)
        self.thread.start()

    def _serve(self) -> None:
        with self._listener, self._listener.accept()[0] as connection:
            connection.settimeout(10)
            got = b""
            for wanted, answer in self._script:
                while wanted not in got and (data := connection.recv(65536)):
                    got += data
                got = got.partition(wanted)[2]
                connection.sendall(answer)


class Talking(unittest.TestCase):
    def talk(self, steps: tuple, *script: tuple[bytes, bytes], wanted: int = 1) -> Talk:
        server = Scripted(*script)
        conversation = Conversation(server.address, ("GET",))
        found = conversation.run(steps, wanted, True, Patience(answer=5, more=5, end=5))
        server.thread.join()
        return found

    def test_a_connection_that_answers_the_probe_is_kept(self):
        found = self.talk((get(),), (b"\r\n\r\n", OK), (PROBE, PROBED))
        self.assertEqual((len(found.answers), found.kept, found.fault), (1, True, ""))

    def test_an_answer_in_front_of_the_probe_s_is_counted(self):
        found = self.talk((get(),), (b"\r\n\r\n", OK), (PROBE, OK + PROBED))
        self.assertEqual((len(found.answers), found.kept), (2, True))

    def test_a_closed_one_is_not_kept(self):
        found = self.talk((get(),), (b"\r\n\r\n", OK))
        self.assertEqual((len(found.answers), found.kept, found.ended), (1, False, True))

    def test_half_an_answer_is_a_fault(self):
        self.assertIn("inside", self.talk((get(),), (b"\r\n\r\n", OK[:-1])).fault)

    def test_awaiting_a_head(self):
        steps = (b"one", Await(0), b"two", Finish())
        found = self.talk(steps, (b"one", b"HTTP/1.1 100 Continue\r\n\r\n"), (b"two", OK))
        self.assertTrue(found.early)
        self.assertEqual(checks.continued.test(found), "")

    def test_two_answers_are_waited_for(self):
        found = self.talk((get(), get()), (b"\r\n\r\n", OK), (b"\r\n\r\n", OK), wanted=2)
        self.assertEqual(len(found.answers), 2)


class Cases(unittest.TestCase):
    def test_there_are_enough_and_each_is_said_once(self):
        names = [case.id for case in all_cases()]
        self.assertGreaterEqual(len(names), 300)
        self.assertEqual(len(names), len(set(names)))
        self.assertEqual({case.level for case in all_cases()}, {MUST, SHOULD, MAY})

    def test_each_names_its_section_and_sentence(self):
        for case in all_cases():
            self.assertRegex(case.section, r"^(9110|9111|9112|3986|6455) \d+(\.\d+)*$", case.id)
            self.assertGreater(len(case.quote), 10, case.id)
            self.assertLess(len(case.quote), 330, case.id)
            self.assertRegex(case.id, r"^[a-z-]+/[a-z0-9.-]+$")
            self.assertTrue(case.steps and case.expect.text, case.id)

    def test_no_case_accepts_everything(self):
        nothing = Talk(fault="x")
        for case in all_cases():
            self.assertNotEqual(case.expect.test(nothing), "", case.id)

    def test_topics_are_files_with_cases(self):
        for topic in TOPICS:
            self.assertGreater(len(topic.case.cases), 10, topic.case.name)

    def test_helpers(self):
        self.assertEqual(get("A: b"), b"GET /file.txt HTTP/1.1\r\nHost: main.test\r\nA: b\r\n\r\n")
        self.assertTrue(chunked("x").endswith(b"Transfer-Encoding: chunked\r\n\r\nx"))
        self.assertEqual(b"".join(s for s in byte_by_byte(b"abc") if isinstance(s, bytes)), b"abc")


def column(name: str, *whys: str) -> report.Column:
    topic = Topic("t")
    for i, _ in enumerate(whys):
        topic(f"case-{i}", SHOULD, "9112 1", "a sentence", get(), checks.status(200))
    results = [runner.Result(case, why, 0.0) for case, why in zip(topic.cases, whys)]
    return report.Column(servers.Server(name, ("", 0), "1.2"), results)


class Reporting(unittest.TestCase):
    def test_table(self):
        text = report.table([column("ssxrver", "", ""), column("nginx", "bad", "")])
        self.assertRegex(text, r"passed +cases +ssxrver 1\.2 +nginx 1\.2")
        self.assertRegex(text, r"SHOULD +2 +2 +1\n")

    def test_markdown_and_json_name_what_fails(self):
        columns = [column("ssxrver", "", ""), column("nginx", "bad", "")]
        text = report.markdown(columns)
        self.assertIn("| t/case-0 | SHOULD | 9112 1 |  | x |", text)
        self.assertIn("| t/case-0 | SHOULD | 9112 1 | a sentence |", text)
        self.assertNotIn("t/case-1", text)
        self.assertIn('{"nginx": "bad"}', report.to_json(columns))

    def test_who_is_not_behind_us(self):
        ours = column("ssxrver", "", "x")
        self.assertEqual(
            report.behind([ours, column("a", "x", ""), column("b", "x", "x")]), ["a 1.2"]
        )

    def test_the_list_may_only_shrink(self):
        ours = column("ssxrver", "", "bad")
        complaints = http1_test.complaints_about_us
        self.assertEqual(complaints(ours, {"t/case-1": "why"}), [])
        self.assertEqual(len(complaints(ours, {})), 1)
        self.assertEqual(len(complaints(ours, {"t/case-1": ""})), 1)
        self.assertEqual(len(complaints(ours, {"t/case-1": "why", "t/case-0": "why"})), 1)
        self.assertEqual(len(complaints(ours, {"t/case-1": "why", "t/none": "why"})), 1)
        self.assertEqual(http1_test.allowed_failures("# a\nb/c why not # d\n"), {"b/c": "why not "})

    def test_a_server_that_breaks_little_is_not_broken_enough(self):
        self.assertEqual(len(http1_test.complaints_about_broken(column("broken", "bad"))),
                         1 + len(TOPICS))  # fmt: skip


class Site(unittest.TestCase):
    def test_the_broken_server_serves_the_site(self):
        with servers.broken() as server:
            conversation = Conversation(server.address, ("GET",))
            found = conversation.run((get(),), 1, True, runner.PATIENT)
        self.assertEqual(found.answers[0].body, FILE)
        self.assertIsNone(re.search("Traceback", found.fault))


if __name__ == "__main__":
    unittest.main()
