#include "ssxrver/app/options.h"

#include <gtest/gtest.h>

namespace ssx {
namespace {

// daemon.shutdown_timeout and daemon.drain_idle_grace of the configuration.
TEST(AppOptions, EndPolitelyWithinHalfAMinute) {
  const AppOptions options;
  EXPECT_EQ(options.shutdown_timeout, std::chrono::seconds(30));
  EXPECT_EQ(options.drain_idle_grace, std::chrono::seconds(5));
  EXPECT_LT(options.drain_idle_grace, options.shutdown_timeout);
}

TEST(AppOptions, ListenNowhereUntilTold) { EXPECT_TRUE(AppOptions().server.listeners.empty()); }

TEST(AppOptions, AgreeOnTheTimeToLinger) {
  const AppOptions options;
  EXPECT_EQ(options.server.connection.linger_timeout, options.http.timeouts.linger);
}

}  // namespace
}  // namespace ssx
