"""The daemon as a child process on a port of the kernel's choice."""

import os
import re
import select
import signal
import subprocess
import time

LISTENING = re.compile(r"listening on (http://\S+)")


class Daemon:
    """Starts ssxrver in a folder and waits until it says where it listens. A context manager."""

    def __init__(self, program, folder, *arguments, seconds=30):
        self._process = subprocess.Popen(
            [program, "-g", 'listeners=[{"port": 0}]', *arguments], cwd=folder,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.output = ""
        try:
            self.url = self._wait_for_url(time.monotonic() + seconds)
        except BaseException:
            self._process.kill()
            self._process.wait()
            raise

    def _wait_for_url(self, deadline):
        pipe = self._process.stdout.fileno()
        while True:
            found = LISTENING.search(self.output)
            if found and "\n" in self.output[found.end():]:
                return found[1].rstrip("/")
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([pipe], [], [], left)[0]:
                raise TimeoutError(f"no address in what it said: {self.output}")
            chunk = os.read(pipe, 4096)
            if not chunk:
                raise ConnectionError(f"it ended with {self._process.wait()}: {self.output}")
            self.output += chunk.decode(errors="replace")

    @property
    def pid(self):
        return self._process.pid

    def stop(self, number=signal.SIGTERM, seconds=30):
        """Sends a signal and waits; returns the exit code."""
        self._process.send_signal(number)
        rest, _ = self._process.communicate(timeout=seconds)
        self.output += rest.decode(errors="replace")
        return self._process.returncode

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
