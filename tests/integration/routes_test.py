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


class Around(Base):
    def test_a_rate_is_exact_over_all_threads(self):
        routes = [{"match": "/login", "handler": "text", "rate_limit": "1/m burst 20"},
                  {"match": "/*", "handler": "text"}]
        with self.start({"routes": routes}, worker_processes=4) as daemon:
            statuses = [self.ask(daemon, "/login")[0] for _ in range(30)]
            self.assertEqual(statuses, [200] * 20 + [429] * 10)
            status, fields, _ = self.ask(daemon, "/login", "POST", body="x")
            self.assertEqual(status, 429)
            self.assertIn(int(fields["Retry-After"]), range(1, 61))
            self.assertEqual(self.ask(daemon, "/other")[0], 200)

    def test_the_rate_is_that_of_the_client_behind_the_proxy(self):
        routes = [{"match": "/*", "handler": "text", "rate_limit": "1/m burst 1"}]
        access = {"trusted_proxies": ["127.0.0.1"]}
        with self.start({"routes": routes}, access=access) as daemon:
            for client in ("192.0.2.1", "192.0.2.2"):
                statuses = [self.ask(daemon, "/", X_Forwarded_For=client)[0] for _ in range(2)]
                self.assertEqual(statuses, [200, 429])

    def test_auth_by_password_and_by_token(self):
        self.write("users", "# people\nann:secret\n", 0o640)
        self.write("tokens", "t0ken\n")
        routes = [{"match": "/basic", "handler": "text", "body": "in", "auth": "basic:users"},
                  {"match": "/bearer", "handler": "text", "body": "in", "auth": "bearer:tokens"}]
        with self.start({"routes": routes}) as daemon:
            status, fields, body = self.ask(daemon, "/basic")
            self.assertEqual(status, 401)
            self.assertRegex(fields["WWW-Authenticate"], "^Basic realm=")
            self.assertNotIn("in", body)
            good = {"/basic": "Basic YW5uOnNlY3JldA==", "/bearer": "Bearer t0ken"}
            for target, credentials in good.items():
                self.assertEqual(self.ask(daemon, target, Authorization=credentials)[::2],
                                 (200, "in"))
                for method in ("DELETE", "OPTIONS"):
                    self.assertEqual(self.ask(daemon, target, method)[0], 401, method)
            self.assertEqual(self.ask(daemon, "/basic", Authorization=good["/bearer"])[0], 401)

    def test_a_file_of_htpasswd(self):
        # "Open, Sesame", by htpasswd with -m, -B, -s, -2 and -5, and by crypt(3).
        self.write("users", "\n".join((
            "apr1:$apr1$qvgwKDAd$3.tzr24SeCC1aY05PDkis1",
            "bcrypt:$2y$05$89cVY3mh1uJepooGFigOxu75G7XzmQz9p4e6ErU9vorakl0aTDBr6",
            "sha1:{SHA}YIK7HrVpOyhEYF30C9Lbh/rpGj0=",
            "sha256:$5$x6f.d7Lu1FFk7DMu$WFJwpOLIIJ3IdMAof0Jb76sMftTGslyv9wfy9IBa052",
            "sha512:$6$I40Dd6XrSwypMmDm$WE6mLkfYD1ddtF02/1Ut7l/a0hkDxgo07m.I/.7A5hyCfx1eFTVvU/"
            "efMw69KBMhVZbhiHN2PRnmI4kekPoCj.",
            "yescrypt:$y$j9T$F5Jx5fExrKuPp53xLKQ..1$fzoGQ91tWP4FPzm1LNgUqEsQI94rq9oEKNbg4yaPCr3",
            "plain:Open, Sesame", "")))
        routes = [{"match": "/", "handler": "text", "body": "in", "auth": "basic:users"}]
        with self.start({"routes": routes}, task_processes=1) as daemon:
            def curl(user, password):
                done = subprocess.run(
                    ["curl", "--silent", "--max-time", "20", "--write-out", "%{http_code}",
                     "--user", f"{user}:{password}", f"http://127.0.0.1:{daemon.port}/"],
                    capture_output=True, text=True, check=True)  # fmt: skip
                return done.stdout
            for user in ("apr1", "bcrypt", "sha1", "sha256", "sha512", "yescrypt", "plain"):
                for _ in range(2):
                    self.assertEqual(curl(user, "Open, Sesame"), "in200", user)
                self.assertNotIn("in", curl(user, "open, Sesame"), user)
            self.assertTrue(curl("nobody", "Open, Sesame").endswith("401"))
            self.assertEqual(self.ask(daemon, "/")[0], 401)
        self.configure({"routes": routes})
        self.assertRegex(self.refusal(), r'/http/routes/0/auth: "users": line 1: a hash of this '
                                         r'kind needs a task thread, and "task_processes" is 0')

    def test_the_file_stands_in_the_working_directory(self):
        (self.folder / "run").mkdir()
        self.write("run/users", "ann:secret")
        routes = [{"match": "/", "handler": "text", "auth": "basic:users"}]
        with self.start({"routes": routes}, daemon={"working_directory": "run"}) as daemon:
            self.assertEqual(self.ask(daemon, "/")[0], 401)
            self.assertEqual(self.ask(daemon, "/", Authorization="Basic YW5uOnNlY3JldA==")[0], 200)

    def test_middleware_and_task_threads(self):
        routes = [{"match": "/", "handler": "text", "body": "x", "run_on": "tasks",
                   "middleware": ["request_id", "security_headers"]}]
        with self.start({"routes": routes}, task_processes=1) as daemon:
            status, fields, body = self.ask(daemon, "/")
            self.assertEqual((status, body), (200, "x"))
            self.assertEqual(len(fields["X-Request-Id"]), 32)
            self.assertEqual(fields["X-Content-Type-Options"], "nosniff")
            self.assertEqual(self.ask(daemon, "/none")[0], 404)

    def test_a_full_queue_before_the_task_threads_is_503(self):
        # Logins whose hash takes a second or so: one runs, one waits, for more there is no room.
        self.write("users", "ann:$2y$14$89cVY3mh1uJepooGFigOxu75G7XzmQz9p4e6ErU9vorakl0aTDBr6\n")
        routes = [{"match": "/in", "handler": "text", "auth": "basic:users"},
                  {"match": "/", "handler": "text", "body": "x", "run_on": "tasks"}]
        with self.start({"routes": routes}, task_processes=1, tasks={"queue_limit": 1}) as daemon:
            logins = [http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=SECONDS)
                      for _ in range(4)]
            for login in logins:
                login.request("GET", "/in", headers={"Authorization": "Basic YW5uOnNlY3JldA=="})
            answers = [login.getresponse() for login in logins]
            said = {(answer.status, answer.headers["Retry-After"]) for answer in answers}
            self.assertEqual(said, {(401, None), (503, "1")})
            for login in logins:
                login.close()
            self.assertEqual(self.ask(daemon, "/")[0], 200)

    def test_what_cannot_be_is_refused_with_its_place(self):
        self.write("open", "ann:secret", 0o644)
        for keys, expected in (
                ({"auth": "basic:open"}, r'auth: "open" holds secrets and everybody may read it'),
                ({"auth": "basic:none"}, r'auth: "none" cannot be read: No such file'),
                ({"auth": "open"}, r'auth: expected "basic:FILE" or "bearer:FILE"'),
                ({"middleware": ["security_header"]}, r'\("security_headers"\?\)'),
                ({"run_on": "tasks"}, r'run_on: there is no task thread'),
                ({"rate_limit": "10"}, r'rate_limit: expected a rate such as')):
            self.configure({"routes": [{"match": "/", "handler": "text", **keys}]})
            said = self.refusal()
            self.assertRegex(said, r"^ssxrver: site\.json:\d+:\d+: /http/routes/0/")
            self.assertRegex(said, expected)


class Elsewhere(Base):
    def test_redirects(self):
        routes = [{"match": "/old/{id}/*", "handler": "redirect", "to": "/new/{rest}?id={id}"},
                  {"match": "/far/*", "handler": "redirect", "to": "https://b.example/{rest}",
                   "status": 307},
                  {"match": "/{rest...}", "handler": "redirect", "to": "/{rest}/", "status": 302}]
        with self.start({"routes": routes}) as daemon:
            for target, status, location in (
                    ("/old/7/a/b?q=1", 301, "/new/a/b?id=7"),
                    ("/old/a%26b%3D/x", 301, "/new/x?id=a%26b%3D"),
                    ("/far/a%20b?q=1&r", 307, "https://b.example/a%20b?q=1&r"),
                    ("/far/%3Fx%23y%25", 307, "https://b.example/%3Fx%23y%25"),
                    ("/far//evil.example", 307, "https://b.example/evil.example"),
                    ("//evil.example", 302, "/evil.example/"),
                    ("/", 302, "/")):
                for method in ("GET", "POST"):
                    got, fields, body = self.ask(daemon, target, method)
                    self.assertEqual((got, fields["Location"], body), (status, location, ""))

    def test_rewrites(self):
        self.write("users", "ann:secret")
        (self.folder / "www").mkdir()
        self.write("www/a.txt", "file")
        routes = [{"match": "/v1/*", "handler": "rewrite", "to": "/v2/{rest}"},
                  {"match": "/v2/*", "handler": "static", "root": "www"},
                  {"match": "/open", "handler": "rewrite", "to": "/shut"},
                  {"match": "/shut", "handler": "text", "body": "in", "auth": "basic:users"},
                  {"match": "/send", "handler": "rewrite", "to": "/echo"},
                  {"match": "/echo", "handler": "echo", "max_body_size": 1000},
                  {"match": "/loop", "handler": "rewrite", "to": "/loop"}]
        routes += [{"match": f"/n/{i}", "handler": "rewrite", "to": f"/n/{i - 1}"}
                   for i in range(1, 12)] + [{"match": "/n/0", "handler": "text", "body": "end"}]
        with self.start({"routes": routes}) as daemon:
            self.assertEqual(self.ask(daemon, "/v1/a.txt")[2], "file")
            self.assertEqual(self.ask(daemon, "/v1/b.txt")[0], 404)
            self.assertEqual(self.ask(daemon, "/v1/..%2fsite.json")[0], 400)
            self.assertEqual(self.ask(daemon, "/open")[0], 401)
            self.assertEqual(self.ask(daemon, "/open", Authorization="Basic YW5uOnNlY3JldA==")[2],
                             "in")
            self.assertEqual(self.ask(daemon, "/send", "POST", body="x" * 1000)[2], "x" * 1000)
            self.assertEqual(self.ask(daemon, "/send", "POST", body="x" * 1001)[0], 413)
            self.assertEqual(self.ask(daemon, "/n/9")[2], "end")
            self.assertEqual(self.ask(daemon, "/n/10")[2], "end")
            self.assertEqual(self.ask(daemon, "/n/11")[0], 500)
            self.assertEqual(self.ask(daemon, "/loop")[0], 500)
            self.assertEqual(daemon.stop(), 0)
            self.assertRegex(daemon.output, r"/n/\d+: rewritten 10 times, and no end: /n/11")

    def test_what_leads_nowhere_is_refused_with_its_place(self):
        for keys, expected in (
                ({"handler": "rewrite"}, r'0: the handler "rewrite" needs the key "to"'),
                ({"handler": "rewrite", "to": "/{nam}"}, r"to: {nam} is no part of \"match\"; did "
                                                         r"you mean {name}\?"),
                ({"handler": "redirect", "to": "https://{name}/"}, r"to: {name} would choose the"),
                ({"handler": "redirect", "to": "/", "status": 200}, r"status: expected 301, 302,"),
                ({"handler": "rewrite", "to": "/", "auth": "basic:users"}, r"auth: belongs to")):
            self.configure({"routes": [{"match": "/{name}", **keys}]})
            said = self.refusal()
            self.assertRegex(said, r"^ssxrver: site\.json:\d+:\d+: /http/routes/0")
            self.assertRegex(said, expected)


if __name__ == "__main__":
    PROGRAM = sys.argv[sys.argv.index("--daemon") + 1]
    unittest.main(argv=[sys.argv[0], "-v"])
