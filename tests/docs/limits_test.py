#!/usr/bin/env python3
"""Every option and every counter that docs/guide/limits.md names is there."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import unittest
from pathlib import Path

_REPOSITORY = Path(__file__).resolve().parents[2]
_HEADERS = ("http/counters.h", "http/client/counters.h", "http/error.h",
            "http/files/file_cache.h", "http/files/static_handler.h",
            "ssxrver/net/address_rates.h", "ssxrver/net/counters.h", "ssxrver/net/event_loop.h",
            "ssxrver/net/task_pool.h", "ssxrver/log/logger.h", "ssxrver/app/chat_rooms.h",
            "ssxrver/plugin/host/counters.h", "ssxrver/plugin/manager/manager.h",
            "websocket/client/counters.h", "websocket/counters.h", "websocket/byte_budget.h",
            "websocket/error.h")  # fmt: skip
# The tests that try each bound below it, at it and above it.
_WEBSOCKETS = {
    "pages of other origins": "OriginPolicy.B04TheSameIsThatOfTheHost",
    "subprotocols that are offered": "Subprotocols.B03ThatAreTooManyAreRefused",
    "extensions that are offered": "Extensions.B12OffersAreBounded "
        "Extensions.B12ParametersAreBoundedForEachOffer Extensions.B12BytesOfAllLinesAreBounded",
    "a handshake that is made to wait": "WebSocketUpgrade.WaitsSoLongForOnUpgrade "
        "AppWebSockets.BoundTheTimeOfOnUpgrade",
    "a message, inflated": "FrameParser.B09BoundsAMessageBeforeItsLastFrameComes "
        "SessionDeflate.B11BoundsAMessageByWhatItIsInflated",
    "a frame, by its header": "FrameParser.B09BoundsAFrameByItsHeaderAlone",
    "a control frame": "SessionBounds.AControlFrame",
    "fragments of a message": "FrameParser.B09EndsAFloodOfFragments",
    "empty fragments in a row": "FrameParser.B09EndsAFloodOfEmptyFragments",
    "first to last byte of a message": "SessionTime.BoundsTheTimeOfAMessage",
    "control frames of a peer": "SessionTime.B10BoundsTheRateOfControlFrames",
    "bytes per byte of a compressed message": "SessionBounds.TheRatioOfACompressedMessage",
    "memory of all that compress": "ByteBudget.GivesUpToItsLimitAndNoByteMore",
    "a peer that says nothing is sent a ping": "SessionTime.AsksAQuietPeerWhetherItIsThere",
    "ping to the next byte": "SessionTime.AsksAQuietPeerWhetherItIsThere",
    "without a part of a message": "SessionTime.EndsWithoutMessages",
    "without a byte": "SessionTime.EndsWithoutBytes",
    "age of a WebSocket": "SessionTime.EndsWhenItIsOld",
    "the peer's close frame": "WebSocketSession.ResetsAPeerThatNeverCloses",
    "no byte of what waits is taken": "SlowReader.IsResetWhenItTakesNothing",
    "unsent bytes of a peer, told of": "SessionBounds.UnsentBytesThatAreToldOf",
    "unsent bytes of a peer": "SessionBounds.UnsentBytes SlowPeer.HasRoomUpToTheBound "
        "SessionSend.BeginsNoMessageThatDoesNotFit",
    "unsent bytes of all peers": "AllTogether.HaveABound",
    "what other threads have sent to a worker that is behind":
        "Behind.HearsOfNoMoreThanItMayHaveWaiting",
    "topics of a WebSocket": "Topics.AreBoundedForEachSocket",
    "messages collected for one write": "DelayedWrites.LeaveWhenThereAreEnough",
    "the time of the first of them": "DelayedWrites.LeaveAfterATime",
}  # fmt: skip
_CHAT = {
    "rooms": "ChatRoomsTest.TakeNoMoreThanTheyMay",
    "members of a room": "ChatRoomsTest.TakeNoMoreThanTheyMay",
    "name of a room or a member": "ChatRoomsTest.KnowWhatANameIs",
    "a text": "ChatRoomsTest.BoundWhatIsSaid",
    "the JSON that it comes in": "ChatRoomsTest.BoundTheJsonThatItComesIn",
    "messages of a room that are kept": "ChatRoomsTest.KeepTheLatestMessages",
    "bytes of them": "ChatRoomsTest.KeepNoMoreBytesThanTheyMay",
}  # fmt: skip
_WEBSOCKET_CLIENT = {
    "a name, and all of its addresses": "DialerTest.GivesEachAddressItsShareOfTheTime",
    "connection to the 101, through a proxy": "OpeningTest.WaitsSoLongForTheAnswer "
        "ProxyTest.GivesProxyAndServerOneTime",
    "whole head of the answer": "OpeningTest.TakesAHeadOfSoManyBytes",
    "its status line": "OpeningTest.TakesAStatusLineOfSoManyBytes",
    "extensions in it": "OpeningTest.TakesSoManyExtensions",
    "1xx before it": "OpeningTest.PassesOverSoManyInterimResponses",
    "head of an HTTP proxy's answer": "HttpConnect.ReadsSoMuch ProxyTest.ReadsSoMuchOfAnAnswer",
    "1xx before that": "HttpConnect.ReadsSoMuch ProxyTest.ReadsSoMuchOfAnAnswer",
    "failures in a row": "KeptSocketTest.GivesUpAfterSoManyFailures",
    "time before the next attempt": "Backoff.DoublesUpToTheMost "
        "KeptSocketTest.TriesAgainAndAgainMoreSlowly",
    "messages, or pieces of one, that nobody receives":
        "ClientSocketTest.RestsBehindAMessageThatNobodyReceives "
        "ClientPieces.AreInflatedNoFasterThanSomebodyReceives",
    "a message that comes, inflated": "ClientSocketTest.TakesMessagesUpToTheLimit",
    "unsent bytes behind which send() waits": "ClientSocketTest.WaitsAboveSoManyUnsentBytes",
    "what one send() takes": "ClientSocketTest.SendsNoMessageThatNeverFits",
}  # fmt: skip
_TRIED_BY = {
    "WebSockets": _WEBSOCKETS, "Chat": _CHAT, "The WebSocket client": _WEBSOCKET_CLIENT,
}  # fmt: skip
_PROGRAM = ""


def _rows() -> list[list[str]]:
    text = (_REPOSITORY / "docs" / "guide" / "limits.md").read_text()
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return [row for row in rows if row[0] != "what"]


class Limits(unittest.TestCase):
    def test_name_options_that_exist(self) -> None:
        printed = subprocess.run([_PROGRAM, "-T", "-f", "conf/ssxrver.json"], cwd=_REPOSITORY,
                                 capture_output=True, text=True, check=True)  # fmt: skip
        config = json.loads(printed.stdout)
        for row in _rows():
            for key in re.findall(r"`([a-z_.]+)`", row[1]):
                value = config
                for part in key.split("."):
                    self.assertIn(part, value, key)
                    value = value[part]

    def test_name_counters_that_exist(self) -> None:
        declared = "\n".join((_REPOSITORY / header).read_text() for header in _HEADERS)
        for row in _rows():
            for name in re.findall(r"`(?:[A-Za-z]+::)?(?:(?:refused|failed)\[)?(\w+)\]?`", row[6]):
                self.assertRegex(declared, rf"\b{name}\b", row[0])

    def test_have_a_counter_each(self) -> None:
        for row in _rows():
            if row[6] != "as above":
                self.assertIn("`", row[6], row[0])

    def test_of_websockets_are_tried_at_their_bounds(self) -> None:
        text = (_REPOSITORY / "docs" / "guide" / "limits.md").read_text()
        tests = "\n".join(path.read_text() for folder in ("app", "http/client", "websocket")
                          for path in (_REPOSITORY / "tests" / folder).rglob("*_test.cc"))
        for title, tried_by in _TRIED_BY.items():
            section = text.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
            rows = re.findall(r"^\| (.+?) \|", section, re.MULTILINE)
            self.assertEqual(sorted(rows), sorted([*tried_by, "what"]))
            for what, names in tried_by.items():
                for suite, name in (full.split(".") for full in names.split()):
                    self.assertRegex(tests, rf"\bTEST(_F|_P)?\({suite},\s+{name}\)", what)

    def test_are_many(self) -> None:
        self.assertGreater(len(_rows()), 90)
        for row in _rows():
            self.assertEqual(len(row), 7, row)


if __name__ == "__main__":
    _PROGRAM = sys.argv.pop(1)
    unittest.main()
