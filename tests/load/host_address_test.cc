#include "ssxrver/load/host_address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ssxrver/sys/process.h"

namespace ssx::load {
namespace {

using ::testing::HasSubstr;

TEST(HostAddress, IsALiteral) {
  EXPECT_EQ(find_address("127.0.0.1", 80)->to_string(), "127.0.0.1:80");
  EXPECT_EQ(find_address("::1", 80)->to_string(), "[::1]:80");
}

TEST(HostAddress, RoomIsMadeUpToTheHardLimit) {
  const auto limit = sys::file_limit();
  ASSERT_TRUE(limit);
  EXPECT_TRUE(make_room_for(1));
  if (limit->hard < 4'000'000'000) {
    const auto room = make_room_for(4'000'000'000);
    ASSERT_FALSE(room);
    EXPECT_THAT(room.error().text(), HasSubstr("the hard limit is"));
  }
}

}  // namespace
}  // namespace ssx::load
