#!/usr/bin/env python3
"""The plugin docs/examples/plugins/chat_history in the real daemon, with real WebSockets."""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.parse
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from daemon import Daemon  # noqa: E402
from websocket_peer import TEXT, WebSocket  # noqa: E402

OPTIONS = argparse.Namespace()
HISTORY = 5
ROOMS = 3
MESSAGE_MAX = 4096
NAME_MAX = 64
TOO_BIG = 1009


class Chat(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="ssxrver-chat-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.write_config({"history": HISTORY, "rooms": ROOMS})
        self.daemon = Daemon(OPTIONS.daemon, self.folder, "-f", "ssxrver.json", "-p", "pid")
        self.addCleanup(self.daemon.__exit__)

    def write_config(self, plugin_config):
        config = {"worker_processes": 2,
                  "plugins": [{"name": "talk", "library": OPTIONS.plugin, "mount": "/talk",
                               "config": plugin_config}]}
        (self.folder / "ssxrver.json").write_text(json.dumps(config), encoding="utf-8")

    def enter(self, room, name):
        query = urllib.parse.urlencode({"name": name})
        target = f"/talk/{urllib.parse.quote(room, safe='')}?{query}"
        return self.enterContext(WebSocket(self.daemon.port, target))

    def say(self, speaker, name, text):
        """Returns when it is said: the speaker hears it, too."""
        speaker.send(TEXT, text.encode())
        self.assertEqual(speaker.receive_text(), f"{name}: {text}")

    def heard(self, room, name, count):
        """What a newcomer is told, and that nothing follows."""
        newcomer = self.enter(room, name)
        lines = [newcomer.receive_text() for _ in range(count)]
        self.say(newcomer, name, "that was all")
        return lines

    def reload(self):
        self.daemon.output = ""
        done = subprocess.run(
            [OPTIONS.daemon, "-s", "reload-plugin", "talk", "-f", "ssxrver.json", "-p", "pid"],
            cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.daemon.wait_for(r"plugin talk.*: serves in place of")


class Rooms(Chat):
    def test_who_is_in_a_room_hears_it(self):
        ada, bob = self.enter("red", "Ada"), self.enter("red", "Bob")
        eve = self.enter("blue", "Eve")
        self.say(ada, "Ada", "hello")
        self.assertEqual(bob.receive_text(), "Ada: hello")
        self.say(bob, "Bob", "\u2600 <b>hello</b>")
        self.assertEqual(ada.receive_text(), "Bob: \u2600 <b>hello</b>")
        self.say(eve, "Eve", "alone")  # the first that is heard in blue
        self.assertEqual(self.heard("blue", "Kim", 1), ["Eve: alone"])
        self.assertEqual(self.daemon.stop(), 0, self.daemon.output)

    def test_a_latecomer_is_told_the_history_in_its_order(self):
        for count in (HISTORY - 1, HISTORY, HISTORY + 1):
            room = f"room {count}"
            ada = self.enter(room, "Ada")
            for number in range(count):
                self.say(ada, "Ada", f"{number}")
            told = [f"Ada: {number}" for number in range(count)][-HISTORY:]
            self.assertEqual(self.heard(room, "Bob", len(told)), told, count)

    def test_rooms_that_are_remembered_have_a_bound(self):
        for number in range(ROOMS + 1):
            self.say(self.enter(f"room {number}", "Ada"), "Ada", "hello")
        for number in range(ROOMS):
            self.assertEqual(self.heard(f"room {number}", "Bob", 1), ["Ada: hello"], number)
        ada = self.enter(f"room {ROOMS}", "Ada")
        self.assertEqual(self.heard(f"room {ROOMS}", "Bob", 0), [])
        self.assertEqual(ada.receive_text(), "Bob: that was all")  # who is there hears it

    def test_a_message_has_a_bound(self):
        ada = self.enter("red", "Ada")
        for length in (MESSAGE_MAX - 1, MESSAGE_MAX):
            self.say(ada, "Ada", "a" * length)
        ada.send(TEXT, b"a" * (MESSAGE_MAX + 1))
        self.assertEqual(ada.receive_close(), TOO_BIG)
        self.assertEqual(len(self.heard("red", "Bob", 2)), 2)

    def test_names_and_rooms_have_a_bound(self):
        for length in (NAME_MAX - 1, NAME_MAX):
            self.say(self.enter("r" * length, "n" * length), "n" * length, "hello")
        for room, name in (("r" * (NAME_MAX + 1), "n"), ("r", "n" * (NAME_MAX + 1)), ("r", ""),
                           ("r", "a\nb"), ("a\nb", "n"), ("a\rb", "n")):
            with self.assertRaisesRegex(ConnectionError, "HTTP/1.1 400 "):
                self.enter(room, name)

    def test_what_has_a_line_break_is_not_said(self):
        ada = self.enter("red", "Ada")
        for text in (b"a\nred\nEve: forged", b"a\rb"):
            ada.send(TEXT, text)
        self.say(ada, "Ada", "next")
        self.assertEqual(self.heard("red", "Bob", 1), ["Ada: next"])

    def test_its_config_has_bounds(self):
        for key, most in (("history", 10000), ("rooms", 100000)):
            for value, status in ((0, 78), (1, 0), (most, 0), (most + 1, 78)):
                self.write_config({key: value})
                done = subprocess.run([OPTIONS.daemon, "-t", "-f", "ssxrver.json"],
                                      cwd=self.folder, capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, status, done.stderr)


class Reloaded(Chat):
    def test_the_next_generation_knows_what_was_said(self):
        ada, eve = self.enter("red", "Ada"), self.enter("blue", "Eve")
        for number in range(HISTORY + 1):
            self.say(ada, "Ada", f"{number}")
        self.say(eve, "Eve", "alone")
        self.reload()
        told = [f"Ada: {number}" for number in range(1, HISTORY + 1)]
        self.assertEqual(self.heard("red", "Bob", HISTORY), told)
        self.assertEqual(self.heard("blue", "Kim", 1), ["Eve: alone"])

    def test_a_shorter_history_keeps_the_latest(self):
        ada = self.enter("red", "Ada")
        for number in range(HISTORY):
            self.say(ada, "Ada", f"{number}")
        self.write_config({"history": 2})
        self.reload()
        self.assertEqual(self.heard("red", "Bob", 2), ["Ada: 3", "Ada: 4"])


def main():
    parser = argparse.ArgumentParser()
    for name in ("daemon", "plugin"):
        parser.add_argument(f"--{name}", required=True)
    _, rest = parser.parse_known_args(namespace=OPTIONS)
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
