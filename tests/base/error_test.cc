#include "ssxrver/base/error.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <set>

namespace ssx {
namespace {

TEST(Error, SaysWhereAndWhat) {
  EXPECT_EQ(Error(Errc::kOverflow, "mailbox").message(), "mailbox: limit reached");
  EXPECT_EQ(Error::from_errno(EADDRINUSE, "bind").message(), "bind: Address already in use");
}

TEST(Error, IsErrnoOnlyInTheSystemsCategory) {
  EXPECT_TRUE(Error::from_errno(EPERM, "open").is_errno(EPERM));
  EXPECT_FALSE(Error::from_errno(EPERM, "open").is_errno(ENOENT));
  // kInvalidArgument has the number 1, as has EPERM.
  static_assert(static_cast<int>(Errc::kInvalidArgument) == EPERM);
  EXPECT_FALSE(Error(Errc::kInvalidArgument, "open").is_errno(EPERM));
}

TEST(Error, EveryCodeHasAMessageOfItsOwn) {
  std::set<std::string> messages;
  for (int code = 0; code <= static_cast<int>(Errc::kMalformed); ++code) {
    const auto message = base_category().message(code);
    EXPECT_NE(message, "unknown error") << code;
    EXPECT_TRUE(messages.insert(message).second) << message;
  }
  EXPECT_EQ(base_category().message(99), "unknown error");
  EXPECT_STREQ(base_category().name(), "ssx");
}

TEST(Error, ComparesWithCodes) {
  const Error error(Errc::kClosed, "queue");
  EXPECT_TRUE(error == make_error_code(Errc::kClosed));
  EXPECT_FALSE(error == make_error_code(Errc::kStale));
}

}  // namespace
}  // namespace ssx
