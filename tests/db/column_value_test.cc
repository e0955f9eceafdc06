#include "ssxrver/db/column_value.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "tests/db/statement_fixture.h"

namespace ssx::db::internal {
namespace {

using std::string_view_literals::operator""sv;

constexpr auto kKinds = std::to_array<ColumnKind>(
    {ColumnKind::kInteger, ColumnKind::kReal, ColumnKind::kDecimal, ColumnKind::kText,
     ColumnKind::kBytes, ColumnKind::kAny, ColumnKind::kOpaque});

/// The kinds that take it, a letter for each.
std::string takers(const json::Value& value) {
  std::string all;
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    if (column_value(value, kKinds[i])) all += "irdtbao"[i];
  }
  return all;
}

TEST(ColumnValue, IsTakenByItsKindsAlone) {
  EXPECT_EQ(takers(nullptr), "");
  EXPECT_EQ(takers(true), "ia");
  EXPECT_EQ(takers(0), "irda");
  EXPECT_EQ(takers(-7), "irda");
  EXPECT_EQ(takers(1.5), "rda");
  EXPECT_EQ(takers(1.0), "rda");
  EXPECT_EQ(takers("word"), "tba");  // four letters are Base64 too
  EXPECT_EQ(takers("a word"), "ta");
  EXPECT_EQ(takers("12"), "dta");
  EXPECT_EQ(takers("1 OR 1=1"), "ta");
  EXPECT_EQ(takers(json_of("[1]")), "");
  EXPECT_EQ(takers(json_of("{\"!=\": 1}")), "");
  EXPECT_EQ(takers(std::numeric_limits<double>::infinity()), "");
  EXPECT_EQ(takers(std::numeric_limits<double>::quiet_NaN()), "");
}

TEST(ColumnValue, KeepsNumbersAsTheyAre) {
  EXPECT_EQ(column_value(~std::uint64_t{0}, ColumnKind::kInteger), Value(~std::uint64_t{0}));
  EXPECT_EQ(column_value(std::numeric_limits<std::int64_t>::min(), ColumnKind::kInteger),
            Value(std::numeric_limits<std::int64_t>::min()));
  EXPECT_EQ(column_value(true, ColumnKind::kInteger), Value(1));
  EXPECT_EQ(column_value(false, ColumnKind::kAny), Value(0));
  EXPECT_EQ(column_value(0.1, ColumnKind::kReal), Value(0.1));
}

TEST(ColumnValue, ADecimalIsASignDigitsAndDigitsBehindAPoint) {
  for (const auto* text : {"0", "-0", "12.50", "-12.5", "123456789012345678901234567890.1"}) {
    EXPECT_EQ(column_value(text, ColumnKind::kDecimal), Value(text)) << text;
  }
  for (const auto* text : {"", "-", ".", "1.", ".5", "+1", "1e3", " 1", "1 ", "0x10", "1,5", "--1",
                           "1.2.3", "NaN", "Infinity", "1 OR 1=1", "1-1", "\xd9\xa1"}) {
    EXPECT_FALSE(column_value(text, ColumnKind::kDecimal)) << text;
  }
}

TEST(ColumnValue, TextIsUtf8AndOtherwiseAsItIs) {
  for (const auto text : {""sv, "a\0b"sv, "' OR ''='"sv, "\xc3\xa4\xf0\x9f\x98\x80"sv, "\\"sv}) {
    EXPECT_EQ(column_value(text, ColumnKind::kText), Value(text));
    EXPECT_EQ(column_value(text, ColumnKind::kAny), Value(text));
  }
  for (const auto text : {"\xbf\x27"sv, "\xc0\xa7"sv, "\xed\xa0\x80"sv, "\xff"sv, "\xe2\x82"sv}) {
    EXPECT_FALSE(column_value(text, ColumnKind::kText));
    EXPECT_FALSE(column_value(text, ColumnKind::kAny));
  }
}

TEST(ColumnValue, BytesComeInBase64) {
  EXPECT_EQ(column_value("/wAn", ColumnKind::kBytes), Value(as_bytes("\xff\0'"sv)));
  EXPECT_EQ(column_value("", ColumnKind::kBytes), Value(Bytes()));
  for (const auto* text : {"/wA", "_wAn", "/wAn ", "/wAn=", "'"}) {
    EXPECT_FALSE(column_value(text, ColumnKind::kBytes)) << text;
  }
}

TEST(ColumnValue, EveryKindSaysWhatItExpects) {
  for (const ColumnKind kind : kKinds) EXPECT_FALSE(expectation(kind).empty());
}

}  // namespace
}  // namespace ssx::db::internal
