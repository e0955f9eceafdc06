#include "ssxrver/base/strings.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ssx {
namespace {

TEST(Strings, LowerCaseIsForAsciiLettersOnly) {
  for (int c = -128; c < 128; ++c) {
    const char in = static_cast<char>(c);
    const char expected = in >= 'A' && in <= 'Z' ? static_cast<char>(in - 'A' + 'a') : in;
    EXPECT_EQ(ascii_lower(in), expected) << c;
  }
}

TEST(Strings, ComparesWithoutCase) {
  EXPECT_TRUE(ascii_iequals("Content-LENGTH", "content-length"));
  EXPECT_TRUE(ascii_iequals("", ""));
  EXPECT_FALSE(ascii_iequals("a", "ab"));
  EXPECT_FALSE(ascii_iequals("[", "{"));  // differ by the bit that makes lower case
  EXPECT_FALSE(ascii_iequals("\xc4", "\xe4"));
}

TEST(Strings, TrimsBlanksAndTabsOnly) {
  EXPECT_EQ(trim(" \t a b \t"), "a b");
  EXPECT_EQ(trim(""), "");
  EXPECT_EQ(trim(" \t "), "");
  EXPECT_EQ(trim("\na\n"), "\na\n");
}

TEST(Strings, ParsesDigitsAndNothingElse) {
  EXPECT_EQ(parse_uint("0"), 0U);
  EXPECT_EQ(parse_uint("007"), 7U);
  EXPECT_EQ(parse_uint("18446744073709551615"), UINT64_MAX);
  for (const char* text : {"", "-1", "+1", " 1", "1 ", "0x1", "1_0", "1e3", "18446744073709551616",
                           "99999999999999999999999999999999999999999"}) {
    EXPECT_FALSE(parse_uint(text)) << text;
  }
}

TEST(Strings, PartsBetweenSeparatorsAreEmptyOnesToo) {
  const auto parts = [](std::string_view text) {
    std::vector<std::string> all;
    for_each_part(text, ',', [&all](std::string_view part) { all.emplace_back(part); });
    return all;
  };
  EXPECT_EQ(parts("a,b"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(parts(""), (std::vector<std::string>{""}));
  EXPECT_EQ(parts(",a,,"), (std::vector<std::string>{"", "a", "", ""}));
}

}  // namespace
}  // namespace ssx
