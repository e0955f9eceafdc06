#include "ssxrver/plugin/host/db_statement.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <string>

#include "ssxrver/plugin/host/border.h"

namespace ssx::plugins {
namespace {

ssxrver_value of_kind(std::uint32_t kind) {
  ssxrver_value value{};
  value.kind = kind;
  return value;
}

TEST(PluginDbStatement, TakesEveryKindOfValue) {
  std::string letters("a\0b", 3);
  std::array<ssxrver_value, 6> given{};
  given[1] = of_kind(SSXRVER_INT);
  given[1].number.integer = std::numeric_limits<std::int64_t>::min();
  given[2] = of_kind(SSXRVER_UINT);
  given[2].number.whole = std::numeric_limits<std::uint64_t>::max();
  given[3] = of_kind(SSXRVER_REAL);
  given[3].number.real = 0.5;
  given[4] = of_kind(SSXRVER_TEXT);
  given[4].text = to_text(letters);
  given[5] = of_kind(SSXRVER_BYTES);
  given[5].text = to_text(letters);
  const auto statement = to_statement(to_text("SELECT"), given.data(), given.size());
  letters[0] = 'x';  // what was given is copied
  ASSERT_TRUE(statement);
  const std::string kept("a\0b", 3);
  EXPECT_EQ(*statement, db::Statement("SELECT", nullptr, std::numeric_limits<std::int64_t>::min(),
                                      std::numeric_limits<std::uint64_t>::max(), 0.5, kept,
                                      as_bytes(std::string_view(kept))));
}

TEST(PluginDbStatement, TakesTextsWithoutBytes) {
  ssxrver_value value = of_kind(SSXRVER_TEXT);
  EXPECT_TRUE(to_statement({}, &value, 1));
  EXPECT_TRUE(to_statement(to_text(""), nullptr, 0));
}

TEST(PluginDbStatement, RefusesWhatCannotBe) {
  ssxrver_value value = of_kind(SSXRVER_BYTES + 1);
  EXPECT_FALSE(to_statement(to_text("a"), &value, 1)) << "no such kind";
  EXPECT_TRUE(to_statement(to_text("a"), &value, 0));
  for (const std::uint32_t kind : {SSXRVER_TEXT, SSXRVER_BYTES}) {
    value = of_kind(kind);
    value.text = {nullptr, 1};
    EXPECT_FALSE(to_statement(to_text("a"), &value, 1)) << "bytes that are nowhere";
  }
  EXPECT_FALSE(to_statement({nullptr, 1}, nullptr, 0)) << "a statement that is nowhere";
  EXPECT_FALSE(to_statement(to_text("a"), nullptr, 1)) << "values that are nowhere";
}

}  // namespace
}  // namespace ssx::plugins
