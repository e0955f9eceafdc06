#include "ssxrver/db/databases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ssxrver/net/awaitables.h"
#include "tests/db/fake_driver.h"
#include "tests/net/loop_fixture.h"

namespace ssx::db {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only
using testing::ElementsAre;

class DatabasesTest : public net::LoopTest {
 protected:
  FakeDriver& add(std::string name, const PoolOptions& options = {}) {
    auto driver = std::make_unique<FakeDriver>();
    FakeDriver& added = *driver;
    databases.add(std::move(name), std::move(driver), options);
    return added;
  }
  /// Borrows, keeps the connection for a second, and says how it went.
  static Task<> borrow(Pool& pool, std::vector<std::string>& ends) {
    const auto lease = co_await pool.acquire();
    ends.push_back(lease ? "lent" : lease.error().message());
    co_await net::sleep_for(1s);
  }

  void TearDown() override { end_loop(); }

  Databases databases;
  std::vector<std::string> ends;
};

TEST_F(DatabasesTest, FindsWhatWasAddedAndNothingElse) {
  EXPECT_TRUE(databases.empty());
  add("notes");
  add("shop", {.pool_max = 2});
  EXPECT_EQ(databases.size(), 2u);
  ASSERT_NE(databases.find("shop"), nullptr);
  EXPECT_EQ(databases.find("shop")->pool().options().pool_max, 2u);
  EXPECT_NE(databases.find("shop"), databases.find("notes"));
  for (const auto* name : {"", "note", "notess", "Notes"}) {
    EXPECT_EQ(databases.find(name), nullptr) << name;
  }
}

TEST_F(DatabasesTest, ADatabaseStaysWhereItIs) {
  Database& first = databases.add("m", std::make_unique<FakeDriver>(), {});
  for (const char* name : {"a", "z", "b", "y"}) add(name);
  EXPECT_EQ(databases.find("m"), &first);
}

TEST_F(DatabasesTest, ComesInTheOrderOfTheNames) {
  for (const char* name : {"shop", "a", "notes"}) add(name);
  std::vector<std::string> names;
  for (auto& [name, database] : databases) {
    names.push_back(name);
    EXPECT_EQ(&database, databases.find(name));
  }
  EXPECT_THAT(names, ElementsAre("a", "notes", "shop"));
}

TEST_F(DatabasesTest, HoldsAsManyAsMayBe) {
  for (std::size_t i = 0; i < kDatabasesMax; ++i) add("d" + std::to_string(i));
  EXPECT_EQ(databases.size(), kDatabasesMax);
  EXPECT_DEATH(add("more"), "");
}

TEST_F(DatabasesTest, ANameIsThereOnce) {
  add("notes");
  EXPECT_DEATH(add("notes"), "");
  EXPECT_DEATH(add("two words"), "");
}

TEST_F(DatabasesTest, LooksAfterAllPools) {
  FakeDriver& one = add("one", {.pool_min = 1});
  FakeDriver& two = add("two", {.pool_min = 2});
  databases.tend(*loop);
  idle();
  EXPECT_EQ(one.open, 1);
  EXPECT_EQ(two.open, 2);
}

TEST_F(DatabasesTest, CloseShutsEveryPool) {
  FakeDriver& one = add("one", {.pool_max = 1});
  FakeDriver& two = add("two");
  for (auto& [name, database] : databases) start(borrow(database.pool(), ends));
  start(borrow(databases.find("one")->pool(), ends));  // waits for the first
  EXPECT_THAT(std::exchange(ends, {}), ElementsAre("lent", "lent"));
  databases.close();
  idle();
  const std::string shut = "acquire: " + std::string(to_string(Errc::kShutDown));
  EXPECT_THAT(std::exchange(ends, {}), ElementsAre(shut));
  EXPECT_EQ(one.open + two.open, 2);  // what is lent ends when it comes back
  advance(1s);
  EXPECT_EQ(one.open + two.open, 0);
  for (auto& [name, database] : databases) start(borrow(database.pool(), ends));
  EXPECT_THAT(ends, ElementsAre(shut, shut));
}

}  // namespace
}  // namespace ssx::db
