#!/usr/bin/env python3
"""Tests of what is asked of a WebSocket server before it is timed."""

from __future__ import annotations

import http.server
import threading
import unittest
from unittest import mock

from fake_websocket import Handler, serving
from httpbench import client as tcp
from wsbench import checks, client, rows
from wsbench.client import Opcode


def a_row(key: str) -> rows.Row:
    return rows.select([key])[0]


def fault_of(handler: type[Handler], key: str) -> str:
    row = a_row(key)
    with serving(handler) as port:
        return checks.problem(port, row, row.path)


class Right(unittest.TestCase):
    def test_a_right_answer_has_no_problem(self) -> None:
        for row in rows.all_rows():
            with self.subTest(row.key):
                self.assertEqual(fault_of(Handler, row.key), "")

    def test_the_row_says_how_much_is_sent(self) -> None:
        for key, size, depth in (("echo64x16", 64, 16), ("echo64k", 65536, 1), ("connect", 64, 1),
                                 ("file", rows.MIB, 1), ("broadcast", 1024, 1)):  # fmt: skip
            self.assertEqual((a_row(key).size, a_row(key).depth), (size, depth), key)

    def test_the_server_has_its_own_name_for_what_is_asked(self) -> None:
        with serving(Handler) as port:
            self.assertEqual(checks.problem(port, a_row("file"), "/bulk"), "")

    def test_who_is_sent_its_own_words_or_is_not_is_right(self) -> None:
        class OthersOnly(Handler):
            def listeners(self) -> list[Handler]:
                return [member for member in self.server.audience if member is not self]

        self.assertEqual(fault_of(OthersOnly, "broadcast"), "")

    def test_an_answer_may_come_in_frames_with_a_ping_between_them(self) -> None:
        class Frames(Handler):
            def say(self, opcode: int, payload: bytes) -> None:
                self.wfile.write(client.header(opcode, False, 1, 0) + payload[:1])
                super().say(Opcode.PING, b"?")
                super().say(Opcode.CONTINUATION, payload[1:])

        for key in ("echo64x16", "file", "broadcast"):
            self.assertEqual(fault_of(Frames, key), "", key)


class Wrong(unittest.TestCase):
    def test_a_wrong_byte_is_seen(self) -> None:
        class Changing(Handler):
            def say(self, opcode: int, payload: bytes) -> None:
                super().say(opcode, payload[:-1] + bytes((payload[-1] ^ 1,)))

        wanted = "message of 64 bytes differs from the 64 expected"
        self.assertEqual(fault_of(Changing, "echo64"), wanted)
        self.assertEqual(fault_of(Changing, "file"), "b'2098153', not b'2098152'")

    def test_so_it_is_when_nothing_was_unmasked(self) -> None:
        class Lazy(Handler):
            def answer(self, path: str, opcode: int, message: bytes) -> None:
                self.say(opcode, client.masked(message, b"key!"))

        self.assertIn("differs", fault_of(Lazy, "echo1k"))

    def test_a_wrong_opcode_is_seen(self) -> None:
        class Text(Handler):
            def say(self, opcode: int, payload: bytes) -> None:
                super().say(opcode if opcode > 2 else 3 - opcode, payload)

        self.assertEqual(fault_of(Text, "echo64"), "opcode 1, not 2")
        self.assertEqual(fault_of(Text, "whole"), "opcode 2, not 1")
        self.assertEqual(fault_of(Text, "broadcast"), "opcode 1, not 2")

    def test_messages_in_another_order_are_seen(self) -> None:
        class Reversing(Handler):
            kept: list[bytes]

            def answer(self, path: str, opcode: int, message: bytes) -> None:
                self.kept = [message, *getattr(self, "kept", [])]
                if len(self.kept) == 16:
                    for one in self.kept:
                        self.say(opcode, one)

        self.assertIn("differs", fault_of(Reversing, "echo64x16"))

    def test_a_count_that_is_not_begun_anew_is_seen(self) -> None:
        class Counting(Handler):
            count = 0

            def answer(self, path: str, opcode: int, message: bytes) -> None:
                self.count += len(message)
                self.say(Opcode.TEXT, str(self.count).encode())

        self.assertEqual(fault_of(Counting, "file"), "b'2099152', not b'1000'")

    def test_what_is_heard_twice_is_seen(self) -> None:
        class Stammering(Handler):
            def listeners(self) -> list[Handler]:
                return super().listeners() * 2

        self.assertIn("differs", fault_of(Stammering, "broadcast"))

    def test_a_frame_that_is_masked_is_seen(self) -> None:
        class Masking(Handler):
            def say(self, opcode: int, payload: bytes) -> None:
                self.wfile.write(client.frame(opcode, payload))

        self.assertIn("masked", fault_of(Masking, "echo64"))


class NoAnswer(unittest.TestCase):
    def test_a_wrong_accept_is_seen(self) -> None:
        class Stranger(Handler):
            def accept(self, key: bytes) -> str:
                return super().accept(b"of somebody else")

        self.assertEqual(fault_of(Stranger, "echo64"), "wrong Sec-WebSocket-Accept")

    def test_a_server_of_pages_is_seen(self) -> None:
        class Quiet(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_error(404)

            def log_message(self, *args: object) -> None:
                del args

        with http.server.HTTPServer((tcp.HOST, 0), Quiet) as server:
            threading.Thread(target=server.handle_request).start()
            port = server.server_address[1]
            self.assertIn("no WebSocket: 'HTTP/1.0 404", checks.problem(port, a_row("file"), "/x"))

    def test_a_closed_connection_is_seen(self) -> None:
        class Leaving(Handler):
            def answer(self, path: str, opcode: int, message: bytes) -> None:
                self.request.shutdown(2)

        self.assertEqual(fault_of(Leaving, "echo64"), "connection closed early")

    def test_a_closing_handshake_is_seen_with_its_code(self) -> None:
        class Closing(Handler):
            def answer(self, path: str, opcode: int, message: bytes) -> None:
                self.say(Opcode.CLOSE, (1009).to_bytes(2, "big"))

        self.assertEqual(fault_of(Closing, "whole"), "closed with 1009")

    def test_silence_is_seen(self) -> None:
        class Silent(Handler):
            def answer(self, path: str, opcode: int, message: bytes) -> None:
                pass

        with mock.patch.object(checks, "PATIENCE", 0.1):
            for key in ("echo64", "file", "broadcast"):
                self.assertEqual(fault_of(Silent, key), "timed out", key)

    def test_nobody_else_is_told(self) -> None:
        class Alone(Handler):
            def listeners(self) -> list[Handler]:
                return [self]

        with mock.patch.object(checks, "PATIENCE", 0.1):
            self.assertEqual(fault_of(Alone, "broadcast"), "timed out")

    def test_pings_are_no_answer(self) -> None:
        class Chatty(Handler):
            def answer(self, path: str, opcode: int, message: bytes) -> None:
                while True:
                    self.say(Opcode.PING, b"still here")

        with mock.patch.object(checks, "PATIENCE", 0.1):
            self.assertEqual(fault_of(Chatty, "echo64"), "timed out")

    def test_nobody_there_is_a_problem(self) -> None:
        self.assertNotEqual(checks.problem(tcp.free_port(), a_row("echo64"), "/echo"), "")


if __name__ == "__main__":
    unittest.main()
