#include "ssxrver/db/rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/db/rows_of.h"

namespace ssx::db {
namespace {

const Rows kUsers =
    rows_of({"id", "name", "note", "id"}, {{1, "ada", nullptr, 11}, {2, "bob", "a \"note\"", 12}});

TEST(DbRows, AreReadByNumberAndByName) {
  ASSERT_EQ(kUsers.size(), 2u);
  EXPECT_EQ(*kUsers[0].get<std::int64_t>("id"), 1);
  EXPECT_EQ(*kUsers[1].get<int>(0), 2);
  EXPECT_EQ(*kUsers[1].get<std::string_view>("name"), "bob");
  EXPECT_EQ(*kUsers[1].get<std::string>(2), "a \"note\"");
  EXPECT_EQ(kUsers[1][3], ValueView::of_int64(12));
}

TEST(DbRows, NullIsAnOptionalThatIsEmpty) {
  EXPECT_EQ(*kUsers[0].get<std::optional<std::string>>("note"), std::nullopt);
  EXPECT_EQ(*kUsers[1].get<std::optional<std::string>>("note"), "a \"note\"");
  EXPECT_EQ(kUsers[0].get<std::string>("note").error(), Errc::kIsNull);
}

TEST(DbRows, WhatCannotBeReadSaysWhy) {
  EXPECT_EQ(kUsers[0].get<int>("ID").error(), Errc::kNoSuchColumn);
  EXPECT_EQ(*kUsers[0].get<int>(3), 11);
  EXPECT_EQ(kUsers[0].get<int>(4).error(), Errc::kNoSuchColumn);
  EXPECT_EQ(kUsers[0].get<int>("name").error(), Errc::kWrongType);
  EXPECT_EQ(rows_of({"n"}, {{300}})[0].get<std::uint8_t>("n").error(), Errc::kOutOfRange);
}

TEST(DbRows, OfTwoColumnsWithOneNameTheFirstIsMeant) {
  EXPECT_EQ(*kUsers.column("id"), 0u);
  EXPECT_EQ(*kUsers[0].get<int>("id"), 1);
}

TEST(DbRows, AreARange) {
  std::string names;
  for (const Row row : kUsers) names += *row.get<std::string_view>("name");
  EXPECT_EQ(names, "adabob");
  EXPECT_EQ(std::ranges::distance(kUsers), 2);
  EXPECT_EQ(std::ranges::distance(Rows()), 0);
}

TEST(DbRows, OnlyIsForOneRow) {
  EXPECT_EQ(rows_of({"n"}, {}).only().error(), Errc::kRowCount);
  const Rows one = rows_of({"n"}, {{7}});
  EXPECT_EQ(*one.only()->get<int>("n"), 7);
  EXPECT_EQ(kUsers.only().error(), Errc::kRowCount);
}

TEST(DbRows, ThoseOfAStatementWithoutAResultHaveNoColumns) {
  const Rows none;
  EXPECT_TRUE(none.empty());
  EXPECT_TRUE(none.columns().empty());
  EXPECT_EQ(none.affected(), 0u);
  EXPECT_EQ(none.last_insert_id(), 0);
  EXPECT_EQ(none.column("id").error(), Errc::kNoSuchColumn);
}

TEST(DbRows, OfEveryTypeComeBackAsTheyWere) {
  const Values values = {nullptr, -5, ~std::uint64_t{0}, 0.5, "t", as_bytes("\xff")};
  const Rows rows = rows_of({"a", "b", "c", "d", "e", "f"}, {values, values});
  for (const Row row : rows) {
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(row[i], values[i].view()) << i;
  }
}

}  // namespace
}  // namespace ssx::db
