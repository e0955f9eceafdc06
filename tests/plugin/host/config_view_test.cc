#include "ssxrver/plugin/host/config_view.h"

#include <gtest/gtest.h>

#include <string>

namespace ssx::plugins {
namespace {

json::Value parse(std::string_view text) { return json::parse(text)->root; }

TEST(PluginConfigView, FindsByPointer) {
  // The example of RFC 6901 5.
  ConfigView view(parse(R"({"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"i\\j":5,"k\"l":6,)"
                        R"(" ":7,"m~n":8,"o":{"p":[]}})"));
  const auto find = [&view](std::string_view pointer) {
    return std::string(view.find(pointer, false).value_or("(nothing)"));
  };
  EXPECT_EQ(find("/foo"), R"(["bar","baz"])");
  EXPECT_EQ(find("/foo/0"), R"("bar")");
  EXPECT_EQ(find("/foo/1"), R"("baz")");
  EXPECT_EQ(find("/"), "0");
  EXPECT_EQ(find("/a~1b"), "1");
  EXPECT_EQ(find("/c%d"), "2");
  EXPECT_EQ(find("/i\\j"), "5");
  EXPECT_EQ(find("/k\"l"), "6");
  EXPECT_EQ(find("/ "), "7");
  EXPECT_EQ(find("/m~0n"), "8");
  EXPECT_EQ(find("/o/p"), "[]");
  for (const char* none : {"foo", "/foo/2", "/foo/-", "/foo/01", "/foo/0x", "/foo/+1", "/foo/",
                           "/m~n", "/m~2n", "/m~", "/a/b", "/o/p/0", "/foo/0/x"})
    EXPECT_EQ(find(none), "(nothing)") << none;
  EXPECT_TRUE(find("").starts_with("{\"foo\""));
}

TEST(PluginConfigView, GivesAStringWithoutQuotesWhenAskedSo) {
  ConfigView view(parse(R"({"s":"a\"b","n":5})"));
  EXPECT_EQ(view.find("/s", true), "a\"b");
  EXPECT_EQ(view.find("/s", false), R"("a\"b")");
  EXPECT_EQ(view.find("/n", true), "5");
}

TEST(PluginConfigView, GivesTheSameTextEachTime) {
  ConfigView view(parse(R"({"a":{"b":1}})"));
  EXPECT_EQ(view.find("/a", false)->data(), view.find("/a", true)->data());
}

TEST(PluginConfigView, LooksIntoTheNewOneFromPrepareOn) {
  ConfigView view(parse(R"({"a":"old"})"));
  const auto old = view.find("/a", true);
  view.prepare(parse(R"({"a":"new"})"));
  EXPECT_EQ(view.find("/a", true), "new");
  view.abort();
  EXPECT_EQ(view.find("/a", true), "old");
  view.prepare(parse(R"({"a":"newer"})"));
  view.commit();
  EXPECT_EQ(view.find("/a", true), "newer");
  EXPECT_EQ(*old, "old") << "of the one before, and so it is still there";
}

}  // namespace
}  // namespace ssx::plugins
