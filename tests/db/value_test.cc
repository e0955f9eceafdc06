#include "ssxrver/db/value.h"

#include <gtest/gtest.h>

#include <concepts>
#include <limits>
#include <string>
#include <vector>

namespace ssx::db {
namespace {

using std::string_view_literals::operator""sv;

template <class T>
constexpr bool kIsValue = std::constructible_from<Value, T>;
static_assert(kIsValue<bool> && kIsValue<std::int8_t> && kIsValue<std::uint64_t>);
static_assert(kIsValue<const char*> && kIsValue<std::string> && kIsValue<ByteView>);
static_assert(!kIsValue<int*> && !kIsValue<void*> && !kIsValue<char>);
static_assert(sizeof(ValueView) <= 24 && sizeof(Value) <= 40);

constexpr auto kInt64Max = std::numeric_limits<std::int64_t>::max();
constexpr auto kInt64Min = std::numeric_limits<std::int64_t>::min();
constexpr auto kUint64Max = std::numeric_limits<std::uint64_t>::max();

template <class T>
std::string wrong(const Value& value) {
  const auto result = value.get<T>();
  return result ? "" : result.error().code().message();
}
const std::string kOutOfRange = make_error_code(Errc::kOutOfRange).message();
const std::string kWrongType = make_error_code(Errc::kWrongType).message();
const std::string kIsNull = make_error_code(Errc::kIsNull).message();

TEST(DbValue, IsMadeOfWhatCppHas) {
  EXPECT_EQ(Value().type(), Type::kNull);
  EXPECT_EQ(Value(nullptr).type(), Type::kNull);
  EXPECT_EQ(Value(std::nullopt).type(), Type::kNull);
  EXPECT_EQ(Value(std::optional<int>()).type(), Type::kNull);
  EXPECT_EQ(Value(std::optional<std::string>("x")), Value("x"));
  EXPECT_EQ(Value(std::optional<int>(7)), Value(7));
  EXPECT_EQ(Value(true), Value(1));
  EXPECT_EQ(Value(1.5F), Value(1.5));
  EXPECT_EQ(Value("text"), Value("text"sv));
  EXPECT_EQ(Value("text"sv), Value(std::string("text")));
  EXPECT_EQ(Value(as_bytes("a\0b"sv)).type(), Type::kBytes);
  EXPECT_EQ(Value(Bytes(3)).type(), Type::kBytes);
  EXPECT_NE(Value("a"), Value(as_bytes("a")));
}

TEST(DbValue, OneNumberHasOneForm) {
  EXPECT_EQ(Value(std::uint64_t{7}), Value(std::int8_t{7}));
  EXPECT_EQ(Value(static_cast<std::uint64_t>(kInt64Max)).type(), Type::kInt64);
  EXPECT_EQ(Value(static_cast<std::uint64_t>(kInt64Max) + 1).type(), Type::kUint64);
  EXPECT_EQ(Value(kUint64Max).view().uint64(), kUint64Max);
}

TEST(DbValue, AnIntegerIsReadAsAnyThatHoldsIt) {
  EXPECT_EQ(*Value(127).get<std::int8_t>(), 127);
  EXPECT_EQ(wrong<std::int8_t>(128), kOutOfRange);
  EXPECT_EQ(*Value(-128).get<std::int8_t>(), -128);
  EXPECT_EQ(wrong<std::int8_t>(-129), kOutOfRange);
  EXPECT_EQ(wrong<unsigned>(-1), kOutOfRange);
  EXPECT_EQ(*Value(kInt64Min).get<std::int64_t>(), kInt64Min);
  EXPECT_EQ(*Value(kUint64Max).get<std::uint64_t>(), kUint64Max);
  EXPECT_EQ(wrong<std::int64_t>(kUint64Max), kOutOfRange);
  EXPECT_EQ(*Value(1).get<bool>(), true);
  EXPECT_EQ(*Value(0).get<bool>(), false);
  EXPECT_EQ(wrong<bool>(2), kOutOfRange);
}

TEST(DbValue, AnIntegerIsADoubleWhenNothingIsLost) {
  const std::int64_t exact = std::int64_t{1} << 53U;
  EXPECT_EQ(*Value(exact).get<double>(), 9007199254740992.0);
  EXPECT_EQ(*Value(-exact).get<double>(), -9007199254740992.0);
  EXPECT_EQ(wrong<double>(exact + 1), kOutOfRange);
  EXPECT_EQ(wrong<double>(-exact - 1), kOutOfRange);
  EXPECT_EQ(wrong<double>(kUint64Max), kOutOfRange);
  EXPECT_EQ(*Value(0.25).get<double>(), 0.25);
}

TEST(DbValue, NothingElseConverts) {
  EXPECT_EQ(wrong<int>("7"), kWrongType);
  EXPECT_EQ(wrong<int>(7.0), kWrongType);
  EXPECT_EQ(wrong<double>("7"), kWrongType);
  EXPECT_EQ(wrong<std::string>(7), kWrongType);
  EXPECT_EQ(wrong<std::string>(as_bytes("7")), kWrongType);
  EXPECT_EQ(wrong<Bytes>(7), kWrongType);
}

TEST(DbValue, TextIsReadAsBytesToo) {
  const Value text("a\0b"sv);
  EXPECT_EQ(*text.get<std::string_view>(), "a\0b"sv);
  EXPECT_EQ(*text.get<std::string>(), "a\0b"sv);
  EXPECT_EQ(as_text(*text.get<ByteView>()), "a\0b"sv);
  const Value bytes(as_bytes("\xff\0"sv));
  EXPECT_EQ(as_text(*bytes.get<Bytes>()), "\xff\0"sv);
}

TEST(DbValue, NullIsReadAsAnOptionalOnly) {
  EXPECT_EQ(wrong<int>(nullptr), kIsNull);
  EXPECT_EQ(wrong<std::string>(nullptr), kIsNull);
  EXPECT_EQ(*Value().get<std::optional<int>>(), std::nullopt);
  EXPECT_EQ(*Value(7).get<std::optional<int>>(), 7);
  EXPECT_EQ(wrong<std::optional<int>>("x"), kWrongType);
}

TEST(DbValue, CountsItsBytes) {
  EXPECT_EQ(Value().byte_count(), 8u);
  EXPECT_EQ(Value(7).byte_count(), 8u);
  EXPECT_EQ(Value("").byte_count(), 0u);
  EXPECT_EQ(Value("abc").byte_count(), 3u);
  EXPECT_EQ(Value(Bytes(5)).byte_count(), 5u);
}

TEST(DbValue, ViewsAreEqualWhenTheirValuesAre) {
  const std::vector<Value> values = {nullptr, 7, kUint64Max, 7.0, "7", as_bytes("7")};
  for (std::size_t a = 0; a < values.size(); ++a) {
    for (std::size_t b = 0; b < values.size(); ++b) {
      EXPECT_EQ(values[a].view() == values[b].view(), a == b) << a << ' ' << b;
    }
  }
}

}  // namespace
}  // namespace ssx::db
