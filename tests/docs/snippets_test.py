#!/usr/bin/env python3
"""Is the C++ that README.md and the guides show the code of a file that is compiled?

Blanks and line ends do not count, so that the text may break lines where it wants.
"""

from __future__ import annotations

import re
import unittest
from pathlib import Path

_REPOSITORY = Path(__file__).resolve().parents[2]
_COMPILED = [*_REPOSITORY.glob("docs/examples/**/*.cc"), *_REPOSITORY.glob("tests/docs/*.cc")]
_BLOCK = re.compile(r"^```cpp\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def packed(text: str) -> str:
    return re.sub(r"\s+", "", text)


class Snippets(unittest.TestCase):
    def test_are_code_that_is_compiled(self) -> None:
        compiled = [packed(path.read_text()) for path in _COMPILED]
        pages = [_REPOSITORY / "README.md", *sorted((_REPOSITORY / "docs" / "guide").glob("*.md"))]
        count = 0
        for page in pages:
            for block in _BLOCK.findall(page.read_text()):
                count += 1
                with self.subTest(page=page.name, block=block.splitlines()[0]):
                    self.assertTrue(any(packed(block) in text for text in compiled))
        self.assertGreater(count, 30)

    def test_do_not_match_anything(self) -> None:
        self.assertNotEqual(packed("a b;\nc"), packed("a b; d"))
        self.assertEqual(_BLOCK.findall("x\n```cpp\na\nb\n```\ny\n```\nno\n```\n"), ["a\nb\n"])


if __name__ == "__main__":
    unittest.main()
