#include <gtest/gtest.h>

#include "ssxrver/json/json.h"

namespace ssx::json {
namespace {

Value value(std::string_view text) { return parse(text)->root; }

// The document and the pointers of RFC 6901, section 5.
TEST(Pointer, LeadsWhereTheStandardSays) {
  const Value root = value(R"({"foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3,
                               "g|h": 4, "i\\j": 5, "k\"l": 6, " ": 7, "m~n": 8})");
  EXPECT_EQ(find_by_pointer(root, ""), &root);
  EXPECT_EQ(*find_by_pointer(root, "/foo/0"), Value("bar"));
  EXPECT_EQ(*find_by_pointer(root, "/foo/1"), Value("baz"));
  const char* const keys[] = {"/",     "/a~1b", "/c%d", "/e^f", "/g|h",
                              "/i\\j", "/k\"l", "/ ",   "/m~0n"};
  int expected = 0;
  for (const char* key : keys) {
    const Value* found = find_by_pointer(root, key);
    ASSERT_NE(found, nullptr) << key;
    EXPECT_EQ(*found, Value(expected++)) << key;
  }
}

TEST(Pointer, LeadsNowhere) {
  const Value root = value(R"({"list": [1, 2], "text": "x", "t~": 1})");
  for (const char* pointer :
       {"list", "/lis", "/list/2", "/list/-", "/list/00", "/list/01", "/list/", "/list/1x",
        "/list/9999999999", "/text/0", "/t~", "/t~2", "/t~0/"}) {
    EXPECT_EQ(find_by_pointer(root, pointer), nullptr) << pointer;
  }
}

TEST(Pointer, IsMadeOfStepsAndReadBack) {
  Value root;
  root.set("a/b~c", Value(1));
  EXPECT_EQ(find_by_pointer(root, pointer_step("a/b~c")), root.find("a/b~c"));
}

TEST(Show, CutsBetweenCharacters) {
  EXPECT_EQ(show(value(R"({"a": [1, "x"]})")), R"({"a": [1, "x"]})");
  EXPECT_EQ(show(Value(std::string(58, 'x'))), '"' + std::string(58, 'x') + '"');
  EXPECT_EQ(show(Value(std::string(59, 'x'))), '"' + std::string(59, 'x') + "...");
  std::string long_text(58, 'x');
  long_text += "\u00e4\u00e4";
  EXPECT_EQ(show(Value(long_text)), '"' + std::string(58, 'x') + "...");
}

}  // namespace
}  // namespace ssx::json
