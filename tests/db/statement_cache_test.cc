#include "ssxrver/db/statement_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ssx::db {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Notes that it was closed.
class Prepared {
 public:
  Prepared(std::vector<std::string>& closed, std::string name)
      : closed_(&closed), name_(std::move(name)) {}
  Prepared(Prepared&& other) noexcept
      : closed_(std::exchange(other.closed_, nullptr)), name_(std::move(other.name_)) {}
  ~Prepared() {
    if (closed_ != nullptr) closed_->push_back(name_);
  }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  std::vector<std::string>* closed_;
  std::string name_;
};

class StatementCacheTest : public testing::Test {
 protected:
  void use(StatementCache<Prepared>& cache, const std::string& sql) {
    Prepared* const known = cache.find(sql);
    EXPECT_EQ((known != nullptr ? *known : cache.insert(sql, Prepared(closed, sql))).name(), sql);
  }
  std::vector<std::string> closed;
};

TEST_F(StatementCacheTest, KeepsAsManyAsTheLimitSays) {
  StatementCache<Prepared> cache(3);
  for (const auto* sql : {"a", "b"}) use(cache, sql);
  EXPECT_EQ(cache.size(), 2u);
  use(cache, "c");
  EXPECT_EQ(cache.size(), 3u);
  EXPECT_THAT(closed, IsEmpty());
  use(cache, "d");
  EXPECT_EQ(cache.size(), 3u);
  EXPECT_THAT(closed, ElementsAre("a"));
}

TEST_F(StatementCacheTest, TheOneThatWasNotUsedForLongestGoes) {
  StatementCache<Prepared> cache(2);
  for (const auto* sql : {"a", "b", "a", "c", "a", "d"}) use(cache, sql);
  EXPECT_THAT(closed, ElementsAre("b", "c"));
}

TEST_F(StatementCacheTest, OfOneTheOtherGoesFirst) {
  StatementCache<Prepared> cache(1);
  for (const auto* sql : {"a", "b", "b", "a"}) use(cache, sql);
  EXPECT_THAT(closed, ElementsAre("a", "b"));
}

TEST_F(StatementCacheTest, WithoutACacheOnlyTheCurrentOneIsKept) {
  StatementCache<Prepared> cache(0);
  for (const auto* sql : {"a", "a", "b"}) use(cache, sql);
  EXPECT_THAT(closed, ElementsAre("a", "a"));
  EXPECT_EQ(cache.size(), 1u);
}

TEST_F(StatementCacheTest, WhatHasToGoCanBeTakenAndClosedByHand) {
  StatementCache<Prepared> cache(2);
  use(cache, "a");
  EXPECT_FALSE(cache.take_surplus());
  use(cache, "b");
  {
    const auto surplus = cache.take_surplus();
    ASSERT_TRUE(surplus);
    EXPECT_EQ(surplus->name(), "a");
    EXPECT_THAT(closed, IsEmpty());
  }
  EXPECT_THAT(closed, ElementsAre("a"));
  EXPECT_FALSE(cache.take_surplus());
  use(cache, "c");
  EXPECT_THAT(closed, ElementsAre("a"));
}

TEST_F(StatementCacheTest, WhatIsTakenIsClosed) {
  StatementCache<Prepared> cache(2);
  for (const auto* sql : {"a", "b"}) use(cache, sql);
  EXPECT_EQ(cache.take("a")->name(), "a");
  EXPECT_FALSE(cache.take("not there"));
  EXPECT_THAT(closed, ElementsAre("a"));
  cache.clear();
  EXPECT_THAT(closed, ElementsAre("a", "b"));
  EXPECT_EQ(cache.find("b"), nullptr);
}

}  // namespace
}  // namespace ssx::db
