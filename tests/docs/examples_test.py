#!/usr/bin/env python3
"""Does a program of docs/examples do what its first line says?

usage: examples_test.py PROGRAM EXAMPLE
"""

import contextlib
import re
import socket
import subprocess
import sys

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


EXAMPLES = {test.__name__: test for test in (udp_echo,)}

if __name__ == "__main__":
    EXAMPLES[sys.argv[2]](sys.argv[1])
    print(sys.argv[2], "works")
