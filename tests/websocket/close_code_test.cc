#include "websocket/close_code.h"

#include <gtest/gtest.h>

namespace ssx::websocket {
namespace {

// RFC 6455 7.4.1, 7.4.2 and the registry: 1004 is reserved, 1005, 1006 and 1015 are never sent.
TEST(CloseCode, MayBeSentWhenItIsDefinedOrAPrograms) {
  for (unsigned number = 0; number <= 0xFFFF; ++number) {
    const bool defined = (number >= 1000 && number <= 1003) || (number >= 1007 && number <= 1014);
    const bool programs = number >= 3000 && number <= 4999;
    EXPECT_EQ(may_be_sent(static_cast<CloseCode>(number)), defined || programs) << number;
  }
}

}  // namespace
}  // namespace ssx::websocket
