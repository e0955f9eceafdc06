#include "ssxrver/sys/name.h"

#include <gtest/gtest.h>

#include "ssxrver/sys/address.h"

namespace ssx::sys {
namespace {

// The files of the system know this one, without any network.
TEST(Name, FindsThisHost) {
  const auto found = resolve_name("localhost", 8);
  ASSERT_TRUE(found) << found.error().message();
  ASSERT_FALSE(found->empty());
  for (const RawAddress& raw : *found) {
    const auto v4 = ipv4_of(raw);
    EXPECT_TRUE(v4 ? v4->bytes[0] == 127 : ipv6_of(raw).has_value());
  }
}

TEST(Name, GivesNoMoreThanAskedFor) {
  const auto found = resolve_name("localhost", 1);
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->size(), 1U);
}

// RFC 6761 6.4: no resolver asks the network for it, or it is told that there is none.
TEST(Name, TellsThatAHostIsNotThere) {
  const auto found = resolve_name("nobody-is-here.invalid", 8);
  ASSERT_FALSE(found);
  EXPECT_TRUE(found.error() == make_error_code(Errc::kNotFound) || found.error().is_errno(EAGAIN))
      << found.error().message();
  EXPECT_STREQ(found.error().where(), "resolve_name");
}

}  // namespace
}  // namespace ssx::sys
