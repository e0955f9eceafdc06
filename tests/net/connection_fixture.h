// A table of connections in memory, on a loop whose clock the test turns.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "ssxrver/net/connections.h"
#include "ssxrver/net/error.h"
#include "ssxrver/net/event_loop.h"
#include "tests/support/manual_clock.h"
#include "tests/support/memory_net.h"
#include "tests/support/recording_protocol.h"

namespace ssx::net {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only
using test::Hooks;
using test::MemoryPeer;
using test::Record;

class ConnectionTest : public testing::Test {
 protected:
  /// A new connection; what happens to it is in `record` (the fixture's, unless another is given).
  MemoryPeer open(Hooks hooks = {}) { return open(record, std::move(hooks)); }
  MemoryPeer open(Record& into, Hooks hooks = {}) {
    auto pair = wire.pair();
    connections().adopt(std::move(pair.accepted), test::record_into(into, std::move(hooks)));
    return std::move(pair.peer);
  }
  /// Runs until nothing happens any more.
  void idle() { loop->run_until_idle(); }
  void advance(Duration time) {
    clock.advance(time);
    idle();
  }
  [[nodiscard]] Connection& connection() { return *record.connection; }
  /// Made at its first use, with `options`.
  Connections& connections() {
    if (table == nullptr) table = std::make_unique<Connections>(*loop, options);
    return *table;
  }
  [[nodiscard]] const Counters& counters() { return connections().counters(); }
  /// As from another part of the program: outside every callback of the connection.
  template <class Function>
  void later(Function function) {
    loop->post(std::move(function));
    idle();
  }

  test::ManualClock clock;
  test::MemoryNet wire;
  std::unique_ptr<EventLoop> loop = *EventLoop::create({}, clock, wire.make_poller());
  ConnectionOptions options;
  Record record;
  std::unique_ptr<Connections> table;
};

inline std::error_code code(Errc errc) { return make_error_code(errc); }

}  // namespace ssx::net
