"""The daemon, or another server, as a child process on a port of the kernel's choice."""

import os
import re
import select
import signal
import subprocess
import sys
import time

LISTENING = r"listening on (http://\S+)"

# Does what a service manager does between fork and exec: the descriptors of argument 1 become 3, 4
# and so on, and the environment says so to this process, which then becomes the daemon.
HAND_OVER = """
import fcntl, os, sys
given = [int(fd) for fd in sys.argv[1].split(",")]
copies = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 100) for fd in given]
for fd in given:
    os.close(fd)
for target, copy in enumerate(copies, 3):
    os.dup2(copy, target)
os.environ.update(LISTEN_FDS=str(len(given)), LISTEN_FDNAMES=sys.argv[2])
os.environ["LISTEN_PID"] = sys.argv[3] or str(os.getpid())
os.execv(sys.argv[4], sys.argv[4:])
"""


class Program:
    """Starts a server and waits until it says where it listens. A context manager."""

    def __init__(self, program, *arguments, folder=None, seconds=30, environment=None, fds=()):
        self._process = subprocess.Popen(
            [str(program), *arguments], cwd=folder, pass_fds=fds, env=environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.output = ""
        try:
            self.url = self.wait_for(LISTENING, seconds)[1].rstrip("/")
        except BaseException:
            self._process.kill()
            self._process.wait()
            self._process.stdout.close()
            raise

    def wait_for(self, pattern, seconds=30):
        """Waits until a whole line of its output matches; returns the match."""
        pipe = self._process.stdout.fileno()
        deadline = time.monotonic() + seconds
        while True:
            found = re.search(pattern, self.output)
            if found and "\n" in self.output[found.end():]:
                return found
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([pipe], [], [], left)[0]:
                raise TimeoutError(f"no {pattern} in what it said: {self.output}")
            chunk = os.read(pipe, 4096)
            if not chunk:
                raise ConnectionError(f"it ended with {self._process.wait()}: {self.output}")
            self.output += chunk.decode(errors="replace")

    @property
    def pid(self):
        return self._process.pid

    @property
    def port(self):
        return int(self.url.rpartition(":")[2])

    def running(self):
        return self._process.poll() is None

    def memory(self, kind):
        """Bytes, of a kind that /proc/PID/status has: VmRSS now, VmHWM at the most."""
        with open(f"/proc/{self.pid}/status", encoding="ascii") as status:
            return int(re.search(rf"{kind}:\s+(\d+) kB", status.read())[1]) << 10

    def forget_peak(self):
        """VmHWM counts from now on."""
        with open(f"/proc/{self.pid}/clear_refs", "w", encoding="ascii") as control:
            control.write("5")

    def open_sockets(self):
        count = 0
        for fd in os.listdir(f"/proc/{self.pid}/fd"):
            try:
                count += os.readlink(f"/proc/{self.pid}/fd/{fd}").startswith("socket:")
            except FileNotFoundError:
                pass  # closed meanwhile
        return count

    def send_signal(self, number):
        self._process.send_signal(number)

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


class Daemon(Program):
    """Starts ssxrver in a folder.

    sockets: handed over as a service manager would (LISTEN_FDS), with these names, and meant for
    the process listen_pid (None: the daemon itself).
    """

    def __init__(self, program, folder, *arguments, seconds=30, sockets=(), names="",
                 listen_pid=None):
        command = [str(program), "-g", 'listeners=[{"port": 0}]', *arguments]
        fds = [socket.fileno() for socket in sockets]
        if fds:
            meant_for = "" if listen_pid is None else str(listen_pid)
            command = [sys.executable, "-c", HAND_OVER, ",".join(map(str, fds)), names, meant_for,
                       *command]
        super().__init__(*command, folder=folder, seconds=seconds, fds=fds)
