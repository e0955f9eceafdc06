#include "http/held_routes.h"

#include <gtest/gtest.h>

namespace ssx::http {
namespace {

TEST(HeldRoutes, LetGoOfTheirTableWithTheLastReference) {
  auto table = std::make_shared<const Router>();
  const std::weak_ptr<const Router> life = table;
  LocalRef<HeldRoutes> worker(new HeldRoutes(std::move(table)));
  LocalRef<HeldRoutes> request = worker;
  EXPECT_EQ(&worker->router(), life.lock().get());
  worker = {};
  EXPECT_FALSE(life.expired());
  request = {};
  EXPECT_TRUE(life.expired());
}

}  // namespace
}  // namespace ssx::http
