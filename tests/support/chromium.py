"""A headless Chromium over its DevTools pipe: open a page, run JavaScript in it, hear its errors.

Nothing but the standard library; the protocol is JSON, each message ended by a NUL.
"""

import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
    "--disable-component-update", "--disable-default-apps", "--disable-extensions",
    "--disable-sync", "--no-first-run", "--no-default-browser-check", "--hide-scrollbars",
    "--disable-dev-shm-usage", "--remote-debugging-pipe",
)


class Browser:
    """One process with one page. Use it as a context manager."""

    def __init__(self, program, seconds=60):
        self._deadline = time.monotonic() + seconds
        self._profile = tempfile.mkdtemp(prefix="ssxrver-chromium-")
        from_us, self._to_browser = os.pipe()
        self._from_browser, to_us = os.pipe()

        def place_pipes():
            # The browser reads from 3 and writes to 4, whatever numbers the pipes have here.
            low = fcntl.fcntl(from_us, fcntl.F_DUPFD, 10), fcntl.fcntl(to_us, fcntl.F_DUPFD, 10)
            os.dup2(low[0], 3)
            os.dup2(low[1], 4)

        self._process = subprocess.Popen(
            [program, *FLAGS, f"--user-data-dir={self._profile}", "about:blank"],
            close_fds=False, preexec_fn=place_pipes, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(from_us)
        os.close(to_us)
        self._pending = b""
        self._next = 0
        self._session = None
        self.errors = []
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        attached = self._call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.terminate()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._to_browser)
        os.close(self._from_browser)
        shutil.rmtree(self._profile, ignore_errors=True)

    def open(self, url):
        """Loads a page and waits for its load event."""
        self._call("Page.navigate", url=url)
        self._until(lambda message: message.get("method") == "Page.loadEventFired")

    def follow(self, expression):
        """Runs what leads to another page, once this call has its answer, and waits for its load
        event."""
        self.run(f"void setTimeout(() => {{ {expression} }}, 0)")
        self._until(lambda message: message.get("method") == "Page.loadEventFired")

    def run(self, expression):
        """The value of a JavaScript expression; a promise is awaited."""
        answer = self._call("Runtime.evaluate", expression=expression, awaitPromise=True,
                            returnByValue=True)
        if "exceptionDetails" in answer:
            raise AssertionError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def emulate(self, width, height, dark=False):
        """The size of the window, and the colours that its user prefers."""
        self._call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                   deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._call("Emulation.setEmulatedMedia", features=[scheme])

    def screenshot(self):
        """The page as PNG, in base64."""
        return self._call("Page.captureScreenshot", captureBeyondViewport=True)["data"]

    def _call(self, method, **params):
        self._next += 1
        message = {"id": self._next, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to_browser, json.dumps(message).encode() + b"\0")
        answer = self._until(lambda heard: heard.get("id") == message["id"])
        if "error" in answer:
            raise AssertionError(f"{method}: {answer['error']}")
        return answer["result"]

    def _until(self, wanted):
        while True:
            message = self._receive()
            self._note_error(message)
            if wanted(message):
                return message

    def _receive(self):
        while b"\0" not in self._pending:
            left = self._deadline - time.monotonic()
            if left <= 0 or not select.select([self._from_browser], [], [], left)[0]:
                raise TimeoutError("the browser did not answer in time")
            chunk = os.read(self._from_browser, 1 << 16)
            if not chunk:
                raise ConnectionError("the browser has ended")
            self._pending += chunk
        text, self._pending = self._pending.split(b"\0", 1)
        return json.loads(text)

    def _note_error(self, message):
        params = message.get("params", {})
        if message.get("method") == "Runtime.exceptionThrown":
            self.errors.append(params["exceptionDetails"]["text"])
        elif message.get("method") == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.errors.append(f"{params['entry']['text']} {params['entry'].get('url', '')}")
        elif message.get("method") == "Runtime.consoleAPICalled" and params["type"] == "error":
            self.errors.append(str(params["args"]))
