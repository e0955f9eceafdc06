"""A network namespace of our own, so that neither bbr nor other traffic is in the figures.

The namespace belongs to this process and its children and vanishes with the last of them:
there is nothing to clean up, whatever way the run ends.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import socket
import struct
from pathlib import Path

_CLONE_NEWNET = 0x40000000
_SIOCSIFFLAGS = 0x8914
_IFF_UP_RUNNING = 0x1 | 0x40
_IPV4 = Path("/proc/sys/net/ipv4")
_SETTINGS = {
    "tcp_congestion_control": "reno",  # bbr paces loopback: 1 MiB answers take six times longer
    "ip_local_port_range": "10000 65535",  # room for a connection per request
    "tcp_tw_reuse": "1",
}


def enter() -> str:
    """Moves this process into a fresh namespace with loopback up; returns what holds now."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(_CLONE_NEWNET) != 0:
        reason = os.strerror(ctypes.get_errno())
        return f"shared network namespace ({reason}), congestion control {congestion_control()}"
    _loopback_up()
    refused = [name for name, value in _SETTINGS.items() if not _set(name, value)]
    note = f"own network namespace, congestion control {congestion_control()}"
    return f"{note}, not settable: {', '.join(refused)}" if refused else note


def congestion_control() -> str:
    return (_IPV4 / "tcp_congestion_control").read_text().strip()


def _loopback_up() -> None:
    request = struct.pack("16sh14x", b"lo", _IFF_UP_RUNNING)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, _SIOCSIFFLAGS, request)


def _set(name: str, value: str) -> bool:
    try:
        (_IPV4 / name).write_text(value)
    except OSError:
        return False
    return True
