#!/usr/bin/env python3
"""What surrounds routes by configuration, and the handlers that send a request elsewhere.

usage: routes_test.py --daemon PROGRAM
"""

import http.client
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from daemon import Daemon  # noqa: E402

PROGRAM = ""
SECONDS = 30


class Base(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text, mode=0o600):
        path = self.folder / name
        path.write_text(text)
        path.chmod(mode)

    def configure(self, http_options, **more):
        (self.folder / "site.json").write_text(
            json.dumps({"listeners": [{"port": 0}], "http": http_options, **more}, indent=1))

    def start(self, http_options, **more):
        self.configure(http_options, **more)
        return Daemon(PROGRAM, self.folder, "-f", "site.json")

    def refusal(self, *arguments):
        """What -t says, and that the start says the same."""
        outputs = [subprocess.run([PROGRAM, "-f", "site.json", *more, *arguments], cwd=self.folder,
                                  capture_output=True, text=True, timeout=SECONDS, check=False)
                   for more in (["-t"], [])]
        for output in outputs:
            self.assertEqual(output.returncode, 78, output.stderr)
        self.assertEqual(outputs[0].stderr, outputs[1].stderr)
        return outputs[0].stderr

    def ask(self, daemon, target, method="GET", body=None, **fields):
        where = urllib.parse.urlsplit(daemon.url)
        connection = http.client.HTTPConnection(where.hostname, where.port, timeout=SECONDS)
        with_dashes = {name.replace("_", "-"): value for name, value in fields.items()}
        connection.request(method, target, body=body, headers=with_dashes)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, answer.headers, text


class Cors(Base):
    ROUTES = [{"match": "/api", "methods": ["GET"], "handler": "text", "body": "api"}]

    def test_is_around_every_route_and_where_there_is_none(self):
        cors = {"enabled": "on", "origins": ["https://a.example"], "methods": ["PUT"],
                "expose_headers": ["X-Total"], "max_age": 5}
        with self.start({"cors": cors, "routes": self.ROUTES}) as daemon:
            for method, target, status in (("GET", "/api", 200), ("DELETE", "/api", 405),
                                           ("OPTIONS", "/api", 204), ("GET", "/none", 404)):
                got, fields, _ = self.ask(daemon, target, method, Origin="https://a.example")
                self.assertEqual(got, status, target)
                self.assertEqual(fields["Access-Control-Allow-Origin"], "https://a.example")
                self.assertEqual(fields["Access-Control-Expose-Headers"], "X-Total")
                _, fields, _ = self.ask(daemon, target, method, Origin="https://b.example")
                self.assertNotIn("Access-Control-Allow-Origin", fields)
            for target in ("/api", "/none"):
                status, fields, _ = self.ask(daemon, target, "OPTIONS", Origin="https://a.example",
                                             Access_Control_Request_Method="PUT")
                self.assertEqual(status, 204)
                self.assertEqual(fields["Access-Control-Allow-Methods"], "PUT")
                self.assertEqual(fields["Access-Control-Max-Age"], "5")

    def test_without_the_key_there_is_none(self):
        with self.start({"routes": self.ROUTES}) as daemon:
            fields = self.ask(daemon, "/api", Origin="https://a.example")[1]
            self.assertFalse([name for name in fields if name.startswith("Access-Control")])

    def test_every_origin_with_credentials_is_refused_with_its_place(self):
        self.configure({"cors": {"enabled": "on", "origins": ["*"], "credentials": "on"}})
        self.assertRegex(self.refusal(), r"site\.json:\d+:\d+: /http/cors/origins: \"\*\" does not "
                                         r"go with \"credentials\": \"on\"")


if __name__ == "__main__":
    PROGRAM = sys.argv[sys.argv.index("--daemon") + 1]
    unittest.main(argv=[sys.argv[0], "-v"])
