#!/usr/bin/env python3
"""Tests of what fills the pages of docs/benchmarks."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

from httpbench import document

_PAGES = Path(__file__).resolve().parents[2] / "docs" / "benchmarks"
_PLACES = """# Title

<!-- maker.py one -->
old
<!-- /maker.py -->

between

<!-- maker.py two -->
<!-- /maker.py -->
"""


class Document(unittest.TestCase):
    def test_only_the_place_of_the_text_changes(self) -> None:
        text = document.filled(_PLACES, "maker.py", {"one": "new\n"})
        self.assertEqual(text, _PLACES.replace("old", "new"))

    def test_every_text_has_its_place(self) -> None:
        text = document.filled(_PLACES, "maker.py", {"two": "2\n", "one": "1\n"})
        self.assertLess(text.index("1\n"), text.index("2\n"))
        self.assertNotIn("old", text)

    def test_filling_twice_is_filling_once(self) -> None:
        once = document.filled(_PLACES, "maker.py", {"one": r"\1 and \g<0>" + "\n"})
        again = document.filled(once, "maker.py", {"one": r"\1 and \g<0>" + "\n"})
        self.assertEqual(again, once)

    def test_a_document_without_the_place_is_refused_and_kept(self) -> None:
        for maker, key in (("maker.py", "three"), ("other.py", "one")):
            with self.assertRaisesRegex(document.PlaceError, f"no place for {key} of {maker}"):
                document.filled(_PLACES, maker, {key: "x\n"})
        with tempfile.TemporaryDirectory() as name:
            page = Path(name) / "page.md"
            page.write_text(_PLACES)
            with self.assertRaisesRegex(SystemExit, "page.md: .*no place for three"):
                document.fill(page, "maker.py", {"three": "x\n"})
            self.assertEqual(page.read_text(), _PLACES)

    def test_the_pages_have_the_places(self) -> None:
        for page, maker, keys in (
            ("http.md", "http_table.py", ("places", "2021", "figures")),
            ("http.md", "curves.py", ("figures",)),
            ("websocket.md", "ws_table.py", ("figures",)),
            ("parts.md", "compare.py", ("figures",)),
            ("plugins.md", "border_table.py", ("figures",)),
            ("load.md", "load_table.py", ("figures",)),
        ):
            text = (_PAGES / page).read_text()
            with self.subTest(page):
                document.filled(text, maker, {key: "x\n" for key in keys})


if __name__ == "__main__":
    unittest.main()
