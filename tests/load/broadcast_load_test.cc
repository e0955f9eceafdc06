// A publisher and its audience, against servers that do as a test wants.
#include "ssxrver/load/broadcast_load.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "ssxrver/load/ws_command.h"
#include "tests/load/fake_server.h"
#include "tests/load/measured.h"
#include "tests/load/ws_visit.h"
#include "tests/support/reserved_port.h"

namespace ssx::load {
namespace {

using ssx::test::ReservedPort;
using std::chrono::milliseconds;
using test::client_frame_bytes;
using test::count;
using test::expect_all_well;
using test::FakeServer;
using test::frame;
using test::measured;
using test::seconds;
using test::shake_hands;
using test::Visit;

/// Counts what was published; who listens waits for the next.
class Desk {
 public:
  void publish() {
    const std::lock_guard lock(mutex_);
    ++count_;
    changed_.notify_all();
  }
  void end() {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
    changed_.notify_all();
  }
  /// False: there will be none.
  bool wait_beyond(std::uint64_t seen) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return has_ended_ || count_ > seen; });
    return !has_ended_;
  }
  std::uint64_t count() {
    const std::lock_guard lock(mutex_);
    return count_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t count_ = 0;
  bool has_ended_ = false;
};

class Broadcasts : public testing::Test {
 protected:
  Outcome run(const FakeServer& server) {
    return run(server.address().to_string(), milliseconds(200), milliseconds(20));
  }
  /// Nothing is before the window, so that what happens once is counted whenever it does.
  Outcome run_from_the_start(const FakeServer& server, Duration time) {
    return run(server.address().to_string(), time, Duration::zero());
  }
  Outcome run(const std::string& address, Duration time, Duration warm_up) {
    options.url = "ws://" + address + "/";
    const auto plan = make_plan(options);
    EXPECT_TRUE(plan) << plan.error().text();
    const auto make_load = [&plan](net::EventLoop& loop, std::uint32_t) {
      return std::make_unique<BroadcastLoad>(loop, *plan);
    };
    return measured(
        *plan, make_load, time, [](const Progress&) {}, warm_up);
  }
  /// All that was due is of four listeners each time; some was before the window.
  void expect_all_that_was_due(const Outcome& outcome, TimePoint begin) const {
    const double elapsed = seconds(SystemClock::instance().now() - begin);
    EXPECT_GE(outcome.tally.begun(), 4 * (options.rate * seconds(outcome.window) - 1));
    EXPECT_LE(outcome.tally.begun(), 4 * (options.rate * elapsed + 1));
  }
  [[nodiscard]] std::string message() const { return frame(std::string(options.size, 'e')); }
  /// Who comes first is the publisher; the others are sent each message until `stay` is over.
  void serve(Visit& visit, Duration stay = std::chrono::hours(1)) {
    std::uint64_t seen = desk.count();  // from the handshake on it misses nothing
    if (!shake_hands(visit)) return;
    if (visit.number() == 0) {
      while (visit.read_bytes(client_frame_bytes(options.size))) {
        desk.publish();
        visit.send(message());  // as servers do that do not know who has sent it
      }
      return desk.end();
    }
    const TimePoint end = SystemClock::instance().now() + stay;
    for (; desk.wait_beyond(seen); ++seen) {
      if (SystemClock::instance().now() > end) return;
      visit.send(message());
    }
  }

  Desk desk;
  WsOptions options = [] {
    WsOptions made;
    made.connections = 4;
    made.size = 16;
    made.broadcast = true;
    return made;
  }();
};

TEST_F(Broadcasts, SendTheNextWhenAllHaveTheLast) {
  const FakeServer server([this](Visit& visit) { serve(visit); });
  const Outcome outcome = run(server);
  expect_all_well(outcome);
  EXPECT_EQ(outcome.tally.requests % 4, 0U);
  EXPECT_EQ(server.visits(), 5);
}

TEST_F(Broadcasts, HaveARate) {
  options.rate = 100;
  const FakeServer server([this](Visit& visit) { serve(visit); });
  const TimePoint begin = SystemClock::instance().now();
  const Outcome outcome = run(server);
  expect_all_that_was_due(outcome, begin);
  expect_all_well(outcome);
}

TEST_F(Broadcasts, CountWhoIsLostAndComesBack) {
  const FakeServer server([this](Visit& visit) {
    serve(visit, visit.number() == 2 ? Duration(milliseconds(50)) : std::chrono::hours(1));
  });
  const Outcome outcome = run_from_the_start(server, milliseconds(600));
  EXPECT_GT(outcome.tally.answered, 10U);
  EXPECT_EQ(count(outcome, Failure::kClosed), outcome.tally.failed());
  EXPECT_EQ(outcome.tally.failed(), 1U);
  EXPECT_EQ(server.visits(), 6);
}

TEST_F(Broadcasts, GiveUpWhoIsSentNothing) {
  options.timeout = 0.5;
  const FakeServer server([this](Visit& visit) {
    if (visit.number() != 3) return serve(visit);
    if (shake_hands(visit)) (void)visit.read_bytes(1);
  });
  const Outcome outcome = run_from_the_start(server, milliseconds(900));
  EXPECT_GT(outcome.tally.answered, 0U);
  EXPECT_EQ(count(outcome, Failure::kTimeout), 1U);
}

TEST_F(Broadcasts, CountThatNobodyIsThere) {
  const ReservedPort nobody;
  const Outcome outcome =
      run("127.0.0.1:" + std::to_string(nobody.number()), milliseconds(200), milliseconds(20));
  EXPECT_EQ(outcome.tally.answered, 0U);
  EXPECT_GT(count(outcome, Failure::kConnect), 4U) << "of four listeners and a publisher";
  EXPECT_EQ(outcome.tally.refusal, ECONNREFUSED);
}

TEST_F(Broadcasts, CountThatTheyAreNotLetIn) {
  const FakeServer server([](Visit& visit) {
    if (!visit.read_request().empty()) visit.send("HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n");
  });
  const Outcome outcome = run(server);
  EXPECT_GT(count(outcome, Failure::kStatus), 4U);
  EXPECT_EQ(outcome.tally.answered, 0U);
}

TEST_F(Broadcasts, CountWhoIsLeftWaitingAtTheDoor) {
  options.timeout = 0.05;
  const FakeServer server([](Visit& visit) { (void)visit.read_bytes(1 << 20); });
  const Outcome outcome = run(server);
  EXPECT_GT(count(outcome, Failure::kTimeout), 4U);
  EXPECT_EQ(outcome.tally.standing, 0U);
}

TEST_F(Broadcasts, BringInWhoWasNotLetInAtFirst) {
  const FakeServer server([this](Visit& visit) {
    if (visit.number() == 2) return;
    serve(visit);
  });
  const Outcome outcome = run(server);
  EXPECT_GT(outcome.tally.answered, 10U);
  EXPECT_EQ(outcome.tally.standing, 5U);
  EXPECT_EQ(server.visits(), 6);
}

TEST_F(Broadcasts, CountWhatTheServerWasTooSlowToTake) {
  options.rate = 200;
  options.size = 8 << 20;
  const FakeServer server([](Visit& visit) {
    if (shake_hands(visit)) visit.pause(std::chrono::hours(1));
  });
  const TimePoint begin = SystemClock::instance().now();
  const Outcome outcome = run(server);
  expect_all_that_was_due(outcome, begin);
  EXPECT_GT(outcome.tally.unsent, 40U);
}

}  // namespace
}  // namespace ssx::load
