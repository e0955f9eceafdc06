"""Makes Python 3 of the suite's engine and cases, which are Python 2.

usage: convert.py FOLDER, which holds the package autobahntestsuite

The cases say what they send in literals of Python 2, which are bytes. Here they become text whose
code points are those bytes (hence Latin-1 below), and boundary.py turns text into bytes and back
where cases and engine meet. So no case changes its meaning, and none has to be edited by hand.
"""

from __future__ import annotations

import re
import sys
from lib2to3 import refactor
from pathlib import Path

_FIXES = ("basestring", "dict", "except", "has_key", "import", "next", "numliterals", "print",
          "raise", "unicode", "xrange")  # fmt: skip

# What lib2to3 cannot know: pattern, replacement.
_EDITS = (
    (r"\bbinascii\.(b2a_hex|hexlify)\(", "boundary.hexed("),
    (r"\bjson\.dumps\(", "boundary.to_json("),
    (r"\bUtf8Validator\(\)", "boundary.Utf8Validator()"),
    (r"''\.join\(payload\)", "b''.join(payload)"),
    (r"\(object, Case, ?\)", "(Case, )"),
    (r"len\(self\.payload\) / self\.p\.", "len(self.payload) // self.p."),
)

# The pages of its report, which nobody here opens, and its other programs want more packages.
_REPORT = "CSS_COMMON = CSS_DETAIL_REPORT = CSS_MASTER_REPORT = JS_MASTER_REPORT = ''\n"
# 9.9.1 is switched off in the suite itself, and uses what its library no longer has.
_EMPTY = ("case9_9_1.py",)


def convert(package: Path) -> None:
    # Only Latin-1 keeps each byte of a literal as one code point.
    tool = refactor.RefactoringTool([f"lib2to3.fixes.fix_{name}" for name in _FIXES])
    (package / "__init__.py").write_text("from ._version import __version__ as version\n")
    (package / "report.py").write_text(_REPORT)
    files = [package / "fuzzing.py", package / "caseset.py", *(package / "case").glob("*.py")]
    for file in files:
        text = "" if file.name in _EMPTY else file.read_text(encoding="latin-1") + "\n"
        text = str(tool.refactor_string(text, str(file)))
        for pattern, instead in _EDITS:
            text = re.sub(pattern, instead, text)
        file.write_text(f"import boundary\n{text}", encoding="utf-8")


if __name__ == "__main__":
    convert(Path(sys.argv[1]) / "autobahntestsuite")
