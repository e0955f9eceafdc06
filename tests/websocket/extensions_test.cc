#include "websocket/extensions.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/support/guard_page.h"
#include "tests/websocket/field_lines.h"

namespace ssx::websocket {
namespace {

constexpr std::string_view kField = "Sec-WebSocket-Extensions";

// "name[param=value][param]...", extension by extension; or the error.
std::string shown(const http::Fields& fields) {
  Extensions extensions;
  if (const Errc error = extensions.parse(fields); error != Errc::kOk) {
    return std::string(to_string(error));
  }
  std::string text;
  for (std::size_t i = 0; i < extensions.size(); ++i) {
    text.append(text.empty() ? "" : " ").append(extensions[i].name);
    for (const ExtensionParam& param : extensions[i].params) {
      text.append("[").append(param.name).append(param.has_value ? "=" : "");
      text.append(param.value).append("]");
    }
  }
  return text;
}
std::string shown(std::string_view line) {
  return shown(test::FieldLines({{kField, line}}).fields());
}

constexpr std::string_view kBad = "malformed extensions";
constexpr std::string_view kTooMany = "too many extensions";

TEST(Extensions, AreReadInOrder) {
  const struct {
    std::string_view line;
    std::string_view expected;
  } rows[] = {{"a", "a"},
              {"foo, bar; baz=2", "foo bar[baz=2]"},  // RFC 6455 9.1
              {"deflate-stream", "deflate-stream"},
              {"mux; max-channels=4; flow-control, deflate-stream",
               "mux[max-channels=4][flow-control] deflate-stream"},
              {"private-extension", "private-extension"},
              {"a;b;b=c", "a[b][b=c]"},
              {" a ; b = c\t,\td", "a[b=c] d"},
              {",, a ,, b ,", "a b"},
              {"a; b=\"c\"", "a[b=c]"},
              {"a; b=\"1\\5\" ; c=\"d\"", "a[b=15][c=d]"},
              {"a; b=\"\\c\"; d=\"\\e\\f\"", "a[b=c][d=ef]"}};
  for (const auto& row : rows) EXPECT_EQ(shown(row.line), row.expected) << row.line;
}

TEST(Extensions, AreOneListInAllLines) {
  EXPECT_EQ(shown(test::FieldLines({{kField, "a; b"}, {"X", "y"}, {kField, "c"}}).fields()),
            "a[b] c");
  EXPECT_EQ(shown(test::FieldLines({{kField, ""}, {kField, "c"}}).fields()), "c");
  EXPECT_EQ(shown(test::FieldLines({}).fields()), "");
}

TEST(Extensions, B12OfAnotherGrammarAreRefused) {
  const std::string_view rows[] = {"",
                                   ",",
                                   " , ",
                                   "a b",
                                   "a;",
                                   "a; ",
                                   "a;;b",
                                   "a; b=",
                                   "a; =c",
                                   "a=b",
                                   ";a",
                                   "a; b c",
                                   "a; b==",
                                   "a; b=c d",
                                   "a; b=\"",
                                   "a; b=\"c",
                                   "a; b=\"\"",
                                   "a; b=\"\\",
                                   "a; b=\"\\\"",
                                   "a; b=\"c d\"",
                                   "a; b=\"c,d\"",
                                   "a; b=\"c\"d",
                                   "a; b=\"\\\"\"",
                                   "\"a\"",
                                   "a; \"b\"",
                                   "a/b",
                                   "a(b)",
                                   "a; b=\xFF",
                                   "a; b=(",
                                   "a, b;",
                                   "a; b='c d'"};
  for (const std::string_view row : rows) EXPECT_EQ(shown(row), kBad) << row;
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

TEST(Extensions, B12OffersAreBounded) {
  const std::size_t most = Extensions::kMax;
  EXPECT_EQ(shown("a" + repeated(", a", most - 2)), "a" + repeated(" a", most - 2));
  EXPECT_EQ(shown("a" + repeated(", a", most - 1)), "a" + repeated(" a", most - 1));
  EXPECT_EQ(shown("a" + repeated(", a", most)), kTooMany);
  EXPECT_EQ(shown("a" + repeated(", a", 99)), kTooMany);
}

TEST(Extensions, B12ParametersAreBoundedForEachOffer) {
  const std::size_t most = Extensions::kParamsMax;
  for (const std::size_t size : {most - 1, most}) {
    EXPECT_EQ(shown("b; y, a" + repeated("; x", size)), "b[y] a" + repeated("[x]", size));
  }
  EXPECT_EQ(shown("b; y, a" + repeated("; x", most + 1)), kTooMany);
  const std::string whole = "a" + repeated("; x", most);
  const std::string all = whole + repeated(", " + whole, Extensions::kMax - 1);
  EXPECT_EQ(shown(all).size(), 8 * (1 + 3 * most) + 7);
}

TEST(Extensions, B12BytesOfAllLinesAreBounded) {
  const std::size_t most = Extensions::kBytesMax;
  for (const std::size_t size : {most - 1, most}) {
    EXPECT_EQ(shown(std::string(size, 'a')).size(), size);
    EXPECT_EQ(shown("a; b=\"" + std::string(size - 7, 'c') + "\"").size(), size - 2);
  }
  EXPECT_EQ(shown(std::string(most + 1, 'a')), kTooMany);
  const std::string half(most / 2, 'a');
  EXPECT_EQ(shown(test::FieldLines({{kField, half}, {kField, half}}).fields()).size(), most + 1);
  EXPECT_EQ(shown(test::FieldLines({{kField, half}, {kField, half + "a"}}).fields()), kTooMany);
}

// Every prefix, right before memory that must not be read.
TEST(Extensions, ReadNoByteBehindTheirs) {
  const std::string_view line = "a; b=\"c\\d\" ; e = f, g; h";
  for (std::size_t size = 0; size <= line.size(); ++size) {
    const ssx::test::GuardedBytes guarded(line.substr(0, size));
    http::Fields fields;
    http::Fields::Entry& entry = fields.add(http::FieldName::kSecWebSocketExtensions);
    entry.name_offset = entry.value_offset = entry.name_size = 0;
    entry.value_size = static_cast<std::uint16_t>(size);
    fields.bind(guarded.text().data());
    EXPECT_EQ(shown(fields), shown(line.substr(0, size)));
  }
}

}  // namespace
}  // namespace ssx::websocket
