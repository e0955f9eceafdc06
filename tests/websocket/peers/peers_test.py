#!/usr/bin/env python3
"""Other people's WebSocket clients against our server, and our client against their servers.

usage: peers_test.py --build FOLDER --server PROGRAM --peer websockets|ws|gorilla|chromium
       peers_test.py --build FOLDER --client PROGRAM --peer servers

A peer that is not there is a skip, and with SSX_REQUIRE_PEERS=1 a failure.
"""

import argparse
import os
import subprocess
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "support"))
import peer  # noqa: E402
from daemon import Program  # noqa: E402

OPTIONS = argparse.Namespace()
SECONDS = 120
NODE_MODULES = "/usr/share/nodejs"
GO_PATH = "/usr/share/gocode"
GORILLA = "github.com/gorilla/websocket"


def python():
    found = peer.python_with("websockets.legacy.client")
    return found or peer.missing("python3-websockets")


def node():
    if not os.path.exists(f"{NODE_MODULES}/ws/package.json"):
        peer.missing("node-ws")
    return peer.need("node")


def go_program(name):
    """Builds go/NAME with Debian's gorilla/websocket."""
    go = peer.need("go", "/usr/local/go/bin/go")
    if not os.path.isdir(f"{GO_PATH}/src/{GORILLA}"):
        peer.missing("golang-github-gorilla-websocket-dev")
    environment = dict(os.environ, GO111MODULE="off", GOPATH=GO_PATH, CGO_ENABLED="0", GOFLAGS="")
    if "HOME" not in environment:
        environment.setdefault("GOCACHE", str(OPTIONS.build / "go_cache"))
    program = OPTIONS.build / f"gorilla_{name}"
    built = subprocess.run([go, "build", "-o", program, "main.go"], cwd=HERE / "go" / name,
                           env=environment, check=False, stderr=subprocess.PIPE,
                           timeout=300)  # the first time, all of net/http is compiled
    if built.returncode != 0:
        sys.exit(f"cannot build go/{name}: {built.stderr.decode(errors='replace')}")
    return program


def client(name):
    """What starts the client of a peer: the URL follows."""
    return {
        "websockets": lambda: [python(), HERE / "client.py"],
        "ws": lambda: [node(), HERE / "client.mjs"],
        "gorilla": lambda: [go_program("client")],
        "chromium": lambda: [sys.executable, HERE / "chromium_client.py"],
    }[name]()


def arguments(name):
    """Between the URL and the names of checks."""
    return [NODE_MODULES] if name == "ws" else []


def server(name):
    return {
        "websockets": lambda: [python(), HERE / "echo_server.py"],
        "ws": lambda: [node(), HERE / "echo_server.mjs", NODE_MODULES],
        "gorilla": lambda: [go_program("server")],
    }[name]()


class Base(unittest.TestCase):
    def expect_well(self, *command):
        ended = subprocess.run([str(part) for part in command], check=False, timeout=SECONDS,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        said = ended.stdout.decode(errors="replace")
        self.assertEqual(ended.returncode, 0, said)
        self.assertIn("ok ", said)


class Client(Base):
    """Of OPTIONS.peer, against our server."""

    def test_all(self):
        with Program(OPTIONS.server) as ours:
            self.expect_well(*OPTIONS.command, ours.url, *arguments(OPTIONS.peer))
            self.assertEqual(ours.stop(), 0, ours.output)


class Servers(Base):
    """Theirs, against a client of theirs, and then against ours."""

    def expect_to_serve(self, name, *without):
        checks = [check for check in CHECKS if check not in without]
        program, *more = OPTIONS.servers[name]
        with Program(program, *map(str, more)) as theirs:
            self.expect_well(python(), HERE / "client.py", theirs.url, *checks)
            ours = [check for check in OUR_CHECKS if check not in without]
            self.expect_well(OPTIONS.client, theirs.url, *ours)

    def test_websockets(self):
        self.expect_to_serve("websockets")

    def test_ws(self):
        self.expect_to_serve("ws")

    def test_gorilla(self):
        # It has no context takeover.
        self.expect_to_serve("gorilla", "takes_over", "narrows_windows")


# Of client.py: what any server does. Only ours refuses bombs and long messages.
CHECKS = ("echoes", "keeps_the_order", "sends_fragments", "receives_fragments", "pings",
          "is_pinged", "closes", "is_closed", "deflates", "takes_over", "narrows_windows",
          "agrees_on_a_subprotocol", "is_refused_elsewhere")  # fmt: skip
# Of peer_client.cc.
OUR_CHECKS = ("echoes", "keeps_the_order", "sends_fragments", "receives_fragments", "is_pinged",
              "closes", "is_closed", "deflates", "takes_over", "agrees_on_a_subprotocol",
              "is_refused_elsewhere")  # fmt: skip

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True, type=Path)
    parser.add_argument("--server", type=Path)
    parser.add_argument("--client", type=Path)
    parser.add_argument("--peer", required=True,
                        choices=("websockets", "ws", "gorilla", "chromium", "servers"))
    rest = parser.parse_known_args(namespace=OPTIONS)[1]
    OPTIONS.build = OPTIONS.build.resolve()
    if OPTIONS.peer == "servers":
        OPTIONS.servers = {name: server(name) for name in ("websockets", "ws", "gorilla")}
    else:
        OPTIONS.command = client(OPTIONS.peer)
    unittest.main(argv=[sys.argv[0], *(rest or [
        "Servers" if OPTIONS.peer == "servers" else "Client"])])
