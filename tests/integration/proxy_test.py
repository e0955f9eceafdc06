#!/usr/bin/env python3
"""ssxrver behind Debian's nginx, over HTTP and with the PROXY protocol, and behind a proxy of ours.

usage: proxy_test.py --daemon PROGRAM

Clients are told apart by addresses of the loopback: 127.0.0.2, 127.0.0.3 and so on.
"""

import argparse
import contextlib
import http.client
import json
import os
import pathlib
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import peer  # noqa: E402
from daemon import Daemon  # noqa: E402

PROGRAM = ""
NGINX = ""
STREAM_MODULE = pathlib.Path("/usr/lib/nginx/modules/ngx_stream_module.so")
SECONDS = 30
PROXY = "127.0.0.1"
DENIED = "127.0.0.66"
TRIES = 5

SITE = {
    "worker_processes": 2,
    "http": {"routes": [{"match": "/*", "handler": "text", "body": "hello\n"}]},
    "access": {"trusted_proxies": [PROXY], "deny": [DENIED]},
    "limits": {"requests": [{"match": "/few", "rate": "1/m burst 2"}]},
}

NGINX_CONF = """
daemon off;
master_process off;
pid nginx.pid;
error_log stderr warn;
%(head)s
events { worker_connections 64; }
%(body)s
"""
OVER_HTTP = """
http {
  access_log off;
  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path f; uwsgi_temp_path u;
  scgi_temp_path s;
  server {
    listen 127.0.0.1:%(port)d;
    location / {
      proxy_pass http://%(upstream)s;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    }
  }
}
"""
OVER_PROXY_PROTOCOL = """
stream {
  server {
    listen 127.0.0.1:%(port)d;
    proxy_pass %(upstream)s;
    proxy_protocol on;
  }
}
"""


def free_port():
    with socket.socket() as probe:
        probe.bind((PROXY, 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def nginx(folder, head, body, upstream):
    """nginx in front of upstream; the port on which it listens."""
    for _ in range(TRIES):  # somebody else may take the port first
        port = free_port()
        values = {"port": port, "upstream": upstream}
        (folder / "nginx.conf").write_text(NGINX_CONF % {"head": head, "body": body % values})
        process = subprocess.Popen([NGINX, "-p", str(folder), "-c", "nginx.conf"],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        try:
            if listens(process, port):
                yield port
                return
        finally:
            process.kill()
            process.wait()
    raise TimeoutError("nginx does not listen")


def listens(process, port):
    deadline = time.monotonic() + SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex((PROXY, port)) == 0:
                return True
        time.sleep(0.01)
    return False


def ask(port, path="/", client=PROXY, headers=None):
    """The status and Retry-After for one request of this client."""
    connection = http.client.HTTPConnection(PROXY, port, SECONDS, source_address=(client, 0))
    with contextlib.closing(connection):
        connection.request("GET", path, headers=headers or {})
        answer = connection.getresponse()
        answer.read()
        return answer.status, answer.getheader("Retry-After")


def converse(port, data, client=PROXY):
    """Everything that comes back, or None after a reset, which connect() may tell already."""
    try:
        with socket.create_connection((PROXY, port), SECONDS, source_address=(client, 0)) as to:
            to.sendall(data)
            answer = b""
            while chunk := to.recv(4096):
                answer += chunk
            return answer
    except ConnectionError:
        return None


def version_1(client):
    return f"PROXY TCP4 {client} 127.0.0.1 4000 80\r\n".encode()


def version_2(client):
    addresses = socket.inet_aton(client) + socket.inet_aton(PROXY) + struct.pack("!HH", 4000, 80)
    vectors = b"\x02\x00\x03a.b"  # PP2_TYPE_AUTHORITY, which nobody reads
    head = b"\r\n\r\n\0\r\nQUIT\n\x21\x11"
    return head + struct.pack("!H", len(addresses + vectors)) + addresses + vectors


class ProxyTest(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.folder = pathlib.Path(self._folder.name)
        (self.folder / "site.json").write_text(json.dumps(SITE))

    def start(self, *arguments):
        daemon = Daemon(PROGRAM, self.folder, "-f", "site.json", *arguments)
        self.addCleanup(daemon.__exit__)
        return daemon, int(daemon.url.rsplit(":", 1)[1])

    def check_limits_through(self, port):
        """Each client has its own rate, whatever it says of itself."""
        for client in ("127.0.0.2", "127.0.0.3"):
            for _ in range(2):
                self.assertEqual(ask(port, "/few", client)[0], 200)
            status, retry_after = ask(port, "/few", client, {"X-Forwarded-For": "192.0.2.1"})
            self.assertEqual(status, 429)
            self.assertIn(int(retry_after), range(1, 61))
            self.assertEqual(ask(port, "/many", client)[0], 200)

    def test_nginx_over_http(self):
        _, port = self.start()
        with nginx(self.folder, "", OVER_HTTP, f"{PROXY}:{port}") as front:
            self.check_limits_through(front)
            self.assertEqual(ask(front, "/", DENIED)[0], 403)
            self.assertEqual(ask(front, "/", PROXY, {"X-Forwarded-For": DENIED})[0], 403)
        # And past the proxy: the socket's address counts, and nothing that is said.
        self.assertEqual(ask(port, "/few", "127.0.0.4", {"X-Forwarded-For": DENIED})[0], 200)
        self.assertIsNone(converse(port, b"GET / HTTP/1.1\r\n", DENIED))

    def test_nginx_with_the_proxy_protocol(self):
        if not STREAM_MODULE.exists():
            self.assertFalse(peer.required(), "nginx's stream module is missing")
            self.skipTest("nginx has no stream module; our own proxy says the same below")
        _, port = self.start("-g", "access.proxy_protocol=on")
        head = f"load_module {STREAM_MODULE};"
        with nginx(self.folder, head, OVER_PROXY_PROTOCOL, f"{PROXY}:{port}") as front:
            self.check_limits_through(front)
            self.assertFalse(converse(front, b"GET / HTTP/1.1\r\nHost: a\r\n\r\n", DENIED))

    def test_the_proxy_protocol_of_both_versions(self):
        _, port = self.start("-g", "access.proxy_protocol=on")
        request = b"GET /few HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
        for client, header in (("192.0.2.1", version_1), ("192.0.2.2", version_2)):
            for status in (b"200", b"200", b"429"):
                answer = converse(port, header(client) + request)
                self.assertEqual(answer.split()[1], status, client)
            self.assertIsNone(converse(port, header(DENIED) + request))
        for bad in (b"PROXY TCP4 x\r\n" + request, request, version_2(PROXY)[:13] + b"\x55" * 20):
            self.assertIsNone(converse(port, bad))
        # Whoever is no proxy is reset, whatever he sends.
        self.assertIsNone(converse(port, version_1("192.0.2.3") + request, "127.0.0.4"))

    def test_the_proxy_protocol_where_it_is_optional(self):
        _, port = self.start("-g", "access.proxy_protocol=optional")
        request = b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
        self.assertIn(b"hello", converse(port, version_1("192.0.2.1") + request))
        self.assertIn(b"hello", converse(port, request))
        self.assertIn(b"hello", converse(port, request, "127.0.0.4"))
        forged = converse(port, version_1("192.0.2.1") + request, "127.0.0.4")
        self.assertEqual(forged.split()[1], b"400")  # no request line

    def test_connections_are_counted_for_the_real_client(self):
        _, port = self.start("-g", "access.proxy_protocol=on", "-g", "limits.connections_per_ip=2")
        request = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
        with contextlib.ExitStack() as stack:
            for client in ("192.0.2.1", "192.0.2.2"):
                for _ in range(2):
                    stays = stack.enter_context(socket.create_connection((PROXY, port), SECONDS))
                    stays.sendall(version_1(client) + request)
                    self.assertIn(b"200", stays.recv(4096))
                self.assertIsNone(converse(port, version_1(client) + request))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--daemon", required=True)
    options, rest = parser.parse_known_args()
    PROGRAM = os.path.abspath(options.daemon)
    NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin") or peer.need("nginx")
    unittest.main(argv=[sys.argv[0], *rest])
