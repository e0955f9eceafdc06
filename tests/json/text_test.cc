#include "ssxrver/json/text.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

#include "ssxrver/json/json.h"

namespace ssx::json {
namespace {

using Limits = std::numeric_limits<std::int64_t>;

TEST(JsonText, HasMembersInTheirOrder) {
  ObjectText text;
  text.add("b", true).add("a", nullptr).add("c", 'x').add("d", std::string("y"));
  EXPECT_EQ(std::move(text).take(), R"({"b":true,"a":null,"c":"x","d":"y"})");
}

TEST(JsonText, HasNumbersOfEveryKind) {
  ArrayText text;
  text.add(0).add(-1).add(Limits::min()).add(std::numeric_limits<std::uint64_t>::max());
  text.add(std::uint8_t{7}).add(1.5).add(1e300).add(std::numeric_limits<double>::infinity());
  EXPECT_EQ(std::move(text).take(),
            "[0,-1,-9223372036854775808,18446744073709551615,7,1.5,1e+300,null]");
}

TEST(JsonText, HasTextInText) {
  ObjectText inner;
  inner.add("none", ArrayText());
  ObjectText text;
  text.add("list", ArrayText{"one", "two"}).add("inner", inner).add("empty", ObjectText());
  text.add("tree", Value(Array{1, "x"}));
  EXPECT_EQ(std::move(text).take(),
            R"({"list":["one","two"],"inner":{"none":[]},"empty":{},"tree":[1,"x"]})");
}

TEST(JsonText, HasListsOfOneKind) {
  const std::string owned = "two";
  ObjectText text;
  text.add("none", {}).add("texts", {"one", owned, "\"3\""}).add("numbers", {1, -2});
  text.add("inner", {ArrayText{"x"}, ArrayText{1.5}});
  EXPECT_EQ(std::move(text).take(),
            R"({"none":[],"texts":["one","two","\"3\""],"numbers":[1,-2],"inner":[["x"],[1.5]]})");
  EXPECT_EQ((ArrayText{"one", owned}).copy(), R"(["one","two"])");
}

// The room that is there at first is for 192 bytes.
TEST(JsonText, GrowsToWhatItHolds) {
  for (std::size_t size = 0; size < 1000; ++size) {
    const std::string text(size, 'x');
    ASSERT_EQ((ArrayText{text, text}).copy(), "[\"" + text + "\",\"" + text + "\"]");
  }
}

TEST(JsonTextDeathTest, DoesNotHoldItself) {
  ArrayText text;
  EXPECT_DEATH(text.add(text), "inner != this");
}

// At each place of what is looked at eight bytes at a time.
TEST(JsonText, EscapesAtEachPlace) {
  for (std::size_t size = 1; size < 40; ++size) {
    for (std::size_t at = 0; at < size; ++at) {
      for (const char special : {'"', '\\', '\n', '\x1f', '\x7f', '\0'}) {
        for (const char other : {' ', '!', '#', '[', ']', '~', '\x7f'}) {
          std::string text(size, other);
          text[at] = special;
          ASSERT_EQ(ArrayText{text}.copy(), "[" + quote(text) + "]") << size << ' ' << at;
        }
      }
    }
  }
}

TEST(JsonText, OfNothingIsEmpty) {
  EXPECT_EQ(ObjectText().copy(), "{}");
  EXPECT_EQ(ArrayText().copy(), "[]");
}

TEST(JsonText, IsEmptyWhenItWasTaken) {
  ObjectText text;
  text.add("a", 1);
  EXPECT_EQ(std::move(text).take(), R"({"a":1})");
  text.add("b", 2);  // NOLINT(bugprone-use-after-move): that is what is promised
  EXPECT_EQ(text.copy(), R"({"b":2})");
}

// Every byte, in a key and in a value, beside what the library makes of it.
TEST(JsonText, EscapesAsTheLibraryDoes) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string text = std::string("a") + static_cast<char>(byte) + "b";
    ObjectText object;
    object.add(text, text);
    const std::string quoted = quote(text);
    EXPECT_EQ(object.copy(), "{" + quoted + ":" + quoted + "}") << byte;
    EXPECT_EQ(write(Value(text), kCompact), quoted) << byte;
  }
  const std::string chinese = "\xe4\xb8\xad\xe6\x96\x87";
  EXPECT_EQ(ArrayText{chinese}.copy(), "[\"" + chinese + "\"]");
}

TEST(JsonText, IsWhatATreeWouldBe) {
  Value tree;
  tree.set("active", true);
  tree.set("id", 4711);
  tree.set("roles", Array{"reader", "writer"});
  ObjectText text;
  text.add("active", true).add("id", 4711).add("roles", ArrayText{"reader", "writer"});
  EXPECT_EQ(text.copy(), write(tree, kCompact));
}

}  // namespace
}  // namespace ssx::json
