#include "ssxrver/db/typed_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <tuple>

#include "tests/db/rows_of.h"

namespace ssx::db {
namespace {

using testing::ElementsAre;

struct User {
  std::int64_t id = 0;
  std::string name;
  std::optional<std::string> note;
  static constexpr auto db_columns() {
    return std::tuple(column("id", &User::id), column("name", &User::name),
                      column("note", &User::note));
  }
  bool operator==(const User&) const = default;
};

const Rows kUsers =
    rows_of({"note", "id", "more", "name"}, {{nullptr, 1, 0, "ada"}, {"x", 2, 0, "bob"}});

TEST(TypedRows, AStructTakesTheColumnsThatItNames) {
  const auto users = kUsers.as<User>();
  ASSERT_TRUE(users);
  EXPECT_THAT(*users, ElementsAre(User{1, "ada", std::nullopt}, User{2, "bob", "x"}));
  EXPECT_EQ(kUsers[1].as<User>()->name, "bob");
}

TEST(TypedRows, AColumnThatIsNotThereOrDoesNotFitIsAnError) {
  EXPECT_EQ(rows_of({"id", "name"}, {{1, "ada"}}).as<User>().error(), Errc::kNoSuchColumn);
  EXPECT_EQ(rows_of({"id", "name", "note"}, {{1, nullptr, "x"}}).as<User>().error(), Errc::kIsNull);
  EXPECT_EQ(rows_of({"id", "name", "note"}, {{"1", "ada", "x"}}).as<User>().error(),
            Errc::kWrongType);
}

TEST(TypedRows, ATupleTakesAllColumnsInTheirOrder) {
  using Pair = std::tuple<int, std::string>;
  const auto pairs = rows_of({"a", "b"}, {{1, "x"}, {2, "y"}}).as<Pair>();
  ASSERT_TRUE(pairs);
  EXPECT_THAT(*pairs, ElementsAre(Pair(1, "x"), Pair(2, "y")));
  EXPECT_EQ(rows_of({"a"}, {{1}}).as<Pair>().error(), Errc::kNoSuchColumn);
  EXPECT_EQ(rows_of({"a", "b", "c"}, {{1, "x", 2}}).as<Pair>().error(), Errc::kNoSuchColumn);
  EXPECT_EQ(rows_of({"a", "b"}, {{1, "x"}, {2, 3}}).as<Pair>().error(), Errc::kWrongType);
}

TEST(TypedRows, OfNoRowsThereIsNothing) {
  EXPECT_TRUE(rows_of({"id", "name", "note"}, {}).as<User>()->empty());
}

}  // namespace
}  // namespace ssx::db
