#!/usr/bin/env python3
"""Two people talk on html/chat.html in real browsers, as conf/ssxrver.json serves it.

usage: chat_test.py --daemon build/Release/ssxrver [--keep FOLDER_FOR_PICTURES]
"""

import argparse
import base64
import contextlib
import json
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "support"))

import peer  # noqa: E402
from chromium import Browser  # noqa: E402
from daemon import Daemon  # noqa: E402
from websocket_peer import TEXT, WebSocket  # noqa: E402

OPTIONS = argparse.Namespace()


def start(port=0):
    return Daemon(OPTIONS.daemon, ROOT, "-f", "conf/ssxrver.json", "-g",
                  f'listeners=[{{"port": {port}}}]')


class Page:
    """Somebody in a room."""

    def __init__(self, browser):
        self.browser = browser

    def enter(self, url, room, name):
        self.browser.open(f"{url}/chat.html?room={room}&name={name}")
        self.wait_for_state("open")

    def fill(self, room, name):
        """Sends the form."""
        self.browser.run(f"""(() => {{
            document.getElementById('room').value = {json.dumps(room)};
            document.getElementById('name').value = {json.dumps(name)};
            document.getElementById('entry').requestSubmit();
        }})()""")

    def wrong(self, field):
        """What stands beside a field."""
        return self.browser.run(f"document.getElementById('{field}-wrong').textContent")

    def value(self, field):
        return self.browser.run(f"document.getElementById('{field}').value")

    def is_in_room(self):
        return self.browser.run("!document.getElementById('chat').hidden")

    def wait(self, condition):
        """Waits in the page until a condition holds."""
        self.browser.run(f"""new Promise((done) => {{
            const look = () => ({condition}) ? done() : setTimeout(look, 10);
            look();
        }})""")

    def wait_for_state(self, state):
        self.wait(f"document.getElementById('state').dataset.state === '{state}'")

    def say(self, text):
        self.wait("!sent")
        self.browser.run(f"""(() => {{
            document.getElementById('text').value = {json.dumps(text)};
            document.getElementById('say').requestSubmit();
        }})()""")

    def wait_for(self, text):
        self.wait("[...document.querySelectorAll('#log li')].some("
                  f"(item) => item.innerText.includes({json.dumps(text)}))")

    def hear(self, kind, name, after):
        """As if the server had said it, with an id so much after the latest one."""
        event = f"{{id: lastId + {after}, name: {json.dumps(name)}}}"
        self.browser.run(f"hear.{kind}({event})")

    def members(self):
        return self.browser.run(
            "[...document.querySelectorAll('#members li')].map((item) => item.textContent)")

    def said(self, kind=".said"):
        return self.browser.run(f"[...document.querySelectorAll('#log {kind} p')]"
                                ".map((item) => item.textContent)")

    def keep(self, name):
        if OPTIONS.keep:
            picture = base64.b64decode(self.browser.screenshot())
            (Path(OPTIONS.keep) / f"{name}.png").write_bytes(picture)


class Chat(unittest.TestCase):
    def setUp(self):
        self.browsers = [self.enterContext(Browser(OPTIONS.browser)) for _ in range(2)]
        for browser in self.browsers:
            browser.emulate(1100, 700)
        self.ada, self.bob = (Page(browser) for browser in self.browsers)

    def errors(self):
        return [error for browser in self.browsers for error in browser.errors]

    def test_two_talk_and_find_each_other_again(self):
        ada, bob = self.ada, self.bob
        with contextlib.ExitStack() as ends:
            daemon = ends.enter_context(start())
            ada.enter(daemon.url, "tests", "ada")
            bob.enter(daemon.url, "tests", "bob")
            ada.wait_for("bob has come")
            self.assertEqual(ada.members(), ["ada (you)", "bob"])
            self.assertEqual(bob.members(), ["ada", "bob (you)"])
            ada.say("hello <b>bob</b>\nand good \u2600 morning")
            bob.wait_for("good \u2600 morning")
            self.assertEqual(bob.said(), ["hello <b>bob</b>\nand good \u2600 morning"])
            bob.say("hello ada")
            ada.wait_for("hello ada")
            self.assertEqual(ada.said(".own"), bob.said()[:1])
            self.assertEqual(self.errors(), [])
            ada.keep("chat-light")

            for page in (ada, bob):  # who is turned away too often gives up: not while we start
                page.browser.run("void (unwelcome = -99)")
            self.assertEqual(daemon.stop(), 0, daemon.output)
            for page in (ada, bob):
                page.wait_for_state("closed")
            self.assertTrue(ada.browser.run("document.getElementById('send').disabled"))
            ada.keep("chat-cut")
            daemon = ends.enter_context(start(daemon.port))
            for page in (ada, bob):
                page.wait_for_state("open")
                page.wait("document.querySelectorAll('#members li').length === 2")
            bob.say("there you are")
            ada.wait_for("there you are")
            self.assertEqual(ada.said()[-1], "there you are")
            self.assertEqual(daemon.stop(), 0, daemon.output)

    def test_who_comes_later_sees_what_was_said(self):
        ada, bob = self.ada, self.bob
        with start() as daemon:
            ada.enter(daemon.url, "tests", "ada")
            for number in range(60):
                ada.say(f"number {number}")
            ada.wait_for("number 59")
            bob.enter(daemon.url, "tests", "ada")  # the name is taken
            self.assertEqual(bob.said(), [f"number {number}" for number in range(10, 60)])
            self.assertEqual(sorted(bob.members()), ["ada", "ada 2 (you)"])
            bob.browser.open("about:blank")
            ada.wait_for("ada 2 has left")
            self.assertEqual(ada.members(), ["ada (you)"])
            self.assertEqual(self.errors(), [])

    def test_a_late_word_of_a_leave_removes_nobody(self):
        with start() as daemon:
            self.ada.enter(daemon.url, "tests", "ada")
            for kind, after in (("join", 5), ("leave", 4)):
                self.ada.hear(kind, "eve", after)
            self.assertEqual(self.ada.members(), ["ada (you)", "eve"])
            self.ada.hear("leave", "eve", 6)
            self.assertEqual(self.ada.members(), ["ada (you)"])
            self.assertEqual(self.errors(), [])

    def test_rooms_do_not_hear_each_other(self):
        with start() as daemon:
            self.ada.enter(daemon.url, "one", "ada")
            self.bob.enter(daemon.url, "two", "bob")
            self.ada.say("only here")
            self.ada.wait_for("only here")
            self.bob.say("x")
            self.bob.wait_for("x")
            self.assertEqual(self.bob.said(), ["x"])
            self.assertEqual(self.bob.members(), ["bob (you)"])

    def test_the_form_asks_for_room_and_name(self):
        with start() as daemon:
            page = self.ada
            page.browser.open(daemon.url + "/chat.html")
            page.keep("chat-form")
            page.browser.follow("""
                document.getElementById('room').value = ' tea & cake ';
                document.getElementById('name').value = 'ada';
                document.getElementById('entry').requestSubmit();""")
            page.wait_for_state("open")
            self.assertEqual(page.browser.run("document.title"), "tea & cake - Chat")
            self.assertEqual(self.errors(), [])

    def test_the_form_says_what_is_wrong_with_a_name(self):
        with start() as daemon:
            page = self.ada
            page.browser.open(daemon.url + "/chat.html")
            for room, name, field, wrong in (
                    ("", "a", "room", "Nothing"), (".", "a", "room", "called so"),
                    ("..", "a", "room", "called so"), ("a/b", "a", "room", "No /"),
                    ("a\\b", "a", "room", "No /"), ("\u00e4" * 17, "a", "room", "34 bytes"),
                    ("a", "", "name", "Nothing"), ("a", "x" * 33, "name", "33 bytes"),
                    ("a", "\u2600" * 11, "name", "33 bytes"), ("a", "a\u007fb", "name", "Control")):
                page.fill(room, name)
                self.assertIn(wrong, page.wrong(field), (room, name))
                self.assertEqual(page.wrong({"room": "name", "name": "room"}[field]), "")
                self.assertFalse(page.is_in_room())
            page.keep("chat-wrong")
            page.browser.follow(f"""
                document.getElementById('room').value = '%?#';
                document.getElementById('name').value = {json.dumps(chr(0xe4) * 16)};
                document.getElementById('entry').requestSubmit();""")
            page.wait_for_state("open")
            self.assertEqual(self.errors(), [])

    def test_so_it_does_for_names_of_the_address(self):
        with start() as daemon:
            for query, field, wrong in (
                    ("room=..&name=a", "room", "called so"), ("room=a%2Fb&name=a", "room", "No /"),
                    ("room=a&name=%20a", "name", "blank"), ("room=a&name=a%0A", "name", "Control"),
                    ("room=a%20&name=a", "room", "blank"),
                    ("room=a&name=" + "%C3%A4" * 17, "name", "34 bytes")):
                self.ada.browser.open(f"{daemon.url}/chat.html?{query}")
                self.assertIn(wrong, self.ada.wrong(field), query)
                self.assertFalse(self.ada.is_in_room())
            self.assertEqual(self.errors(), [])

    def test_a_full_room_leads_back_to_the_form(self):
        with start() as daemon, contextlib.ExitStack() as ends:
            for number in range(256):
                ends.enter_context(WebSocket(daemon.port, f"/chat/tests?name={number}"))
            self.ada.browser.open(f"{daemon.url}/chat.html?room=tests&name=ada")
            self.ada.wait("document.getElementById('state').textContent.includes("
                          "'no room: it is full (1013), reconnecting')")
            self.ada.browser.run("void (Math.random = () => 0)")
            self.ada.wait("document.getElementById('chat').hidden")
            self.assertIn("tests: no room: it is full (1013)", self.ada.wrong("entry"))
            self.assertEqual(self.ada.value("name"), "ada")
            self.ada.keep("chat-full")

    def test_nobody_there_leads_back_to_the_form(self):
        with start() as daemon:
            self.ada.enter(daemon.url, "tests", "ada")
            self.ada.browser.run("void (Math.random = () => 0)")
            self.assertEqual(daemon.stop(), 0, daemon.output)
        self.ada.wait("document.getElementById('chat').hidden")
        self.assertIn("tests: no connection (1006)", self.ada.wrong("entry"))

    def test_what_was_not_taken_stays_in_the_field(self):
        with start() as daemon:
            page = self.ada
            page.enter(daemon.url, "tests", "ada")
            page.say("\u2600" * 1366)
            self.assertIn("4098 bytes", page.wrong("text"))
            self.assertEqual(page.value("text"), "\u2600" * 1366)
            page.say("\u0001 is a control character")  # that only the server looks for
            page.wait_for("Not sent: no control characters")
            self.assertEqual(page.value("text"), "\u0001 is a control character")
            self.assertIn("no control characters", page.wrong("text"))
            page.say("\u2600" * 1365)
            page.wait("!sent")
            self.assertEqual(page.value("text"), "")
            self.assertEqual(page.wrong("text"), "")
            self.assertEqual(page.said(), ["\u2600" * 1365])
            page.browser.run("void (document.getElementById('text').value = 'one',"
                             "document.getElementById('say').requestSubmit(),"
                             "document.getElementById('text').value = 'one two')")
            page.wait("!sent")
            self.assertEqual(page.value("text"), "two")  # typed meanwhile
            self.assertEqual(self.errors(), [])

    def test_a_connection_that_breaks_at_once_is_a_failure(self):
        with start() as daemon:
            self.ada.enter(daemon.url, "tests", "ada")
            self.ada.browser.run("void (failures = 3)")
            self.ada.browser.run("void socket.close()")
            self.ada.wait("failures === 4")
            self.ada.wait_for_state("open")
            self.assertEqual(self.ada.browser.run("failures"), 4)
            self.ada.wait("failures === 0")  # 10 s later

    def test_nothing_sticks_out_on_a_phone_in_the_dark(self):
        with start() as daemon:
            page = self.ada
            page.browser.emulate(360, 700, dark=True)
            page.enter(daemon.url, "tests", "ada")
            page.say("a-word-that-is-far-too-long-" * 20)
            page.wait_for("a-word")
            page.keep("chat-phone")
            self.assertLessEqual(page.browser.run("document.documentElement.scrollWidth"), 360)
            self.assertLessEqual(page.browser.run("document.documentElement.scrollHeight"), 700)

    def test_programs_can_talk_too(self):
        with start() as daemon, WebSocket(daemon.port, "/chat/tests?name=robot") as robot:
            self.assertEqual(json.loads(robot.receive_text())["members"], ["robot"])
            self.ada.enter(daemon.url, "tests", "ada")
            self.assertEqual(json.loads(robot.receive_text())["type"], "join")
            robot.send(TEXT, b'{"text": "beep"}')
            self.ada.wait_for("beep")
            heard = json.loads(robot.receive_text())
            self.assertEqual((heard["type"], heard["name"], heard["text"]),
                             ("message", "robot", "beep"))
            robot.send(TEXT, b"beep")
            self.assertEqual(json.loads(robot.receive_text())["type"], "error")
            with self.assertRaisesRegex(ConnectionError, " 400 "):
                WebSocket(daemon.port, "/chat/tests?name=")


def main():
    parser = argparse.ArgumentParser()
    for name in ("daemon", "keep"):
        parser.add_argument(f"--{name}", default="")
    parser.parse_args(namespace=OPTIONS)
    OPTIONS.daemon = str(Path(OPTIONS.daemon).resolve())
    OPTIONS.browser = peer.need("chromium", "chromium-browser", "google-chrome")
    unittest.main(argv=[sys.argv[0], "-v"])


if __name__ == "__main__":
    main()
