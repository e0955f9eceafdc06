#include "ssxrver/config/json_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>

#include "tests/support/fail_at_nth.h"
#include "tests/support/temp_dir.h"

namespace ssx::config {
namespace {

using ssx::test::TempDir;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Outcome {
  json::Value root;
  std::vector<std::string> errors;
  std::string text() const { return json::write(root, -1); }
};

Outcome read(const std::string& text, const std::vector<std::string>& overrides = {}) {
  Sources sources;
  Problems problems;
  Outcome outcome;
  outcome.root = read_text("t", {text, 0600}, overrides, sources, problems);
  outcome.errors = problems.errors(sources, Strictness::kError);
  return outcome;
}

Outcome read_path(const std::string& path) {
  Sources sources;
  Problems problems;
  Outcome outcome;
  auto root = read_document(path, {}, sources, problems);
  if (!root) return {json::Value(), root.error().sentences()};
  outcome.root = *std::move(root);
  outcome.errors = problems.errors(sources, Strictness::kError);
  return outcome;
}

/// Sets an environment variable for the scope.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  ~Environment() { ::unsetenv(name_); }

 private:
  const char* name_;
};

TEST(JsonFile, RefusesATextThatIsNoObject) {
  EXPECT_THAT(read("[1]").errors,
              ElementsAre("t:1:1: expected an object: { \"key\": value, ... }"));
  EXPECT_THAT(read("{\"a\": }").errors,
              ElementsAre("t:1:7: unexpected '}'; expected '[', '{', or a literal"));
  EXPECT_THAT(read("").errors, ElementsAre(HasSubstr("t:1:1: unexpected end of input")));
}

TEST(JsonFile, ReportsDuplicates) {
  EXPECT_THAT(read("{\"a\": 1,\n \"a\": 2}").errors,
              ElementsAre("t:2:2: /a: duplicate key; it stands in line 1, column 2 already"));
}

TEST(JsonFile, BoundsTextAndDepth) {
  const auto padded = [](std::size_t size) { return "{}" + std::string(size - 2, ' '); };
  EXPECT_THAT(read(padded(kFileMax)).errors, ElementsAre());
  EXPECT_THAT(read(padded(kFileMax + 1)).errors,
              ElementsAre(HasSubstr("longer than 1048576 bytes")));
  const auto nested = [](std::size_t depth) {
    return "{\"a\":" + std::string(depth - 1, '[') + std::string(depth - 1, ']') + "}";
  };
  EXPECT_THAT(read(nested(32)).errors, ElementsAre());
  EXPECT_THAT(read(nested(33)).errors, ElementsAre("t:1:37: nested more than 32 deep"));
}

TEST(JsonFile, NamesAFileThatCannotBeRead) {
  const TempDir folder;
  const std::string path = folder.file("none.json");
  Sources sources;
  Problems problems;
  const auto root = read_document(path, {}, sources, problems);
  ASSERT_FALSE(root);
  EXPECT_EQ(root.error().code(), ExitCode::kNoInput);
  EXPECT_EQ(root.error().text(), "the configuration \"" + path +
                                     "\" cannot be read: No such file or directory; name another "
                                     "with -f FILE");
  EXPECT_THAT(read_path(folder.path()).errors, ElementsAre(HasSubstr("Is a directory")));
  const auto big = folder.write("big.json", std::string(kFileMax + 1, ' '));
  EXPECT_THAT(read_path(big).errors, ElementsAre(HasSubstr("is too long")));
}

TEST(JsonFile, SurvivesEveryFailingSystemCall) {
  const TempDir folder;
  folder.write("b.json", "{\"b\": 1}");
  const auto path = folder.write("a.json", "{\"include\": [\"b.json\"], \"a\": 1}");
  const auto failed = sim::fail_at_nth([&path](const sim::FaultPlan& plan) {
    const auto outcome = read_path(path);
    const bool is_harmless = plan.faults() == 0 || std::string(plan.latest_fault()) == "close";
    EXPECT_EQ(outcome.errors.empty(), is_harmless);
  });
  EXPECT_GE(failed, 8u);
}

TEST(JsonFile, SurvivesShortReads) {
  const TempDir folder;
  const auto path = folder.write("a.json", "{\"a\": [1, 2, 3]}");
  sim::FaultPlan plan;
  plan.limit_bytes(sim::Call::kRead, 1);
  EXPECT_EQ(read_path(path).text(), R"({"a": [1, 2, 3]})");
}

TEST(JsonFile, KeepsTheModeOfAFile) {
  const TempDir folder;
  const auto path = folder.write("a.json", "{}");
  ::chmod(path.c_str(), 0640);
  EXPECT_EQ(read_whole_file(path, 10, true)->mode, 0640u);
}

TEST(JsonInclude, ReadsFilesInOrderAndHasTheLastWord) {
  const TempDir folder;
  folder.write("one.json", R"({"a": 1, "o": {"x": 1, "y": 1}, "l": [1, 2]})");
  folder.write("sub/two.json", R"({"include": ["three.json"], "a": 2, "o": {"y": 2}, "l": [3]})");
  folder.write("sub/three.json", R"({"c": 3, "a": 3})");
  const auto path = folder.write(
      "main.json", R"({"include": ["one.json", "sub/two.json"], "o": {"z": 0}, "m": 0})");
  const auto outcome = read_path(path);
  EXPECT_THAT(outcome.errors, ElementsAre());
  EXPECT_EQ(outcome.text(), R"({"a": 2, "o": {"x": 1, "y": 2, "z": 0}, "l": [3], "c": 3, "m": 0})");
}

TEST(JsonInclude, LooksInTheWorkingDirectoryToo) {
  const TempDir folder;
  folder.write("elsewhere.json", R"({"a": 1})");
  const auto path = folder.write("conf/main.json", R"({"include": ["elsewhere.json"]})");
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  const auto outcome = read_path(path);
  std::filesystem::current_path(before);
  EXPECT_THAT(outcome.errors, ElementsAre());
  EXPECT_EQ(outcome.text(), R"({"a": 1})");
}

TEST(JsonInclude, NamesTheFileInWhichAProblemStands) {
  const TempDir folder;
  const auto inner = folder.write("inner.json", "{\n  \"a\": 1, \"a\": 2,\n}");
  const auto broken = folder.write("broken.json", "{\n  oops\n}");
  const auto path = folder.write("main.json", R"({"include": ["inner.json", "broken.json"]})");
  EXPECT_THAT(read_path(path).errors,
              ElementsAre(inner + ":2:11: /a: duplicate key; it stands in line 2, column 3 already",
                          broken + ":2:3: invalid literal; expected string literal"));
}

TEST(JsonInclude, TellsWhatCannotBeIncluded) {
  const TempDir folder;
  const auto path = folder.write(
      "main.json", "{\"include\": [\"none.json\", 5, \".\",\n \"${\", \"${SSX_UNSET}\"]}");
  EXPECT_THAT(
      read_path(path).errors,
      ElementsAre(path + ":1:14: /include: \"" + folder.file("none.json") +
                      "\" cannot be read: No such file or directory",
                  path + ":1:27: /include: expected a list of file names",
                  path + ":1:30: /include: \"" + folder.file(".") + "\" is not a regular file",
                  HasSubstr(":2:2: /include: expected ${NAME} or ${NAME:-default}"),
                  HasSubstr(":2:8: /include: the environment variable SSX_UNSET is not set")));
  EXPECT_THAT(read("{\"include\": \"a.json\"}").errors,
              ElementsAre("t:1:13: /include: expected a list of file names"));
}

TEST(JsonInclude, StopsAFileThatIncludesItself) {
  const TempDir folder;
  const auto path = folder.write("main.json", R"({"include": ["main.json"]})");
  EXPECT_THAT(read_path(path).errors,
              ElementsAre(HasSubstr("included more than 8 deep; does a file include itself?")));
}

TEST(JsonInclude, BoundsTheNumberOfFiles) {
  const TempDir folder;
  folder.write("leaf.json", "{}");
  const auto many = [&folder](std::size_t count) {
    json::Array names;
    for (std::size_t i = 0; i < count; ++i) names.emplace_back("leaf.json");
    json::Value root;
    root.set("include", std::move(names));
    return read_path(folder.write("main.json", json::write(root)));
  };
  EXPECT_THAT(many(kFilesMax - 1).errors, ElementsAre());
  EXPECT_THAT(many(kFilesMax).errors, ElementsAre(HasSubstr("more than 64 files")));
}

TEST(JsonOverride, SetsKeysOfEveryDepth) {
  EXPECT_EQ(read(R"({"a": {"b": 1, "c": 1}})", {"a.b=2", "x.y.z=\"t\"", "n=[1]"}).text(),
            R"({"a": {"b": 2, "c": 1}, "x": {"y": {"z": "t"}}, "n": [1]})");
}

TEST(JsonOverride, TakesPlainTextWhereItIsNoJson) {
  EXPECT_EQ(read("{}", {"a=debug", "b=5s", "c=007", "d=", "e={x", "f=a=b", " g = 1"}).text(),
            R"({"a": "debug", "b": "5s", "c": "007", "d": "", "e": "{x", "f": "a=b", "g": 1})");
}

TEST(JsonOverride, ReachesListEntriesAndKeysWithDots) {
  EXPECT_EQ(read(R"({"l": [{"a": 1}]})", {"l.0.a=2", "l.1.a=3", "/m/a.b/c~1d~0=4"}).text(),
            R"({"l": [{"a": 2}, {"a": 3}], "m": {"a.b": {"c/d~": 4}}})");
}

TEST(JsonOverride, TellsWhatItCannotSet) {
  EXPECT_THAT(read(R"({"l": [1], "s": 5})", {"l.2=1", "l.x=1", "s.a=1", "noequals", "=1"}).errors,
              ElementsAre("-g l.2=1: /l/2: expected an index 0 .. 1",
                          "-g l.x=1: /l/x: expected an index 0 .. 1",
                          "-g s.a=1: /s/a: what is above this key holds no keys",
                          "-g noequals: expected -g key.path=value, for instance -g port=8080",
                          "-g =1: expected -g key.path=value, for instance -g port=8080"));
  EXPECT_THAT(read("{}", {"a=\xFF"}).errors, ElementsAre(HasSubstr("the value is not UTF-8")));
}

TEST(JsonExpand, ReplacesVariables) {
  const Environment set("SSX_TEST_SET", "value");
  const Environment empty("SSX_TEST_EMPTY", "");
  EXPECT_EQ(
      read(R"({"a": "x${SSX_TEST_SET}y", "b": ["${SSX_TEST_EMPTY:-d}", "${SSX_TEST_NO:-}"],
                     "c": "${SSX_TEST_SET:-no}", "d": "$x $", "e": "$${SSX_TEST_SET}"})")
          .text(),
      R"({"a": "xvaluey", "b": ["d", ""], "c": "value", "d": "$x $", "e": "${SSX_TEST_SET}"})");
}

TEST(JsonExpand, TellsWhatItCannotReplace) {
  EXPECT_THAT(
      read("{\"a\": \"${SSX_TEST_NO}\",\n \"b\": [\"${\"], \"c\": \"${1}\", \"d\": \"${}\"}")
          .errors,
      ElementsAre("t:1:7: /a: the environment variable SSX_TEST_NO is not set; "
                  "${SSX_TEST_NO:-default} gives it a default",
                  HasSubstr("t:2:8: /b/0: expected ${NAME}"), HasSubstr("t:2:20: /c: expected"),
                  HasSubstr("t:2:33: /d: expected")));
  const Environment binary("SSX_TEST_BINARY", "\xFF");
  EXPECT_THAT(read("{\"a\": \"${SSX_TEST_BINARY}\"}").errors,
              ElementsAre(HasSubstr("SSX_TEST_BINARY is not UTF-8")));
}

TEST(JsonExpand, WhatIsEscapedComesBack) {
  for (const char* text : {"", "$", "${", "$${", "$$${a}", "a${b}c", "$${${"}) {
    const std::string escaped = json::quote(escape_expansion(text));
    EXPECT_EQ(read("{\"a\": " + escaped + "}").text(), "{\"a\": " + json::quote(text) + "}");
  }
}

}  // namespace
}  // namespace ssx::config
