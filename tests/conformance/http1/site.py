"""The document roots that every server serves, byte for byte the same, of one moment."""

from __future__ import annotations

import os
from pathlib import Path

from .case import FILE, NEXT_BODY
from .talk import PROBE_BODY

_MODIFIED = 1704164645  # case.LAST_MODIFIED

PAGE = b"<!doctype html>\n<title>page</title>\n<p>The page of a folder.\n"
TEXT = b"plain words, repeated so that compressing them pays; " * 60
SPACED = b"a name with a space\n"
SMUGGLED = b"smuggled\n"

MAIN = {
    "index.html": PAGE,
    "file.txt": FILE,
    "page.html": PAGE,
    "text.txt": TEXT,
    "empty.txt": b"",
    "next.txt": NEXT_BODY,
    "probe.txt": PROBE_BODY,
    "smuggled.txt": SMUGGLED,
    "which.txt": b"main\n",
    "a b.txt": SPACED,
    "tilde~-_.txt": b"tilde\n",
    "folder/index.html": PAGE,
    "folder/file.txt": FILE,
    "big.bin": bytes(range(256)) * 4096,
}
OTHER = {"which.txt": b"other\n", "index.html": PAGE, "probe.txt": PROBE_BODY}

_ECHO_SCRIPT = "#!/bin/sh\nprintf 'Content-Type: application/octet-stream\\r\\n\\r\\n'\nexec cat\n"
_NOTHING_SCRIPT = "#!/bin/sh\nprintf 'Status: 204\\r\\n\\r\\n'\n"


def build(folder: Path) -> None:
    """main/ and other/ for the hosts main.test and other.test; cgi/ for who needs programs."""
    for name, files in (("main", MAIN), ("other", OTHER)):
        for path, content in files.items():
            file = folder / name / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
            os.utime(file, (_MODIFIED, _MODIFIED))
    for name, text in (("echo", _ECHO_SCRIPT), ("nothing", _NOTHING_SCRIPT)):
        script = folder / "cgi" / name
        script.parent.mkdir(exist_ok=True)
        script.write_text(text)
        script.chmod(0o755)
    os.chmod(folder, 0o755)
