#include "http/parameters.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/guard_page.h"

namespace ssx::http {
namespace {

using namespace std::string_literals;
using Pairs = std::vector<std::pair<std::string, std::string>>;

Pairs parsed(std::string_view text, Backslash backslash = Backslash::kQuotes) {
  const test::GuardedBytes guarded(text);
  Parameters parameters;
  if (!parameters.parse(guarded.text(), backslash)) return {{"!", ""}};
  Pairs all;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::string_view name = parameters[i].name;
    all.emplace_back(name, parameters.find(name).value());
  }
  return all;
}
const Pairs kRefused = {{"!", ""}};

TEST(Parameters, AreTokensAndQuotedStrings) {
  const struct {
    std::string_view text;
    Pairs expected;
  } rows[] = {{"", {}},
              {" \t", {}},
              {"; a=b", {{"a", "b"}}},
              {";a=b;c=d", {{"a", "b"}, {"c", "d"}}},
              {" ; a=b ; c=d ", {{"a", "b"}, {"c", "d"}}},
              {"; a=\"b c\"", {{"a", "b c"}}},
              {"; a=\"\"", {{"a", ""}}},
              {"; a=\"b;c=d,e\"; f=g", {{"a", "b;c=d,e"}, {"f", "g"}}},
              {"; a=\"\\\"\\\\\\x\"", {{"a", "\"\\x"}}},
              {"; a=\"\xc3\xa9\t\"", {{"a", "\xc3\xa9\t"}}},
              {";;a=b;", {{"a", "b"}}}};
  for (const auto& row : rows) EXPECT_EQ(parsed(row.text), row.expected) << row.text;
}

TEST(Parameters, RefuseWhatIsNone) {
  for (const std::string_view text :
       {"a=b", "; a", "; a=", "; =b", "; a =b", "; a= b", "; a=b c=d", "; a=\"b", "; a=\"b\\\"",
        "; a=\"b\"c", "; a=\"\r\n\"", "; a=b, c=d", "; a=\"\\", "; a=b; A=c", "; \xc3=b"}) {
    EXPECT_EQ(parsed(text), kRefused) << text;
  }
  EXPECT_EQ(parsed("; a=\"\0\""s), kRefused);
}

TEST(Parameters, KeepTheBackslashesOfFileNames) {
  const auto name = [](std::string_view text) {
    return parsed(text, Backslash::kFileNames).at(0).second;
  };
  EXPECT_EQ(name("; filename=\"C:\\dir\\a.txt\""), "C:\\dir\\a.txt");
  EXPECT_EQ(name("; filename=\"a\\\"b\\\\c\""), "a\"b\\c");
  EXPECT_EQ(parsed("; filename=\"C:\\dir\\a.txt\"").at(0).second, "C:dira.txt");
}

TEST(Parameters, AreFoundWhateverTheirCase) {
  Parameters parameters;
  ASSERT_TRUE(parameters.parse("; Charset=UTF-8", Backslash::kQuotes));
  EXPECT_EQ(parameters.find("charset"), "UTF-8");
  EXPECT_EQ(parameters.find("char"), std::nullopt);
}

TEST(Parameters, AreFew) {
  const auto text = [](std::size_t count) {
    std::string all;
    for (std::size_t i = 0; i < count; ++i) all += "; p" + std::to_string(i) + "=x";
    return all;
  };
  for (const std::size_t count : {Parameters::kMax - 1, Parameters::kMax}) {
    EXPECT_EQ(parsed(text(count)).size(), count);
  }
  EXPECT_EQ(parsed(text(Parameters::kMax + 1)), kRefused);
}

}  // namespace
}  // namespace ssx::http
