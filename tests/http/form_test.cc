#include "http/form.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/options.h"
#include "tests/http/pair_limit.h"
#include "tests/support/guard_page.h"
#include "tests/support/thread_time.h"

namespace ssx::http {
namespace {

using namespace std::string_literals;
using Pairs = std::vector<std::pair<std::string, std::string>>;

Pairs pairs(std::string_view text) {
  const test::GuardedBytes guarded(text);
  const auto form = Form::parse(guarded.text(), 100);
  if (!form) return {{"!", form.error().code().message()}};
  Pairs all;
  for (const Form::Pair& pair : *form) all.emplace_back(pair.name, pair.value);
  return all;
}

TEST(Form, HasThePairsInTheirOrder) {
  const struct {
    std::string_view text;
    Pairs expected;
  } rows[] = {{"", {}},
              {"a=b", {{"a", "b"}}},
              {"a=b&c=d&a=e", {{"a", "b"}, {"c", "d"}, {"a", "e"}}},
              {"a", {{"a", ""}}},
              {"a=", {{"a", ""}}},
              {"=b", {{"", "b"}}},
              {"=", {{"", ""}}},
              {"&&a=1&&b=2&", {{"a", "1"}, {"b", "2"}}},
              {"a=b=c", {{"a", "b=c"}}},
              {"a+b=c+d", {{"a b", "c d"}}},
              {"a%26b=%3D%2B%25", {{"a&b", "=+%"}}},
              {"a=%2541", {{"a", "%41"}}},
              {"caf%C3%A9=%ff", {{"caf\xc3\xa9", "\xff"}}},
              {"a;b=c", {{"a;b", "c"}}},
              {"a=%0d%0a", {{"a", "\r\n"}}}};
  for (const auto& row : rows) EXPECT_EQ(pairs(row.text), row.expected) << row.text;
}

TEST(Form, FindsTheFirstAndAll) {
  const Form form = Form::parse("id=1&id=%32&ID=3&e=", 4).value();
  EXPECT_EQ(form.find("id"), "1");
  EXPECT_EQ(form.find("ID"), "3");
  EXPECT_EQ(form.find("e"), "");
  EXPECT_EQ(form.find("x"), std::nullopt);
  EXPECT_EQ(form.all("id"), (std::vector<std::string_view>{"1", "2"}));
  EXPECT_TRUE(form.all("x").empty());
  EXPECT_EQ(form.size(), 4U);
  EXPECT_EQ(form[1].value, "2");
  EXPECT_TRUE(Form().empty());
}

TEST(Form, KeepsItsPairsWhenItMoves) {
  Form form = Form::parse("a=%31", 1).value();
  const Form other = std::move(form);
  EXPECT_EQ(other.find("a"), "1");
}

// A19: "%" at the end of everything.
TEST(Form, RefusesMalformedEscapes) {
  for (const std::string_view text :
       {"%", "a=%", "a=%4", "%=a", "a%4=b", "a=%zz", "a=b&%", "a=%%"}) {
    EXPECT_EQ(Form::parse(text, 9).error(), make_error_code(Errc::kBadEscape)) << text;
  }
  for (const std::string& text : {"a=%00"s, "a%00=b"s, "a=\0"s, "a\0=b"s}) {
    EXPECT_EQ(Form::parse(text, 9).error(), make_error_code(Errc::kEncodedControl)) << text;
  }
}

// A19: the limit, and 10^5 parameters.
TEST(Form, HasAMostOfPairs) {
  const std::size_t limit = HttpOptions().query_params_max;
  EXPECT_EQ(limit, 256U);
  test::expect_limit_of_pairs(
      limit, "=%41&", Errc::kTooManyParams,
      [limit](const std::string& text) { return Form::parse(text, limit); });
  // Empty parts are no pairs, and cost no more than their bytes.
  EXPECT_TRUE(Form::parse(std::string(100000, '&'), 0));
}

// A19: names that collide in a hash table are names like others. Eight times as many take
// eight times as long: asked for loosely, since caches are no larger, and a square would be 64.
TEST(Form, TakesLinearTimeForNamesThatCollide) {
  const auto time_of = [](std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
      // "Aa" and "BB" are the same to many hash functions, in every combination.
      for (std::size_t bit = 0; bit < 17; ++bit) text += (i >> bit & 1) != 0 ? "Aa" : "BB";
      text += "=%41&";
    }
    auto least = std::chrono::nanoseconds::max();
    for (int round = 0; round < 3; ++round) {
      const auto begin = test::thread_time();
      EXPECT_EQ(Form::parse(text, count).value().size(), count);
      least = std::min(least, test::thread_time() - begin);
    }
    return least;
  };
  EXPECT_LT(time_of(100000), 32 * time_of(12500));
}

TEST(Form, ComesBackFromWhatIsWritten) {
  std::string text;
  append_form_pair(text, {.name = "a b", .value = "1&2=3"});
  append_form_pair(text, {.name = "\xc3\xa9", .value = "+%\r\n"});
  append_form_pair(text, {.name = "", .value = ""});
  EXPECT_EQ(text, "a+b=1%262%3D3&%C3%A9=%2B%25%0D%0A&=");
  EXPECT_EQ(pairs(text), (Pairs{{"a b", "1&2=3"}, {"\xc3\xa9", "+%\r\n"}, {"", ""}}));
}

}  // namespace
}  // namespace ssx::http
