#include "ssxrver/net/connection_id.h"

#include <gtest/gtest.h>

namespace ssx::net {
namespace {

TEST(ConnectionId, NamesNothingUntilItIsGiven) {
  const ConnectionId none;
  EXPECT_EQ(none.worker, UINT32_MAX);
  EXPECT_EQ(none.slot, SlotId{});
}

TEST(ConnectionId, IsSmallAndComparesEveryPart) {
  static_assert(sizeof(ConnectionId) == 12);
  const ConnectionId id{1, {2, 3}};
  EXPECT_EQ(id, (ConnectionId{1, {2, 3}}));
  EXPECT_NE(id, (ConnectionId{0, {2, 3}}));
  EXPECT_NE(id, (ConnectionId{1, {0, 3}}));
  EXPECT_NE(id, (ConnectionId{1, {2, 0}}));
}

}  // namespace
}  // namespace ssx::net
