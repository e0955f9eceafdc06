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
  EXPECT_TRUE(make_room_for(1, 1));
  if (limit->hard < 4'000'000'000) {
    const auto room = make_room_for(4'000'000'000, 1);
    ASSERT_FALSE(room);
    EXPECT_THAT(room.error().text(), HasSubstr("the hard limit is"));
  }
}

TEST(HostAddress, RoomIsMadeForLoopsToo) {
  const auto before = sys::file_limit();
  ASSERT_TRUE(before);
  ASSERT_TRUE(sys::set_file_limit({128, before->hard}));
  EXPECT_TRUE(make_room_for(34, 10));
  EXPECT_EQ(sys::file_limit()->soft, 128U);  // 34 and 30 and 64
  EXPECT_TRUE(make_room_for(32, 11));
  EXPECT_EQ(sys::file_limit()->soft, 129U);
  EXPECT_TRUE(sys::set_file_limit(*before));
}

TEST(HostAddress, ASourceIsOneOfThisMachine) {
  const auto here = *net::SocketAddress::parse("127.0.0.1", 80);
  const auto why_not = [&here](const char* text) {
    const auto source = find_source(text, here);
    return source ? source->to_string() : source.error();
  };
  EXPECT_EQ(why_not("127.0.0.9"), "127.0.0.9:0");
  EXPECT_EQ(why_not("here"), "is no address");
  EXPECT_EQ(why_not("::1"), "is of another family than 127.0.0.1:80");
  EXPECT_EQ(why_not("203.0.113.1"), "Cannot assign requested address");
}

}  // namespace
}  // namespace ssx::load
