#include "http/field_names.h"

#include <gtest/gtest.h>

#include <cctype>
#include <set>
#include <string>
#include <string_view>

#include "tests/support/guard_page.h"

namespace ssx::http {
namespace {

TEST(FieldNames, FindsEveryNameInAnyCase) {
  for (int i = 1; i < kFieldNameCount; ++i) {
    const auto name = static_cast<FieldName>(i);
    std::string text(to_string(name));
    EXPECT_EQ(find_field_name(text), name) << text;
    for (char& byte : text) byte = static_cast<char>(std::toupper(byte));
    EXPECT_EQ(find_field_name(text), name) << text;
    for (std::size_t k = 0; k < text.size(); k += 2) {
      text[k] = static_cast<char>(std::tolower(text[k]));
    }
    EXPECT_EQ(find_field_name(text), name) << text;
  }
  EXPECT_EQ(to_string(FieldName::kOther), "");
}

TEST(FieldNames, AreAllDifferent) {
  std::set<std::string_view> names;
  for (int i = 1; i < kFieldNameCount; ++i) names.insert(to_string(static_cast<FieldName>(i)));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(kFieldNameCount - 1));
}

// One byte changed anywhere makes it another name; 0x20 apart is equal for letters only.
TEST(FieldNames, AreNothingElse) {
  for (int i = 1; i < kFieldNameCount; ++i) {
    const std::string text(to_string(static_cast<FieldName>(i)));
    for (std::size_t k = 0; k < text.size(); ++k) {
      for (int value = 0; value < 256; ++value) {
        std::string other = text;
        other[k] = static_cast<char>(value);
        const bool same = std::tolower(value) == text[k];
        EXPECT_EQ(find_field_name(other) == static_cast<FieldName>(i), same) << other;
      }
    }
  }
}

TEST(FieldNames, KnowsNoPrefixAndNothingLonger) {
  for (int i = 1; i < kFieldNameCount; ++i) {
    const std::string text(to_string(static_cast<FieldName>(i)));
    EXPECT_NE(find_field_name(text + "s"), static_cast<FieldName>(i));
    EXPECT_NE(find_field_name(text.substr(1)), static_cast<FieldName>(i));
    EXPECT_NE(find_field_name(text.substr(0, text.size() - 1)), static_cast<FieldName>(i));
  }
  EXPECT_EQ(find_field_name(""), FieldName::kOther);
  EXPECT_EQ(find_field_name("x"), FieldName::kOther);
  EXPECT_EQ(find_field_name(std::string(1000, 'a')), FieldName::kOther);
}

TEST(FieldNames, ReadsOnlyTheName) {
  for (int i = 1; i < kFieldNameCount; ++i) {
    const ssx::test::GuardedBytes text(to_string(static_cast<FieldName>(i)));
    EXPECT_EQ(find_field_name(text.text()), static_cast<FieldName>(i));
  }
}

}  // namespace
}  // namespace ssx::http
