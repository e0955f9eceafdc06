#include "ssxrver/net/error.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "ssxrver/base/error.h"

namespace ssx::net {
namespace {

TEST(NetError, EveryCodeHasAMessageOfItsOwn) {
  std::set<std::string> messages;
  for (int code = 0; code <= static_cast<int>(Errc::kProxyRefused); ++code) {
    const auto message = net_category().message(code);
    EXPECT_NE(message, "unknown net error") << code;
    EXPECT_TRUE(messages.insert(message).second) << message;
  }
  EXPECT_EQ(net_category().message(1000), "unknown net error");
}

TEST(NetError, IsNotMistakenForOneOfAnotherLayer) {
  EXPECT_STREQ(net_category().name(), "ssx.net");
  EXPECT_NE(make_error_code(Errc::kTimedOut), ssx::make_error_code(ssx::Errc::kTimedOut));
  EXPECT_EQ(Error(make_error_code(Errc::kEof), "read").message(), "read: closed by the peer");
}

}  // namespace
}  // namespace ssx::net
