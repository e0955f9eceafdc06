#!/usr/bin/env python3
"""Compares ssxrver/plugin/abi.h with the versions of it that plugins in the world were built with.

usage: abi_frozen_test.py [--freeze] [--clang PROGRAM]

Every struct, member, enumerator and macro of tests/plugin/frozen/abi_*.h must be there still, of
the same type, size and value and at the same place; tables grow at their end alone, and then
SSXRVER_ABI_MINOR is higher. --freeze writes the version that abi.h has now, which is for a header
that no plugin of anybody else has been built with.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))

import peer  # noqa: E402

HEADER = ROOT / "ssxrver/plugin/abi.h"
FROZEN = ROOT / "tests/plugin/frozen"
CLANG = ["clang-16"]


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}:\n{done.stderr}")
    return done.stdout


def nodes(tree, kind):
    for node in tree.get("inner", []):
        if node.get("kind") == kind:
            yield node


def members_of(record):
    """Name and type of each; a type without a name is spelled by its own members."""
    members, unnamed = {}, ""
    for node in record.get("inner", []):
        if node.get("kind") == "RecordDecl":
            inner = "; ".join(f"{kind} {name}" for name, kind in members_of(node).items())
            unnamed = f"{node['tagUsed']} {{ {inner} }}"
        elif node.get("kind") == "FieldDecl":
            kind = node["type"]["qualType"]
            members[node["name"]] = unnamed if "(unnamed" in kind else kind
    return members


def value_of(node):
    """The number of an enumerator: that of its constant expression."""
    for inner in node.get("inner", []):
        if "value" in inner:
            return int(inner["value"])
    raise AssertionError(f"{node['name']} has no value of its own")


class Abi:
    """A header as a compiler of C sees it."""

    def __init__(self, text):
        with tempfile.TemporaryDirectory(prefix="ssxrver-abi-") as folder:
            self._folder = Path(folder)
            self._header = self._folder / "abi.h"
            self._header.write_text(text, encoding="utf-8")
            self._read_tree()
            self._read_places()
            self._read_macros()

    def _read_tree(self):
        tree = json.loads(run(CLANG[0], "-x", "c", "-std=c11", "-fsyntax-only", "-Xclang",
                              "-ast-dump=json", self._header))
        self.members, self.enumerators = {}, {}
        for record in nodes(tree, "RecordDecl"):
            name = record.get("name", "")
            if name.startswith("ssxrver_") and record.get("completeDefinition"):
                self.members[name] = members_of(record)
        for enum in nodes(tree, "EnumDecl"):
            for one in nodes(enum, "EnumConstantDecl"):
                self.enumerators[one["name"]] = value_of(one)
        self.functions = {alias["name"]: alias["type"]["qualType"]
                          for alias in nodes(tree, "TypedefDecl")
                          if "(*)" in alias["type"]["qualType"]}

    def _read_places(self):
        lines = ['#include "abi.h"', "#include <stdio.h>", "int main(void) {"]
        for record, members in self.members.items():
            lines.append(f'printf("{record} %zu\\n", sizeof({record}));')
            for member in members:
                place = f"offsetof({record}, {member}), sizeof((({record}*)0)->{member})"
                lines.append(f'printf("{record}.{member} %zu %zu\\n", {place});')
        lines.append("}")
        source, program = self._folder / "places.c", self._folder / "places"
        source.write_text("\n".join(lines), encoding="utf-8")
        run(CLANG[0], "-std=c11", source, "-o", program)
        words = (line.split() for line in run(program).splitlines())
        self.places = {name: tuple(map(int, numbers)) for name, *numbers in words}

    def _read_macros(self):
        text = run(CLANG[0], "-x", "c", "-dM", "-E", self._header)
        found = re.findall(r"^#define (SSXRVER_\w+) (.+)$", text, re.MULTILINE)
        self.macros = dict(found)

    @property
    def minor(self):
        return int(self.macros["SSXRVER_ABI_MINOR"].rstrip("u"))

    def is_table(self, record):
        """It says its size, so that a side knows how much of it there is."""
        return "size" in self.members[record] and self.members[record]["size"] == "uint32_t"


def differences(old, new):
    """What a plugin that was built with `old` would not find in `new`, one sentence each."""
    found, has_grown = [], False
    for record, members in old.members.items():
        if record not in new.members:
            found.append(f"{record} is gone")
            continue
        for member, kind in members.items():
            name = f"{record}.{member}"
            if member not in new.members[record]:
                found.append(f"{name} is gone")
            elif kind != new.members[record][member]:
                found.append(f"{name} was {kind}, is {new.members[record][member]}")
            elif old.places[name] != new.places[name]:
                found.append(f"{name} has moved: (place, size) {old.places[name]} to "
                             f"{new.places[name]}")
        if old.places[record] != new.places[record]:
            has_grown = True
            if not old.is_table(record):
                found.append(f"{record} has another size, and does not say how large it is")
    for what in ("enumerators", "functions", "macros"):
        before, now = getattr(old, what), getattr(new, what)
        for name, value in before.items():
            if name == "SSXRVER_ABI_MINOR":
                continue
            if now.get(name) != value:
                found.append(f"{name} was {value}, is {now.get(name, 'gone')}")
        has_grown = has_grown or set(now) != set(before)
    has_grown = has_grown or set(new.members) != set(old.members)
    if new.minor < old.minor or (has_grown and new.minor == old.minor):
        found.append(f"SSXRVER_ABI_MINOR was {old.minor}, is {new.minor}, and something is new")
    return found


class Frozen(unittest.TestCase):
    def test_every_version_is_kept(self):
        now = Abi(HEADER.read_text(encoding="utf-8"))
        versions = sorted(FROZEN.glob("abi_*.h"))
        self.assertTrue(versions)
        for path in versions:
            with self.subTest(path.name):
                old = Abi(path.read_text(encoding="utf-8"))
                self.assertEqual(differences(old, now), [], "see --freeze")


class Comparison(unittest.TestCase):
    """It sees what it is for: each change of a copy."""

    @classmethod
    def setUpClass(cls):
        cls.text = HEADER.read_text(encoding="utf-8")
        cls.old = Abi(cls.text)

    def changed(self, before, after):
        self.assertEqual(self.text.count(before), 1, before)
        return differences(self.old, Abi(self.text.replace(before, after)))

    def test_a_member_that_moves(self):
        stop, destroy = "  void (*stop)(void* instance);\n", "  void (*destroy)(void* instance);\n"
        found = self.changed(stop + destroy, destroy + stop)
        self.assertTrue(any("ssxrver_plugin_entry.stop has moved" in line for line in found), found)

    def test_a_member_that_goes(self):
        found = self.changed("  void (*stop)(void* instance);\n", "")
        self.assertIn("ssxrver_plugin_entry.stop is gone", found)

    def test_a_function_that_takes_something_else(self):
        found = self.changed("  void (*stop)(void* instance);", "  void (*stop)(int instance);")
        self.assertEqual(found, ["ssxrver_plugin_entry.stop was void (*)(void *), is "
                                 "void (*)(int)"])

    def test_an_enumerator_with_another_number(self):
        found = self.changed("SSXRVER_CLOSED = -5", "SSXRVER_CLOSED = -15")
        self.assertEqual(found, ["SSXRVER_CLOSED was -5, is -15"])

    def test_a_union_with_another_member(self):
        found = self.changed("    double real;\n", "    float real;\n")
        self.assertEqual(len(found), 1, found)
        self.assertIn("double real", found[0])

    def test_a_macro_with_another_value(self):
        found = self.changed('"ssxrver_plugin_query"', '"ssxrver_plugin_ask"')
        self.assertEqual(len(found), 1, found)

    def test_a_value_that_grows(self):
        found = self.changed("typedef struct ssxrver_text {\n  const char* data;\n  size_t size;\n",
                             "typedef struct ssxrver_text {\n  const char* data;\n  size_t size;\n"
                             "  size_t hash;\n")
        self.assertIn("ssxrver_text has another size, and does not say how large it is", found)

    def test_a_table_that_grows_at_its_end(self):
        before = "  void (*destroy)(void* instance);\n"
        after = before + "  void (*pause)(void* instance);\n"
        found = self.changed(before, after)
        self.assertEqual(len(found), 1, found)
        self.assertIn("SSXRVER_ABI_MINOR", found[0])
        minor = f"SSXRVER_ABI_MINOR {self.old.minor}u"
        text = self.text.replace(before, after).replace(
            minor, f"SSXRVER_ABI_MINOR {self.old.minor + 1}u")
        self.assertEqual(differences(self.old, Abi(text)), [])


def freeze():
    text = HEADER.read_text(encoding="utf-8")
    abi = Abi(text)
    major = abi.macros["SSXRVER_ABI_MAJOR"].rstrip("u")
    path = FROZEN / f"abi_{major}_{abi.minor}.h"
    path.write_text(text, encoding="utf-8")
    print(f"wrote {path.relative_to(ROOT)}: {len(abi.members)} structs")


def main():
    if "--clang" in sys.argv:
        at = sys.argv.index("--clang")
        CLANG[0] = sys.argv[at + 1]
        del sys.argv[at:at + 2]
    CLANG[0] = shutil.which(CLANG[0]) or peer.need("clang-16", "clang")
    if "--freeze" in sys.argv:
        return freeze()
    return unittest.main()


if __name__ == "__main__":
    sys.exit(main())
