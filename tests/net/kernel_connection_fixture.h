// Connections of TCP on the kernel, their loop on this thread, and the far end in the test's hand.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <memory>
#include <string_view>
#include <utility>

#include "ssxrver/base/assert.h"
#include "ssxrver/net/connections.h"
#include "ssxrver/net/linux/kernel_stack.h"
#include "tests/support/raw_client.h"
#include "tests/support/recording_protocol.h"

namespace ssx::net {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only
using test::Hooks;
using test::Record;

class KernelConnectionTest : public testing::Test {
 protected:
  /// Accepted; its far end is `client`, which has sent `before` already.
  Accepted accept(std::string_view before = "") {
    const auto listener = *KernelStack::instance().listen({.port = 0}, {});
    client = test::RawClient::tcp(listener->address().port());
    wait_for(listener->fd());
    auto accepted = listener->accept();
    SSX_ASSERT(accepted.has_value(), accepted.error().message());
    EXPECT_TRUE(client.send(before));
    if (!before.empty()) wait_for(accepted->fd.get());
    return *std::move(accepted);
  }
  void open(Hooks hooks = {}, std::string_view before = "") {
    table.adopt(accept(before), test::record_into(record, std::move(hooks)));
  }
  /// Turns until `done`, for ten seconds at the most.
  template <class Done>
  void run_until(Done done) {
    const TimePoint end = loop->clock().now() + 10s;
    while (!done() && loop->clock().now() < end) loop->run_until_idle();
    EXPECT_TRUE(done()) << record.told().substr(0, 1000);
  }

  static void wait_for(int fd) {
    pollfd readable{.fd = fd, .events = POLLIN, .revents = 0};
    EXPECT_EQ(::poll(&readable, 1, 10'000), 1);
  }

  std::unique_ptr<EventLoop> loop = *EventLoop::create({});
  Connections table{*loop, {}};
  Record record;
  test::RawClient client{-1};
};

}  // namespace ssx::net
