#!/usr/bin/env python3
"""The house rules that neither a compiler nor clang-format checks.

usage: tidy_test.py [ROOT]
"""

import ast
import re
import sys
from pathlib import Path

import source_tree
from source_tree import Finding, line_of

COLUMNS_MAX = 100
FILE_LINES_MAX = 500
FUNCTION_LINES_MAX = 70

CONTRACT = ("Thread", "Owner", "Life", "Bounds")

_TEXT = (".h", ".cc", ".c", ".rl", ".py", ".sh", ".cmake", ".css", ".html", ".txt", ".in")
_TEXT_NAMES = ("build.sh", ".ci/run")

# rule, what is not wanted in C++ code (comments and literals are blanked), what to do instead
BANNED_CODE = (
    ("no-iostream", r"#\s*include\s*<iostream>|std::(cout|cerr|clog)\b", "SSX_LOG_* or fmt"),
    ("no-printf", r"\b(f|s|sn|d|vf|vsn)?printf\s*\(", "SSX_LOG_* or fmt"),
    ("no-sleep", r"\bthis_thread::sleep_|(?<!->)\b(u|nano)?sleep\s*\(",
     "a ManualClock, or an event"),
    ("no-default-capture", r"\[=[\],]", "name the captures"),
    ("no-disabled-test", r"\bDISABLED_", "mend it or delete it"),
    ("no-bare-skip", r"\bGTEST_SKIP\b", "tests/support/peer.h, which fails where CI needs it"),
)
# In what the smallest server is made of: it has no type information (tests/bench/footprint.py).
BANNED_SMALL = (("no-rtti", r"\bdynamic_cast\b|\btypeid\s*\(", "a virtual function"),)
_SMALL = re.compile(r"(ssxrver/(base|sys|coro|metrics|net|pubsub|compress|crypt)|http|websocket)/")
# The same in comments too.
BANNED_TEXT = (
    ("no-fixme", r"\b(FIXME|XXX|HACK)\b", "mend it, or TODO(kind): sentence"),
    ("todo-kind", r"\bTODO\b(?!\((perf|security|port|test)\): )", "TODO(perf|security|port|test):"),
    ("nolint-reason", r"\bNOLINT(NEXTLINE|BEGIN)?\b(?!(\([^)]+\))?:? \S)", "NOLINT: reason"),
)
_MACHINE_PATH = re.compile(r"(?<![\w.:/])/(home|root|Users|work)/\w[\w.-]*/")
_SCOPE = re.compile(
    r"^\s*(template\s*<.*>\s*)?(inline\s+)?(namespace|class|struct|union|enum|extern)\b", re.DOTALL
)
_FUNCTION_TAIL = re.compile(r"\)\s*(const|noexcept|override|final|&|\s|->.*)*$", re.DOTALL)
_NO_HEAD = re.compile(
    r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*|^[ \t]*(?:public|private|protected):", re.MULTILINE
)
_FIRST_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]', re.MULTILINE)


def _banned(path, text, rows):
    for rule, pattern, instead in rows:
        for match in re.finditer(pattern, text):
            shown = f"{match.group().strip()!r}: use {instead}"
            yield Finding(path, line_of(text, match.start()), rule, shown)


def check_layout(path, text):
    """Line and file length, white space."""
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if len(line) > COLUMNS_MAX:
            yield Finding(path, number, "columns", f"{len(line)} columns, {COLUMNS_MAX} at most")
        if line != line.rstrip() or ("\t" in line and not path.endswith(".txt")):
            yield Finding(path, number, "white-space", "tab, or blanks at the end of the line")
    if text and (not text.endswith("\n") or text.endswith("\n\n")):
        yield Finding(path, len(lines), "white-space", "end the file with one new line")
    if len(lines) - 1 > FILE_LINES_MAX:
        yield Finding(path, 1, "file-lines", f"{len(lines) - 1} lines, {FILE_LINES_MAX} at most")


def _brace_pairs(code):
    """(head, offset of the head, offset of the closing brace) of every { }, outermost first."""
    pairs, open_braces, parens, start = [], [], 0, 0
    for offset, character in enumerate(code):
        if character in "()":
            parens += 1 if character == "(" else -1
        elif character == "{":
            open_braces.append((code[start:offset], start, parens))
            start, parens = offset + 1, 0
        elif character == "}" and open_braces:
            head, begin, parens = open_braces.pop()
            pairs.append((head, begin, offset))
            start = offset + 1
        elif character == ";" and parens == 0:
            start = offset + 1
    return sorted(pairs, key=lambda pair: pair[1])


def check_functions(path, code):
    """Function bodies that are too long; a lambda counts with the function around it."""
    code = _NO_HEAD.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), code)
    reported_to = -1
    for head, begin, end in _brace_pairs(code):
        scope = _SCOPE.match(head) and not _FUNCTION_TAIL.search(head)
        data = head.strip() and ")" not in head
        if scope or data or begin < reported_to:
            continue
        first = line_of(code, begin + len(head) - len(head.lstrip()))
        lines = line_of(code, end) - first + 1
        if lines > FUNCTION_LINES_MAX:
            reported_to = end
            shown = f"{lines} lines, {FUNCTION_LINES_MAX} at most: {' '.join(head.split())[:60]}"
            yield Finding(path, first, "function-lines", shown)


def check_python(path, text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            lines = node.end_lineno - node.lineno + 1
            if lines > FUNCTION_LINES_MAX:
                yield Finding(path, node.lineno, "function-lines", f"{lines} lines: {node.name}")


def check_header(path, text):
    """The contract block, then #pragma once; no using namespace."""
    opening = text.split("#pragma once")[0]
    if opening == text:
        yield Finding(path, 1, "pragma-once", "missing")
    words = re.findall(r"^// (Thread|Owner|Life|Bounds): +\S", opening, re.MULTILINE)
    if tuple(words) != CONTRACT:
        shown = "open with one sentence, then // " + ": // ".join(CONTRACT) + ":"
        yield Finding(path, 1, "contract", shown)
    elif not re.match(r"// (?!(Thread|Owner|Life|Bounds): )\S", opening):
        yield Finding(path, 1, "contract", "the first line says what the header is")
    for match in re.finditer(r"^\s*using namespace (?!ssx::)", text, re.MULTILINE):
        yield Finding(path, line_of(text, match.start()), "using-namespace", "not in a header")


def own_header(path, paths):
    """The header that this source or test belongs to, or None."""
    if path.startswith("tests/") and path.endswith("_test.cc"):
        folder, _, name = path[len("tests/") : -len("_test.cc")].rpartition("/")
        homes = (f"ssxrver/{folder}", folder)
    elif path.endswith((".cc", ".rl")):
        folder, _, name = path.rpartition(".")[0].rpartition("/")
        homes = (folder,)
    else:
        return None
    own = [f"{home}/{name}.h" for home in homes if f"{home}/{name}.h" in paths]
    if not own and len(homes) > 1:
        # A test may stand one folder above what it tests: tests/net for ssxrver/net/linux.
        wanted = re.compile(rf"({'|'.join(homes)})/\w+/{name}\.h")
        own = [candidate for candidate in paths if wanted.fullmatch(candidate)]
    return own[0] if own else None


def check_own_header_first(path, text, paths):
    header = own_header(path, paths)
    first = _FIRST_INCLUDE.search(source_tree.strip(text, keep_strings=True))
    if header and (first is None or first[1] != header):
        shown = f'include "{header}" first: it proves that the header stands alone'
        yield Finding(path, 1, "own-header-first", shown)


def check_tested(root, paths):
    """Every header has a test of its name, or a line with the reason."""
    list_path = "tests/lint/untested_headers.txt"
    excused = {}
    if list_path in paths:
        for number, line in enumerate(source_tree.read(root, list_path).splitlines(), 1):
            words = line.split("#")[0].split(None, 1)
            if words:
                excused[words[0]] = number
                if len(words) == 1:
                    yield Finding(list_path, number, "tested", "give the reason")
    tested = {own_header(path, paths) for path in paths if path.endswith("_test.cc")}
    for path in paths:
        if not (source_tree.is_product(path) and path.endswith(".h")):
            continue
        if path not in tested and path not in excused:
            shown = f"no tests/.../{Path(path).stem}_test.cc, no line in {list_path}"
            yield Finding(path, 1, "tested", shown)
        if path in tested and path in excused:
            yield Finding(list_path, excused[path], "tested", f"{path} has a test now")
    for path, number in excused.items():
        if path not in paths:
            yield Finding(list_path, number, "tested", f"there is no {path}")


def check_listed(root, paths):
    """Every source is named by a CMakeLists.txt above it: what is not built is not tested."""
    lists = {p: source_tree.read(root, p) for p in paths if p.endswith("CMakeLists.txt")}
    for path in paths:
        if not source_tree.is_code(path) or (path.endswith(".h") and path.startswith("tests/")):
            continue
        parts = path.split("/")
        named = any(f"${{PROJECT_SOURCE_DIR}}/{path}" in text for text in lists.values())
        for depth in range(len(parts)):
            text = lists.get("/".join(parts[:depth] + ["CMakeLists.txt"]), "")
            tail = "/".join(parts[depth:])
            stem = tail.rpartition(".")[0]
            # A folder of many small programs may list their names alone.
            listed = rf"(?<![\w.-])({re.escape(tail)}|{re.escape(stem)})(?![\w.-])"
            named = named or bool(re.search(listed, text))
        if not named:
            yield Finding(path, 1, "listed", "no CMakeLists.txt names it")


def check_code(path, text, paths):
    code = source_tree.strip(source_tree.strip_ragel(text) if path.endswith(".rl") else text)
    yield from check_functions(path, code)
    skips_allowed = path.startswith("tests/support/")
    rows = [row for row in BANNED_CODE if not (skips_allowed and row[0] == "no-bare-skip")]
    yield from _banned(path, code, rows)
    if _SMALL.match(path):
        yield from _banned(path, code, BANNED_SMALL)
    yield from _banned(path, text, BANNED_TEXT)
    yield from check_own_header_first(path, text, paths)
    if path.endswith(".h") and source_tree.is_product(path):
        yield from check_header(path, text)


def check(root):
    paths = source_tree.files(root)
    known = set(paths)
    findings = []
    for path in paths:
        if not (path.endswith(_TEXT + (".md", ".json")) or path in _TEXT_NAMES):
            continue
        text = source_tree.read(root, path)
        if path.endswith(_TEXT) or path in _TEXT_NAMES:
            findings += check_layout(path, text)
        if source_tree.is_code(path):
            findings += check_code(path, text, known)
        if path.endswith(".py"):
            findings += check_python(path, text)
        for match in _MACHINE_PATH.finditer(text):
            shown = f"{match.group()}...: a path of one machine"
            findings.append(Finding(path, line_of(text, match.start()), "machine-path", shown))
    findings += check_tested(root, known)
    findings += check_listed(root, known)
    return sorted(findings, key=lambda finding: (finding.path, finding.line))


def main():
    here = Path(__file__).resolve().parent
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else here.parent.parent
    return source_tree.report("tidy", check(root))


if __name__ == "__main__":
    sys.exit(main())
