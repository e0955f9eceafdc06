#include "ssxrver/app/listen_error.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <string>

#include "ssxrver/net/error.h"

namespace ssx {
namespace {

StartupError explain(int error, std::string where = "127.0.0.1:80") {
  return explain_listen_failure({Error::from_errno(error, "bind"), std::move(where)});
}
void expect_says(const StartupError& error, ExitCode code, std::string_view what) {
  EXPECT_EQ(error.code(), code);
  EXPECT_EQ(error.sentences().size(), 1u);
  EXPECT_NE(error.text().find(what), std::string::npos) << error.text();
}

TEST(ListenError, TellsThatThePortIsInUse) {
  expect_says(explain(EADDRINUSE), ExitCode::kUnavailable, "127.0.0.1:80 is in use: stop");
  expect_says(explain(EADDRINUSE, "unix:/run/x"), ExitCode::kUnavailable, "unix:/run/x is in use");
}

TEST(ListenError, TellsWhichRightIsMissing) {
  for (const int error : {EACCES, EPERM}) {
    expect_says(explain(error), ExitCode::kNoPermission, "no right to listen on 127.0.0.1:80");
    expect_says(explain(error), ExitCode::kNoPermission, "CAP_NET_BIND_SERVICE");
    const StartupError unix_socket = explain(error, "unix:/run/x");
    expect_says(unix_socket, ExitCode::kNoPermission, "folder must be writable");
    EXPECT_EQ(unix_socket.text().find("1024"), std::string::npos);
  }
}

TEST(ListenError, TellsThatTheAddressIsNotOurs) {
  expect_says(explain(EADDRNOTAVAIL, "192.0.2.1:80"), ExitCode::kUnavailable,
              "no interface of this machine has this address");
}

TEST(ListenError, TellsThatTheAddressIsNone) {
  const Error error(make_error_code(net::Errc::kBadAddress), "listen");
  expect_says(explain_listen_failure({error, "nonsense:80"}), ExitCode::kConfig,
              "nonsense:80 is not an address");
}

TEST(ListenError, TellsWhatTheSystemSaysOtherwise) {
  expect_says(explain(ENOENT, "unix:/no/x"), ExitCode::kUnavailable, "cannot listen on unix:/no/x");
  expect_says(explain(EMFILE, ""), ExitCode::kSystem, "cannot start: ");
}

}  // namespace
}  // namespace ssx
