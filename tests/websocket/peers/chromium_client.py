#!/usr/bin/env python3
"""Chromium as a client of the servers of README.md: JavaScript in a page that our server sent.

usage: chromium_client.py URL [CHECK...]; ends with 0 when all is well.
"""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "support"))
import peer  # noqa: E402
from chromium import Browser  # noqa: E402

URL = sys.argv[1].rstrip("/")


def main(wanted):
    program = peer.need("chromium", "chromium-browser", "google-chrome")
    script = (HERE / "chromium_checks.js").read_text(encoding="utf-8")
    with Browser(program) as browser:
        # No page of a server, so no origin that a server would take.
        browser.run(f"{script}; this.checks = checks")
        assert browser.run(f"checks.isRefused('{URL}')") == "refused"
        print("ok isRefused")
        browser.open(URL + "/")
        browser.run(f"{script}; this.checks = checks")
        for name in browser.run("Object.keys(checks)"):
            if name != "isRefused" and (not wanted or name in wanted):
                browser.run(f"checks.{name}('{URL}')")
                print("ok", name, flush=True)


if __name__ == "__main__":
    main(sys.argv[2:])
