#!/usr/bin/env python3
"""Proves that every lint rule can fail: each test breaks one rule in a small tree of its own."""

import tempfile
import unittest
from pathlib import Path

import format_test
import headers_test
import layers_test
import source_tree
import tidy_test

LAYERS = """
layer base ssxrver/base -
layer net  ssxrver/net  base
layer conf ssxrver/conf ssxrver/net/options.h
file ssxrver/all.h net
door nlohmann/ conf
compiler immintrin.h
platform ssxrver/base/thread.
"""

HEADER = """// One sentence.
//
// Thread: any thread
// Owner:  nobody
// Life:   short
// Bounds: none
#pragma once
"""

GOOD = {
    "tests/lint/layers.txt": LAYERS,
    "tests/lint/untested_headers.txt": "",
    "CMakeLists.txt": "ssxrver/base/a.h ssxrver/base/a.cc tests/base/a_test.cc\n",
    "ssxrver/base/a.h": HEADER + "\n#include <string>\n",
    "ssxrver/base/a.cc": '#include "ssxrver/base/a.h"\n',
    "tests/base/a_test.cc": '#include "ssxrver/base/a.h"\n',
}


class LintCase(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.root = Path(self._folder.name)
        self.write(GOOD)

    def tearDown(self):
        self._folder.cleanup()

    def write(self, files):
        for path, text in files.items():
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_text(text, encoding="utf-8")

    def findings(self):
        raise NotImplementedError

    def expect(self, rule, path, line=None):
        found = [(f.rule, f.path, f.line) for f in self.findings()]
        wanted = [f for f in found if f[:2] == (rule, path) and line in (None, f[2])]
        self.assertTrue(wanted, f"no [{rule}] at {path}:{line} in {found}")


class Layers(LintCase):
    def findings(self):
        table = layers_test.Table((self.root / "tests/lint/layers.txt").read_text())
        return layers_test.check(self.root, table)

    def include(self, path, line):
        self.write({path: HEADER + line + "\n"})

    def test_a_good_tree_has_no_finding(self):
        self.include("ssxrver/net/b.h", '#include "ssxrver/base/a.h"')
        self.include("ssxrver/conf/c.h", '#include "ssxrver/net/options.h"')
        self.include("ssxrver/all.h", '#include "ssxrver/net/b.h"')
        self.include("ssxrver/base/thread.h", "#include <pthread.h>")
        self.include("ssxrver/base/simd.h", "#include <immintrin.h>")
        self.include("ssxrver/base/note.h", '// #include "ssxrver/net/b.h"')
        self.assertEqual(self.findings(), [])

    def test_upward_include(self):
        self.include("ssxrver/base/a.h", '#include "ssxrver/net/b.h"')
        self.expect("layers", "ssxrver/base/a.h", 8)

    def test_only_the_granted_header_of_a_layer(self):
        self.include("ssxrver/conf/c.h", '#include "ssxrver/net/b.h"')
        self.expect("layers", "ssxrver/conf/c.h", 8)

    def test_third_party_past_its_door(self):
        self.include("ssxrver/net/b.h", "#include <nlohmann/json.hpp>")
        self.expect("layers", "ssxrver/net/b.h", 8)

    def test_unknown_third_party(self):
        self.include("ssxrver/net/b.h", "#include <boost/asio.hpp>")
        self.expect("layers", "ssxrver/net/b.h", 8)

    def test_platform_header(self):
        self.include("ssxrver/net/b.h", "#  include <sys/epoll.h>")
        self.expect("layers", "ssxrver/net/b.h", 8)

    def test_relative_include(self):
        self.include("ssxrver/net/b.h", '#include "b.h"')
        self.expect("layers", "ssxrver/net/b.h", 8)

    def test_product_includes_tests(self):
        self.include("ssxrver/net/b.h", '#include "tests/support/clock.h"')
        self.expect("layers", "ssxrver/net/b.h", 8)

    def test_folder_without_a_row(self):
        self.include("ssxrver/other/b.h", "")
        self.expect("layers", "ssxrver/other/b.h")

    def test_rows_that_are_wrong(self):
        for row in ("layer base ssxrver/base", "word", "layer a b nowhere", "platform a b"):
            with self.assertRaises(ValueError):
                layers_test.Table(row)


class Tidy(LintCase):
    def findings(self):
        return tidy_test.check(self.root)

    def code(self, text):
        self.write({"ssxrver/base/a.cc": '#include "ssxrver/base/a.h"\n' + text})

    def expect_code(self, rule, text, line=2):
        self.code(text)
        self.expect(rule, "ssxrver/base/a.cc", line)

    def expect_none(self, text):
        self.code(text)
        self.assertEqual(self.findings(), [])

    def test_a_good_tree_has_no_finding(self):
        self.assertEqual(self.findings(), [])

    def test_columns_at_the_limit_and_above(self):
        self.expect_none("// " + "x" * 97 + "\n")
        self.expect_none("// " + "\u00fc" * 97 + "\n")
        self.expect_code("columns", "// " + "x" * 98 + "\n")

    def test_file_lines_at_the_limit_and_above(self):
        self.expect_none("//\n" * 499)
        self.expect_code("file-lines", "//\n" * 500, 1)

    def test_function_lines_at_the_limit_and_above(self):
        for head in ("void f() {", "TEST(A, B) {", "struct stat f() noexcept {", "A() : b_{1} {"):
            self.expect_none(head + "\n" + "  g();\n" * 68 + "}\n")
            self.expect_code("function-lines", head + "\n" + "  g();\n" * 69 + "}\n")

    def test_long_scopes_and_tables_are_no_functions(self):
        body = "\n" + "  int a = f();\n" * 90
        for head in ("namespace a {", 'class CAPABILITY("x") A {', "enum class A {", "int a[] = {"):
            self.expect_none(head + body + "};\n")

    def test_long_method_in_a_class(self):
        def body(lines):
            return "class A {\n public:\n  int f() {\n" + "    g();\n" * lines + "  }\n};\n"

        self.expect_none(body(68))
        self.expect_code("function-lines", body(69), 4)

    def test_long_python_function(self):
        self.write({"tests/x.py": "def f():\n" + "    pass\n" * 70})
        self.expect("function-lines", "tests/x.py", 1)

    def test_white_space(self):
        self.expect_code("white-space", "int a; \n")
        self.expect_code("white-space", "\tint a;\n")
        self.expect_code("white-space", "int a;", 2)
        self.expect_code("white-space", "int a;\n\n", None)

    def test_banned_words(self):
        self.expect_code("no-iostream", "#include <iostream>\n")
        self.expect_code("no-iostream", "auto& a = std::cerr;\n")
        self.expect_code("no-printf", 'void f() { std::fprintf(stderr, ""); }\n')
        self.expect_code("no-sleep", "void f() { std::this_thread::sleep_for(1ms); }\n")
        self.expect_code("no-sleep", "void f() { usleep(1); }\n")
        self.expect_code("no-default-capture", "auto f = [=] {};\n")
        self.expect_code("no-default-capture", "auto f = [=, this] {};\n")
        self.expect_code("no-disabled-test", "TEST(A, DISABLED_B) {}\n")
        self.expect_code("no-bare-skip", "TEST(A, B) { GTEST_SKIP(); }\n")
        self.expect_code("no-rtti", "auto* f(A* a) { return dynamic_cast<B*>(a); }\n")
        self.expect_code("no-rtti", "auto& f(A& a) { return typeid(a); }\n")
        self.expect_code("no-fixme", "// FIX" + "ME: later\n")
        self.expect_code("todo-kind", "// TO" + "DO: later\n")
        self.expect_code("nolint-reason", "int a;  // NO" + "LINT\n")

    def test_what_is_not_banned(self):
        self.expect_none("// printf( and std::cout in a comment\n")
        self.expect_none('auto a = "printf(";\nchar b = \'"\';\nauto c = "std::cout";\n')
        self.expect_none('auto a = R"x(std::cout " printf()x";\n')
        self.expect_none("// TODO(perf): measure it\n")
        self.expect_none("int a;  // NOLINT(check): because\nint b;  // NOLINT: because\n")
        self.expect_none("co_await sleep_for(1ms);\n")

    def test_skip_is_allowed_in_the_helper(self):
        self.write({"tests/support/peer.h": "#define A GTEST_SKIP()\n"})
        self.assertEqual(self.findings(), [])

    def test_contract(self):
        for spoiled in (
            HEADER.replace("// Owner:  nobody\n", ""),
            HEADER.replace("Thread", "Threads"),
            HEADER.replace("// Life:   short\n", "") + "// Life:   short\n",
            HEADER.replace("// One sentence.\n", ""),
        ):
            self.write({"ssxrver/base/a.h": spoiled})
            self.expect("contract", "ssxrver/base/a.h", 1)

    def test_header_details(self):
        self.write({"ssxrver/base/a.h": HEADER.replace("#pragma once\n", "")})
        self.expect("pragma-once", "ssxrver/base/a.h")
        self.write({"ssxrver/base/a.h": HEADER + "using namespace std;\n"})
        self.expect("using-namespace", "ssxrver/base/a.h", 8)

    def test_own_header_first(self):
        self.write({"ssxrver/base/a.cc": '#include <string>\n#include "ssxrver/base/a.h"\n'})
        self.expect("own-header-first", "ssxrver/base/a.cc")
        self.write({"tests/base/a_test.cc": "#include <string>\n"})
        self.expect("own-header-first", "tests/base/a_test.cc")

    def test_header_without_a_test(self):
        (self.root / "tests/base/a_test.cc").unlink()
        self.expect("tested", "ssxrver/base/a.h")
        self.write({"tests/lint/untested_headers.txt": "ssxrver/base/a.h  constants only\n"})
        self.assertEqual(self.findings(), [])

    def test_a_test_may_stand_one_folder_above(self):
        self.write({"ssxrver/base/linux/b.h": HEADER, "CMakeLists.txt": "linux/b.h b_test.cc"})
        self.write({"ssxrver/base/CMakeLists.txt": GOOD["CMakeLists.txt"] + "linux/b.h\n"})
        self.expect("tested", "ssxrver/base/linux/b.h")
        self.write({"tests/base/b_test.cc": '#include "ssxrver/base/linux/b.h"\n'})
        self.assertEqual([f for f in self.findings() if f.rule == "tested"], [])

    def test_stale_excuses(self):
        path = "tests/lint/untested_headers.txt"
        self.write({path: "ssxrver/base/a.h  has a test\n"})
        self.expect("tested", path, 1)
        self.write({path: "ssxrver/base/gone.h  is gone\n"})
        self.expect("tested", path, 1)
        self.write({path: "ssxrver/base/a.h\n"})
        self.expect("tested", path, 1)

    def test_source_that_nothing_builds(self):
        self.write({"tests/base/b_test.cc": "\n// empty\n"})
        self.expect("listed", "tests/base/b_test.cc")
        self.write({"tests/base/CMakeLists.txt": "my_b_test.cc xb_test.cc\n"})
        self.expect("listed", "tests/base/b_test.cc")
        self.write({"tests/base/CMakeLists.txt": "b_test.cc\n"})
        self.assertEqual(self.findings(), [])

    def test_path_of_a_machine(self):
        self.write({"README.md": "see /home" + "/somebody/tree\n"})
        self.expect("machine-path", "README.md", 1)

    def test_ragel_machines_are_not_code(self):
        machine = "%%{\n" + "  a = 'x' @{ f(); };\n" * 90 + "}%%\n"
        code = "void f() {\n  %% write exec;\n}\n"
        self.write({"ssxrver/base/b.rl": machine + code})
        self.write({"ssxrver/base/CMakeLists.txt": "b.rl\n"})
        self.assertEqual(self.findings(), [])

    def test_build_trees_are_left_out(self):
        self.write({"out/CMakeCache.txt": "", "out/x.cc": "std::cout\n", "build/y.cc": "printf(\n"})
        self.assertEqual(self.findings(), [])


class Format(LintCase):
    def setUp(self):
        super().setUp()
        self.tool = format_test.find_tool()
        if self.tool is None:
            self.skipTest("clang-format is not installed")

    def findings(self):
        return format_test.check(self.root, self.tool)

    def test_formatted_and_not(self):
        self.write({".clang-format": "BasedOnStyle: Google\n"})
        self.assertEqual(self.findings(), [])
        self.write({"ssxrver/base/a.cc": "int  a ;\n"})
        self.expect("format", "ssxrver/base/a.cc", 1)
        self.assertEqual(format_test.fix(self.root, self.tool), 0)
        self.assertEqual(self.findings(), [])

    def test_broken_settings(self):
        self.write({".clang-format": "NoSuchKey: 1\n"})
        self.expect("format", ".clang-format")


class Headers(LintCase):
    def findings(self):
        return headers_test.check(self.root, "c++", [])

    def test_alone_and_not(self):
        self.assertEqual(headers_test.unproved(self.root), [])
        self.write({"ssxrver/base/b.h": HEADER + "\n#include <string>\nstd::string b();\n"})
        self.assertEqual(headers_test.unproved(self.root), ["ssxrver/base/b.h"])
        self.assertEqual(self.findings(), [])
        self.write({"ssxrver/base/b.h": HEADER + "\nstd::string b();\n"})
        self.expect("alone", "ssxrver/base/b.h", 1)


class Strip(unittest.TestCase):
    def test_keeps_every_line_and_column(self):
        text = 'a /* x\ny */ b "c\\"d" // e\nR"(f\n)" \'g\' 1\'000\n'
        for stripped in (source_tree.strip(text), source_tree.strip(text, keep_strings=True)):
            self.assertEqual(len(stripped), len(text))
            self.assertEqual(stripped.count("\n"), text.count("\n"))
            self.assertIn("1'000", stripped)
            self.assertNotIn("x", stripped)
            self.assertNotIn("e\n", stripped)
        self.assertNotIn("c", source_tree.strip(text))
        self.assertIn('"c\\"d"', source_tree.strip(text, keep_strings=True))


if __name__ == "__main__":
    unittest.main()
