#!/usr/bin/env python3
"""Checks every include of the product against tests/lint/layers.txt.

usage: layers_test.py [ROOT]
"""

import re
import sys
from pathlib import Path

import source_tree
from source_tree import Finding

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?P<name><[^>\n]+>|"[^"\n]+")', re.MULTILINE)
_CXX_HEADER = re.compile(r"^[a-z0-9_]+$")


class Table:
    """layers.txt, read."""

    def __init__(self, text):
        self.folders = {}
        self.uses = {}
        self.files = {}
        self.doors = {}
        self.compiler = set()
        self.platform = []
        for number, line in enumerate(text.splitlines(), 1):
            words = line.split("#")[0].split()
            if words:
                self._read(number, words[0], words[1:])
        for name, used in list(self.uses.items()) + list(self.files.items()):
            for word in used:
                if "/" not in word and word not in self.folders:
                    raise ValueError(f"layers.txt: {name} may use {word}, which has no row")

    def _read(self, number, kind, words):
        if kind == "layer" and len(words) >= 3:
            self.folders[words[0]] = words[1]
            self.uses.setdefault(words[0], []).extend(word for word in words[2:] if word != "-")
        elif kind == "file" and len(words) >= 2:
            self.files[words[0]] = words[1:]
        elif kind == "door" and len(words) >= 2:
            self.doors[words[0]] = words[1:]
        elif kind == "compiler" and words:
            self.compiler.update(words)
        elif kind == "platform" and len(words) == 1:
            self.platform.append(words[0])
        else:
            raise ValueError(f"layers.txt:{number}: not understood")

    def layer_of(self, path):
        """The layer whose folder holds the path; the longest folder wins."""
        held = [name for name, folder in self.folders.items() if path.startswith(folder + "/")]
        return max(held, key=lambda name: len(self.folders[name]), default=None)

    def may_use(self, words):
        """(layers, single headers) that a row reaches."""
        layers, headers, todo = set(), set(), list(words)
        while todo:
            word = todo.pop()
            if "/" in word:
                headers.add(word)
            elif word not in layers:
                layers.add(word)
                todo += self.uses[word]
        return layers, headers


def _why_not_quoted(table, path, layer, words, name):
    if name.startswith(".") or "/" not in name:
        return "include by the path from the root of the repository"
    target = table.layer_of(name)
    if target is None:
        if name in table.files and (path in table.files or path.startswith(("tests/", "docs/"))):
            return None
        return "is in no layer of tests/lint/layers.txt"
    layers, headers = table.may_use(words)
    if target == layer or target in layers or name in headers:
        return None
    reachable = " ".join(sorted(layers | headers)) or "nothing"
    return f"{layer or path} may use {reachable}, not {target}"


def _why_not_angled(table, path, layer, name):
    for prefix, doors in table.doors.items():
        if name.startswith(prefix):
            if layer in doors or "any" in doors:
                return None
            return f"only {' '.join(doors)} may include {prefix}"
    if _CXX_HEADER.match(name) or name in table.compiler:
        return None
    if path.startswith(tuple(table.platform)):
        return None
    return f"platform headers belong to {' '.join(table.platform)}"


def check(root, table):
    findings = []
    for path in source_tree.files(root):
        if not (source_tree.is_product(path) and source_tree.is_code(path)):
            continue
        layer = table.layer_of(path)
        if layer is None and path not in table.files:
            findings.append(Finding(path, 1, "layers", "no row of tests/lint/layers.txt holds it"))
            continue
        words = table.files[path] if layer is None else table.uses[layer]
        text = source_tree.strip(source_tree.read(root, path), keep_strings=True)
        for match in _INCLUDE.finditer(text):
            name = match["name"][1:-1]
            if match["name"][0] == "<":
                why = _why_not_angled(table, path, layer, name)
            else:
                why = _why_not_quoted(table, path, layer, words, name)
            if why:
                line = source_tree.line_of(text, match.start("name"))
                shown = f'#include {match["name"]}: {why}'
                findings.append(Finding(path, line, "layers", shown))
    return findings


def main():
    here = Path(__file__).resolve().parent
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else here.parent.parent
    table = Table((root / "tests/lint/layers.txt").read_text(encoding="utf-8"))
    return source_tree.report("layers", check(root, table))


if __name__ == "__main__":
    sys.exit(main())
