#include "http/route_register.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "http/router.h"

namespace ssx::http {
namespace {

Route route(std::uint64_t body_max, std::string name = "GET /") {
  RouteLimits limits;
  limits.body_max = body_max;
  return {nullptr, limits, std::move(name)};
}

TEST(RouteRegister, GivesEqualLimitsOneNumber) {
  RouteRegister shared;
  const auto first = *shared.enter(route(1));
  const auto second = *shared.enter(route(2));
  const auto third = *shared.enter(route(1));
  EXPECT_EQ(first->limits_id, 1);
  EXPECT_EQ(second->limits_id, 2);
  EXPECT_EQ(third->limits_id, 1);
  ASSERT_EQ(shared.limits().size(), 2u);
  EXPECT_EQ(shared.limits()[1].body_max, 2u);
}

TEST(RouteRegister, GivesLabelsThatOutliveTheirRoutes) {
  RouteRegister shared;
  const char* const label = (*shared.enter(route(1, "GET /a")))->label;
  EXPECT_STREQ(label, "GET /a");
  EXPECT_EQ((*shared.enter(route(2, "GET /a")))->label, label);
}

TEST(RouteRegister, HasAsManyNumbersAsASessionCanRemember) {
  constexpr std::uint64_t kMost = std::numeric_limits<LimitsId>::max();
  RouteRegister shared;
  for (std::uint64_t i = 1; i < kMost; ++i) ASSERT_TRUE(shared.enter(route(i)));
  ASSERT_TRUE(shared.enter(route(kMost)));
  const auto refused = shared.enter(route(kMost + 1));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), ssx::Errc::kOverflow);
  EXPECT_EQ((*shared.enter(route(kMost)))->limits_id, kMost);
}

TEST(RouteRegister, TakesBackWhatNobodyWasGiven) {
  RouteRegister shared;
  (void)*shared.enter(route(1));
  const std::size_t count = shared.limits().size();
  EXPECT_EQ((*shared.enter(route(2)))->limits_id, 2);
  EXPECT_EQ((*shared.enter(route(1)))->limits_id, 1);
  shared.take_back(count);
  EXPECT_EQ(shared.limits().size(), 1u);
  EXPECT_EQ((*shared.enter(route(3)))->limits_id, 2);
  EXPECT_EQ((*shared.enter(route(2)))->limits_id, 3);
  EXPECT_EQ((*shared.enter(route(1)))->limits_id, 1);
}

// A number that a session remembers means the same in every table that follows.
TEST(RouteRegister, MakesNumbersGoodForLaterTables) {
  const auto shared = std::make_shared<RouteRegister>();
  Params params;
  LimitsId id = 0;
  {
    Router first(shared);
    ASSERT_TRUE(first.add("", {Method::kGet}, "/", route(1)));
    ASSERT_TRUE(first.add("", {Method::kPut}, "/", route(2)));
    id = first.match("", Method::kPut, "/", params).route->limits_id;
  }
  Router second(shared);
  ASSERT_TRUE(second.add("", {Method::kGet}, "/", route(3)));
  EXPECT_EQ(second.limits(id).body_max, 2u);
  EXPECT_EQ(second.limits(second.match("", Method::kGet, "/", params).route->limits_id).body_max,
            3u);
}

TEST(RouteRegister, MakesRoutesForSeveralTables) {
  const auto shared = std::make_shared<RouteRegister>();
  const auto entered = *shared->enter(route(1));
  Params params;
  for (int i = 0; i < 2; ++i) {
    Router table(shared);
    ASSERT_TRUE(table.add_shared("", {Method::kGet}, "/", entered));
    EXPECT_EQ(table.match("", Method::kGet, "/", params).route, entered.get());
  }
}

}  // namespace
}  // namespace ssx::http
