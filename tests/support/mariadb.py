"""A MariaDB server of the test's own; mariadb_server.h is its sibling, and says what it is like."""

import os
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import peer

USER = "tester"
DATABASE = "ssxrver_test"


def _program(name):
    return shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/bin")


class MariadbServer:
    """A context manager. Ends the process as skipped, or failed, where MariaDB is missing."""

    def __init__(self, *arguments, seconds=60):
        for name in ("mariadbd", "mariadb-install-db", "mariadb"):
            if not _program(name):
                peer.missing(name)
        self._folder = tempfile.TemporaryDirectory(prefix="ssxrver-")
        self._root = Path(self._folder.name)
        self._arguments = arguments
        self._seconds = seconds
        self._process = None
        self.socket = str(self._root / "socket")
        self.password = secrets.token_hex(12)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self._as_user = "--user=root" if os.geteuid() == 0 else "--skip-name-resolve"
        subprocess.run(
            [_program("mariadb-install-db"), "--no-defaults", f"--datadir={self._root}/data",
             "--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve",
             "--innodb-log-file-size=4M", self._as_user],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=seconds)
        (self._root / "init.sql").write_text(
            f"CREATE DATABASE IF NOT EXISTS {DATABASE};\n"
            f"CREATE OR REPLACE USER '{USER}'@'%' IDENTIFIED BY '{self.password}';\n"
            f"GRANT ALL ON *.* TO '{USER}'@'%';\n")
        self.start()

    def start(self):
        """Returns when it takes connections; after kill() with the same data, socket and port."""
        self._process = subprocess.Popen(
            [_program("mariadbd"), "--no-defaults", f"--datadir={self._root}/data",
             f"--tmpdir={self._root}",  # who starts removes the temporary tables of all there
             f"--socket={self.socket}", f"--pid-file={self._root}/pid",
             f"--init-file={self._root}/init.sql", "--bind-address=127.0.0.1",
             f"--port={self.port}", "--innodb-buffer-pool-size=8M", "--innodb-log-file-size=4M",
             "--innodb-flush-log-at-trx-commit=0", "--innodb-doublewrite=0",
             "--innodb-use-native-aio=0", "--performance-schema=OFF", "--skip-log-bin",
             "--skip-name-resolve", self._as_user, *self._arguments],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + self._seconds
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.kill()
                raise RuntimeError("mariadbd does not start")
            time.sleep(0.02)

    def _answers(self):
        return self._client("SELECT 1").returncode == 0

    def _client(self, sql):
        return subprocess.run(
            [_program("mariadb"), "--no-defaults", "--batch", "--skip-column-names",
             "--default-character-set=utf8mb4", f"--socket={self.socket}", f"--user={USER}",
             f"--database={DATABASE}", f"--execute={sql}"],
            env={**os.environ, "MYSQL_PWD": self.password}, capture_output=True, text=True,
            check=False, timeout=self._seconds)

    def ask(self, sql):
        """What the server's own client prints."""
        done = self._client(sql)
        if done.returncode != 0:
            raise RuntimeError(f"{sql}: {done.stderr}")
        return done.stdout

    @property
    def pid(self):
        return self._process.pid

    def kill(self):
        """As the power fails."""
        self._process.kill()
        self._process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._process.poll() is None:
            self.kill()
        self._folder.cleanup()
