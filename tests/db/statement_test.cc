#include "ssxrver/db/statement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace ssx::db {
namespace {

using testing::ElementsAre;

TEST(Statement, KeepsItsTextAndItsParametersApart) {
  const std::string evil = "'; DROP TABLE user; --";
  const Statement statement("SELECT ?, ?, ?", 7, evil, std::optional<int>());
  EXPECT_EQ(statement.sql, "SELECT ?, ?, ?");
  EXPECT_THAT(statement.parameters, ElementsAre(Value(7), Value(evil), Value()));
}

TEST(Statement, IsMadeOfAListAsWell) {
  const Statement statement("SELECT ?", Values{1});
  EXPECT_EQ(statement, Statement("SELECT ?", 1));
  EXPECT_EQ(Statement("SELECT 1").parameters.size(), 0u);
}

TEST(Statement, CountsTextAndParameters) {
  EXPECT_EQ(Statement("SELECT ?", "abc").byte_count(), 11u);
  EXPECT_EQ(Statement("SELECT ?, ?", 1, nullptr).byte_count(), 27u);
}

TEST(Statement, ATextWithANulByteIsRefusedAndItsPlaceNamed) {
  EXPECT_TRUE(check_text(""));
  EXPECT_TRUE(check_text("SELECT 1"));
  for (const std::size_t place : {0U, 1U, 8U}) {
    std::string sql = "SELECT 1;";
    sql[place] = '\0';
    const auto taken = check_text(sql);
    ASSERT_FALSE(taken) << place;
    EXPECT_EQ(taken.error(), Errc::kSyntax);
    EXPECT_EQ(taken.error().text(),
              "a NUL byte stands in the statement, at byte " + std::to_string(place));
  }
}

}  // namespace
}  // namespace ssx::db
