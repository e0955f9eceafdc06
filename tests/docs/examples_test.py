#!/usr/bin/env python3
"""Does a program of docs/examples do what its first line says?

usage: examples_test.py PROGRAM EXAMPLE
"""

import contextlib
import re
import socket
import subprocess
import sys
import urllib.request

_LISTENING = re.compile(rb"listening on (?:http://)?([\d.]+):(\d+)")
_SECONDS = 30


@contextlib.contextmanager
def running(*command):
    """The program as a child, and where it says it listens."""
    child = subprocess.Popen(command, stdout=subprocess.PIPE)
    try:
        for line in child.stdout:
            found = _LISTENING.search(line)
            if found:
                yield child, (found[1].decode(), int(found[2]))
                return
        raise AssertionError(f"{command[0]} ended with {child.wait()} and never listened")
    finally:
        child.terminate()
        child.wait(_SECONDS)
        child.stdout.close()


def udp_echo(program):
    with running(program) as (_, address), socket.socket(type=socket.SOCK_DGRAM) as peer:
        peer.settimeout(_SECONDS)
        for message in (b"hello", b"x" * 2048):
            peer.sendto(message, address)
            assert peer.recvfrom(65536) == (message, address)


def hello_http(program):
    with running(program, "0") as (_, (host, port)):
        with urllib.request.urlopen(f"http://{host}:{port}/", timeout=_SECONDS) as answer:
            assert answer.status == 200
            assert answer.read() == b"Hello, world!\n"


def _exchange(address, request):
    """Sends it, ends its side, and reads to the end."""
    with socket.create_connection(address, _SECONDS) as peer:
        peer.sendall(request)
        peer.shutdown(socket.SHUT_WR)
        with peer.makefile("rb") as answer:
            return answer.read()


def tcp_echo(program):
    with running(program, "0") as (_, address):
        for message in (b"hello", bytes(range(256)) * 4096):
            assert _exchange(address, message) == message


def blocking_work(program):
    with running(program, "0") as (_, address):
        with open(__file__, "rb") as this:
            assert _exchange(address, __file__.encode() + b"\n") == this.read()
        assert _exchange(address, b"/nowhere\n") == b"cannot read /nowhere\n"


def timers(program):
    ended = subprocess.run([program], capture_output=True, timeout=_SECONDS, check=True)
    lines = ended.stdout.decode().split("\n")
    assert lines[0] == "tick 1" and "done" in lines, lines
    assert not any("not printed" in line for line in lines), lines


EXAMPLES = {test.__name__: test for test in (blocking_work, hello_http, tcp_echo, timers, udp_echo)}

if __name__ == "__main__":
    EXAMPLES[sys.argv[2]](sys.argv[1])
    print(sys.argv[2], "works")
