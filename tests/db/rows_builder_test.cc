#include "ssxrver/db/rows_builder.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace ssx::db {
namespace {

using Added = RowsBuilder::Added;

const auto kTwoNames =
    std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"n", "text"});
constexpr std::size_t kCells = 32;  ///< of a row of two, without the text

Added add(RowsBuilder& builder, const std::string& text) {
  return builder.add_row([&text](std::size_t column) {
    return column == 0 ? ValueView::of_int64(7) : ValueView::of_text(text);
  });
}

TEST(RowsBuilder, TakesAsManyRowsAsTheLimitSays) {
  RowsBuilder builder({.rows_max = 2, .bytes_max = 1024}, kTwoNames);
  EXPECT_EQ(add(builder, "a"), Added::kTaken);
  EXPECT_EQ(add(builder, "b"), Added::kTaken);
  EXPECT_EQ(add(builder, "c"), Added::kFull);
  const Rows rows = builder.take();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(*rows[1].get<std::string_view>("text"), "b");
}

TEST(RowsBuilder, ARowOfExactlyAllBytesFits) {
  for (const std::size_t size : {std::size_t{99}, std::size_t{100}}) {
    RowsBuilder builder({.rows_max = 9, .bytes_max = kCells + 100}, kTwoNames);
    EXPECT_EQ(add(builder, std::string(size, 'x')), Added::kTaken) << size;
    EXPECT_EQ(builder.take().byte_count(), kCells + size);
  }
  RowsBuilder builder({.rows_max = 9, .bytes_max = kCells + 100}, kTwoNames);
  EXPECT_EQ(add(builder, std::string(101, 'x')), Added::kTooLarge);
  EXPECT_EQ(builder.size(), 0u);
}

TEST(RowsBuilder, ARowBehindOthersBelongsToTheNextBatch) {
  RowsBuilder builder({.rows_max = 9, .bytes_max = 2 * kCells + 10}, kTwoNames);
  EXPECT_EQ(add(builder, "12345"), Added::kTaken);
  EXPECT_EQ(add(builder, "123456"), Added::kFull);
  EXPECT_EQ(add(builder, "12345"), Added::kTaken);  // nothing of the other was left behind
  const Rows rows = builder.take();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows.byte_count(), 2 * kCells + 10);
  EXPECT_EQ(*rows[1].get<int>("n"), 7);
  EXPECT_EQ(*rows[1].get<std::string_view>("text"), "12345");
}

TEST(RowsBuilder, AStatementWithoutAResultHasNumbersOnly) {
  RowsBuilder builder({});
  builder.set_affected(3);
  builder.set_last_insert_id(-4);
  const Rows rows = builder.take();
  EXPECT_TRUE(rows.columns().empty());
  EXPECT_EQ(rows.affected(), 3u);
  EXPECT_EQ(rows.last_insert_id(), -4);
}

}  // namespace
}  // namespace ssx::db
