#include "websocket/route.h"

#include <gtest/gtest.h>

namespace ssx::websocket {
namespace {

std::size_t unasked_max(const Options& options) { return Route("/r", options, {}).unasked_max; }

TEST(WebSocketRoute, AsksNobodyBelowTheLeastOfTheMarks) {
  EXPECT_EQ(unasked_max({.backpressure = {.high = 300, .low = 200, .max = 400}}), 200U);
  EXPECT_EQ(unasked_max({.backpressure = {.high = 200, .low = 300, .max = 400}}), 200U);
  EXPECT_EQ(unasked_max({.backpressure = {.high = 400, .low = 300, .max = 200}}), 200U);
}

TEST(WebSocketRoute, AlwaysAsksWhereMessagesAreSplitOrCollected) {
  EXPECT_EQ(unasked_max({.send_fragment_size = 100}), 0U);
  EXPECT_EQ(unasked_max({.delay_write = {.enabled = true}}), 0U);
}

}  // namespace
}  // namespace ssx::websocket
