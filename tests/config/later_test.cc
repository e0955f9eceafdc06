#include "ssxrver/config/later.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/config/fixture.h"

namespace ssx::config {
namespace {

using test::Reading;
using ::testing::ElementsAre;

json::Value value(std::string_view text) { return json::parse(text)->root; }

bool same(std::string_view found, std::string_view standard) {
  return says_the_same(value(found), value(standard));
}

TEST(Later, KnowsTheSpellingsOfAValue) {
  EXPECT_TRUE(same("true", "\"on\""));
  EXPECT_TRUE(same("\"OFF\"", "\"off\""));
  EXPECT_TRUE(same("\"60s\"", "\"1m\""));
  EXPECT_TRUE(same("0", "\"0\""));
  EXPECT_TRUE(same("\"0s\"", "\"0\""));
  EXPECT_TRUE(same("\"1k\"", "1024"));
  EXPECT_TRUE(same("\"1024\"", "1024"));
  EXPECT_TRUE(same("1", "1.0"));
  EXPECT_TRUE(same("\"50/s  burst 200\"", "\"50/s burst 200\""));
  EXPECT_TRUE(same("[true, \"1k\"]", "[\"on\", 1024]"));
  EXPECT_TRUE(same("{\"a\": true}", "{\"a\": \"on\", \"b\": 1}"));
  EXPECT_TRUE(same("null", "null"));
}

TEST(Later, KnowsAnotherValue) {
  EXPECT_FALSE(same("false", "\"on\""));
  EXPECT_FALSE(same("1", "\"on\""));
  EXPECT_FALSE(same("\"61s\"", "\"1m\""));
  EXPECT_FALSE(same("1023", "1024"));
  EXPECT_FALSE(same("\"x\"", "1024"));
  EXPECT_FALSE(same("true", "1"));
  EXPECT_FALSE(same("\"x\"", "\"\""));
  EXPECT_FALSE(same("0", "\"\""));
  EXPECT_FALSE(same("[]", "[1]"));
  EXPECT_FALSE(same("[1, 1]", "[1]"));
  EXPECT_FALSE(same("{\"c\": 1}", "{\"a\": 1}"));
  EXPECT_FALSE(same("{}", "[]"));
  EXPECT_FALSE(same("[]", "{}"));
  EXPECT_FALSE(same("0", "null"));
  EXPECT_FALSE(same("null", "0"));
  EXPECT_FALSE(same("null", "\"0\""));
}

std::vector<std::string> complaints(std::string_view found, std::string_view standard,
                                    Extra extra = Extra::kUnknown) {
  Reading reading(found);
  read_later(reading.reader(), reading.root(), value(standard), extra);
  return reading.errors();
}

TEST(Later, NamesTheVeryKeyThatDiffers) {
  EXPECT_THAT(complaints(R"({"a": {"b": 2}, "c": 1})", R"({"a": {"b": 1}, "c": 1})"),
              ElementsAre("t:1:13: /a/b: 2 is not in this build; accepted so far: 1"));
  EXPECT_THAT(complaints("[1]", "[]"),
              ElementsAre("t:1:1: [1] is not in this build; accepted so far: []"));
  EXPECT_THAT(complaints(R"({"a": 5})", R"({"a": {"b": 1}})"),
              ElementsAre("t:1:7: /a: 5 is not in this build; accepted so far: {\"b\": 1}"));
}

TEST(Later, TellsUnknownKeysFromEntriesToCome) {
  EXPECT_THAT(complaints(R"({"ax": 1})", R"({"a": 1})"),
              ElementsAre("t:1:2: /ax: unknown key; did you mean \"a\"?"));
  EXPECT_THAT(complaints(R"({"x": 1})", R"({"a": 1})", Extra::kNotBuilt),
              ElementsAre("t:1:7: /x: 1 is not in this build; accepted so far: no such entry"));
  EXPECT_THAT(complaints(R"({"x": 1})", "{}"),
              ElementsAre("t:1:7: /x: 1 is not in this build; accepted so far: no such entry"));
}

TEST(Later, DescribesWhatIsToCome) {
  const auto all = describe_later(R"({"a": {"b": "on"}, "c": [1]})");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].name, "a");
  EXPECT_FALSE(all[0].is_built);
  ASSERT_EQ(all[0].children.size(), 1u);
  EXPECT_EQ(all[0].children[0].name, "b");
  EXPECT_EQ(all[1].standard, value("[1]"));
}

TEST(LaterDeathTest, TakesOnlyAnObjectOfDefaults) {
  EXPECT_DEATH((void)describe_later("[1]"), "root.object");
}

}  // namespace
}  // namespace ssx::config
