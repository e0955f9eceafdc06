#include "http/client_rate.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

#include "ssxrver/base/thread.h"
#include "tests/support/manual_clock.h"

namespace ssx::http {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only

net::SocketAddress address(const std::string& ip) { return *net::SocketAddress::parse(ip, 1234); }

TEST(ClientRate, SaysInWholeSecondsWhenToComeBack) {
  const test::ManualClock clock;
  ClientRate rate({1, 60s, 2}, 7);
  const auto client = address("192.0.2.1");
  EXPECT_EQ(rate.take(client, clock.now()), 0s);
  EXPECT_EQ(rate.take(client, clock.now()), 0s);
  EXPECT_EQ(rate.take(client, clock.now()), 60s);
  EXPECT_EQ(rate.take(client, clock.now() + 100ms), 60s);
  EXPECT_EQ(rate.take(client, clock.now() + 59s), 1s);
  EXPECT_EQ(rate.take(client, clock.now() + 59s + 999ms), 1s);
  EXPECT_EQ(rate.take(client, clock.now() + 60s), 0s);
  EXPECT_EQ(rate.take(client, clock.now() + 60s), 60s);
  EXPECT_EQ(rate.forgotten(), 0U);
}

TEST(ClientRate, WithoutAnyEventsIsNoLimit) {
  const test::ManualClock clock;
  ClientRate rate({}, 7);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(rate.take(address("192.0.2.1"), clock.now()), 0s);
}

TEST(ClientRate, IsOneForAllThreads) {
  const test::ManualClock clock;
  ClientRate rate({1, 60s, 1000}, 7);
  std::atomic<int> taken{0};
  std::vector<Thread> threads;
  for (int i = 0; i < 4; ++i) {
    auto thread = Thread::start("asks", std::nullopt, [&] {
      for (int n = 0; n < 500; ++n)
        taken += rate.take(address("192.0.2.1"), clock.now()) == 0s ? 1 : 0;
    });
    ASSERT_TRUE(thread);
    threads.push_back(*std::move(thread));
  }
  for (Thread& thread : threads) thread.join();
  EXPECT_EQ(taken, 1000);
}

TEST(ClientRate, CountsWhomItForgot) {
  const test::ManualClock clock;
  ClientRate rate({1, 60s, 1}, 7, 1);
  for (int i = 0; i < 250; ++i)
    (void)rate.take(address("192.0.2." + std::to_string(i)), clock.now());
  for (int i = 0; i < 250; ++i)
    (void)rate.take(address("198.51.100." + std::to_string(i)), clock.now());
  for (int i = 0; i < 250; ++i)
    (void)rate.take(address("203.0.113." + std::to_string(i)), clock.now());
  EXPECT_GT(rate.forgotten(), 0U);
}

}  // namespace
}  // namespace ssx::http
