#include "ssxrver/json/json.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace ssx::json {
namespace {

Value parsed(std::string_view text) {
  auto document = parse(text);
  EXPECT_TRUE(document) << (document ? "" : document.error().text) << " in " << text;
  return document ? std::move(document->root) : Value();
}

/// "line:column text" of the syntax error.
std::string complaint(std::string_view text) {
  const auto document = parse(text);
  if (document) return "accepted";
  const auto place = locate(text, document.error().origin.offset);
  return std::to_string(place.line) + ":" + std::to_string(place.column) + " " +
         document.error().text;
}

std::string place_of(std::string_view text, const Origin& origin) {
  const auto place = locate(text, origin.offset);
  return std::to_string(place.line) + ":" + std::to_string(place.column);
}

TEST(JsonParse, TakesNoCommentsWhenItIsStrict) {
  const ParseLimits strict{.strict = true};
  for (const char* text : {"[1, 2,]", "{\"a\": 1,}", "/* x */ 1", "[1] // x"}) {
    EXPECT_TRUE(parse(text)) << text;
    const auto document = parse(text, 0, strict);
    ASSERT_FALSE(document) << text;
  }
  EXPECT_EQ(parse("[1, 2,]", 0, strict).error().origin.offset, 6u);
  EXPECT_EQ(*parse("[\"/* x */\"]", 0, strict)->root.array()->front().string(), "/* x */");
}

TEST(JsonParse, KeepsEveryKindOfValue) {
  const auto root = parsed(R"({"n": null, "b": true, "i": -9223372036854775808,
                               "u": 18446744073709551615, "d": 2.5, "s": "x", "a": [1], "o": {}})");
  EXPECT_TRUE(root.find("n")->is_null());
  EXPECT_TRUE(*root.find("b")->boolean());
  EXPECT_EQ(*root.find("i")->negative(), INT64_MIN);
  EXPECT_EQ(*root.find("u")->number(), UINT64_MAX);
  EXPECT_EQ(*root.find("d")->real(), 2.5);
  EXPECT_EQ(*root.find("s")->string(), "x");
  EXPECT_EQ(root.find("a")->array()->size(), 1u);
  EXPECT_TRUE(root.find("o")->object()->empty());
  EXPECT_EQ(root.find("x"), nullptr);
}

TEST(JsonParse, KnowsWhereEachValueBegan) {
  const std::string text = "{\"a\": 1,\n \"b\" : [10,2 , -3.5,\"x\\\"y\", {\"c\":true}],\"d\":{} }";
  const auto root = parsed(text);
  EXPECT_EQ(place_of(text, root.origin), "1:1");
  EXPECT_EQ(place_of(text, root.find("a")->origin), "1:7");
  const Array& items = *root.find("b")->array();
  EXPECT_EQ(place_of(text, root.find("b")->origin), "2:8");
  EXPECT_EQ(place_of(text, items[0].origin), "2:9");
  EXPECT_EQ(place_of(text, items[1].origin), "2:12");
  EXPECT_EQ(place_of(text, items[2].origin), "2:16");
  EXPECT_EQ(place_of(text, items[3].origin), "2:21");
  EXPECT_EQ(place_of(text, items[4].origin), "2:29");
  EXPECT_EQ(place_of(text, items[4].find("c")->origin), "2:34");
  EXPECT_EQ(place_of(text, (*items[4].object())[0].origin), "2:30");
  EXPECT_EQ(place_of(text, (*root.object())[2].origin), "2:41");
  EXPECT_EQ(place_of(text, root.find("d")->origin), "2:45");
}

TEST(JsonParse, ReportsEveryDuplicateAndLetsTheLastWin) {
  const std::string text =
      "{\"a\": {\"b\": 1,\n \"b\": 2}, \"x\": [{\"k/~\": 1, \"k/~\": 2}], \"a\": 3}";
  const auto document = parse(text);
  ASSERT_TRUE(document);
  ASSERT_EQ(document->duplicates.size(), 3u);
  EXPECT_EQ(document->duplicates[0].pointer, "/a/b");
  EXPECT_EQ(place_of(text, document->duplicates[0].origin), "2:2");
  EXPECT_EQ(place_of(text, document->duplicates[0].first), "1:8");
  EXPECT_EQ(document->duplicates[1].pointer, "/x/0/k~1~0");
  EXPECT_EQ(document->duplicates[2].pointer, "/a");
  EXPECT_EQ(document->root.object()->size(), 2u);
  EXPECT_EQ(*document->root.find("a")->number(), 3u);
}

TEST(JsonParse, TakesCommentsTrailingCommasAndAByteOrderMark) {
  const auto root = parsed(
      "\xEF\xBB\xBF// head\n{\"a\": /* one */ 1, /* \"b\": 2, */ \"u\": \"http://x/*y*/\", // "
      "tail\n"
      "\"l\": [1, 2, /* end */ ], }\n// last");
  EXPECT_EQ(*root.find("a")->number(), 1u);
  EXPECT_EQ(*root.find("u")->string(), "http://x/*y*/");
  EXPECT_EQ(root.find("l")->array()->size(), 2u);
  EXPECT_EQ(root.find("b"), nullptr);
}

TEST(JsonParse, RefusesCommasThatFollowNoValue) {
  EXPECT_EQ(complaint("[,]"), "1:2 unexpected ','; expected '[', '{', or a literal");
  EXPECT_EQ(complaint("[1,,]"), "1:4 unexpected ','; expected '[', '{', or a literal");
  EXPECT_EQ(complaint("{,}"), "1:2 unexpected ','; expected string literal");
  EXPECT_EQ(complaint("{\"a\":,}"), "1:6 unexpected ','; expected '[', '{', or a literal");
  EXPECT_EQ(complaint("1,"), "1:2 unexpected ','; expected end of input");
}

TEST(JsonParse, NamesTheVeryPlaceOfASyntaxError) {
  EXPECT_EQ(complaint(""), "1:1 unexpected end of input; expected '[', '{', or a literal");
  EXPECT_EQ(complaint("{\n  \"a\" 1}"), "2:7 unexpected number literal; expected ':'");
  EXPECT_EQ(complaint("{\"a\": \"x\" \"bc\": 1}"), "1:11 unexpected string literal; expected '}'");
  EXPECT_EQ(complaint("{\"a\": yes}"), "1:7 invalid literal");
  EXPECT_EQ(complaint("{\"a\": truE}"), "1:7 invalid literal");
  EXPECT_EQ(complaint("{\"a\": \"x"), "1:9 invalid string: missing closing quote");
  EXPECT_EQ(complaint("[true false]"), "1:7 unexpected false literal; expected ']'");
  EXPECT_EQ(complaint("[1, 0x10]"), "1:5 invalid literal; expected ']'");
  EXPECT_EQ(complaint("{\"a\": 1} x"), "1:10 invalid literal; expected end of input");
  EXPECT_EQ(complaint("[1]]"), "1:4 unexpected ']'; expected end of input");
  EXPECT_EQ(
      complaint("{\"a\":\n [1, {\"b\": 2"),
      "2:13 unexpected end of input; expected '}'; the '{' of line 2, column 6 is not closed");
  EXPECT_EQ(complaint("{\"a\": \"x\ny\"}"),
            "1:9 invalid string: control character U+000A (LF) must be escaped to \\u000A or \\n");
  EXPECT_EQ(complaint("{\"a\": \"\xC3\xA4\xFF\"}"), "1:9 invalid string: ill-formed UTF-8 byte");
  EXPECT_EQ(complaint("{\"a\": 1e400}"), "1:7 number overflow parsing '1e400'");
  EXPECT_EQ(complaint("{} /* open"), "1:4 this comment has no end");
  EXPECT_EQ(complaint(std::string_view("{}\0{}", 5)), "1:3 a NUL byte does not belong into JSON");
  EXPECT_EQ(complaint("[1 / 2]"), "1:4 invalid literal; expected ']'");
}

TEST(JsonParse, StopsAtTheDepthLimit) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_TRUE(parse(nested(31)));
  EXPECT_TRUE(parse(nested(32)));
  EXPECT_EQ(complaint(nested(33)), "1:33 nested more than 32 deep");
  EXPECT_EQ(complaint(nested(100000)), "1:33 nested more than 32 deep");
}

TEST(JsonParse, StopsAtTheByteLimit) {
  const ParseLimits limits{.bytes_max = 10, .depth_max = 32};
  EXPECT_TRUE(parse("[1,2,3,4]", 0, limits));
  EXPECT_TRUE(parse("[1,2,3,45]", 0, limits));
  EXPECT_FALSE(parse("[1,2,3,456]", 0, limits));
}

TEST(JsonParse, StaysLinearWithManyKeys) {
  std::string text = "{";
  for (int i = 0; i < 50000; ++i) text += "\"" + std::to_string(i) + "\": 1,";
  const auto root = parsed(text + "}");
  EXPECT_EQ(root.object()->size(), 50000u);
}

TEST(JsonBlank, KeepsLengthAndLineEnds) {
  const std::string text = "\xEF\xBB\xBF[1, // x\r\n/* a\nb */ 2,\n]";
  const auto blanked = blank_comments(text);
  ASSERT_TRUE(blanked);
  EXPECT_EQ(blanked->size(), text.size());
  EXPECT_EQ(*blanked, "   [1,     \r\n    \n     2 \n]");
}

TEST(JsonBlank, LeavesStringsAlone) {
  const std::string text = R"(["//", "/*", "\"//", "\\", ",]"])";
  EXPECT_EQ(*blank_comments(text), text);
}

TEST(JsonLocate, CountsCharactersAndSkipsTheByteOrderMark) {
  const std::string text =
      "\xEF\xBB\xBF\xC3\xA4"
      "b\n\tc";
  EXPECT_EQ(place_of(text, {0, 5}), "1:2");
  EXPECT_EQ(place_of(text, {0, 7}), "2:1");
  EXPECT_EQ(place_of(text, {0, 8}), "2:2");
  EXPECT_EQ(place_of(text, {0, 9999}), "2:3");
}

TEST(JsonWrite, ReadsBackEqual) {
  const std::string text = R"({"a": [1, -2, 2.5, 1.0, 1e300, "\u0000\n\"\\ä", null, true, {}, []],)"
                           R"("b": {"c": {"d": "x"}}})";
  const auto root = parsed(text);
  EXPECT_EQ(parsed(write(root)), root);
  EXPECT_EQ(parsed(write(root, -1)), root);
}

TEST(JsonWrite, IsReadable) {
  Value root;
  root.set("a", Array{1, 2});
  root.set("b", Value()).set("c", Array{Value(Object{Member{"d", "e", {}}})});
  EXPECT_EQ(
      write(root),
      "{\n  \"a\": [1, 2],\n  \"b\": {\n    \"c\": [\n      {\n        \"d\": \"e\"\n      }\n"
      "    ]\n  }\n}");
  EXPECT_EQ(write(root, kOneLine), R"({"a": [1, 2], "b": {"c": [{"d": "e"}]}})");
  EXPECT_EQ(write(root, kCompact), R"({"a":[1,2],"b":{"c":[{"d":"e"}]}})");
}

TEST(JsonWrite, ReplacesBytesThatAreNotUtf8) {
  EXPECT_EQ(quote("a\xFF"), "\"a\xEF\xBF\xBD\"");
  EXPECT_FALSE(is_utf8("a\xFF"));
  EXPECT_TRUE(is_utf8("\xC3\xA4"));
}

TEST(JsonValue, SetReplacesAndAdds) {
  Value root;
  root.set("a", 1);
  root.set("a", 2);
  root.set("b", -1);
  EXPECT_EQ(*root.find("a")->number(), 2u);
  EXPECT_EQ(*root.find("b")->negative(), -1);
  EXPECT_EQ(root.object()->size(), 2u);
}

}  // namespace
}  // namespace ssx::json
