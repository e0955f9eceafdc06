// A loop on this thread whose clock and kernel the test turns.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "ssxrver/net/event_loop.h"
#include "ssxrver/sys/event.h"
#include "tests/support/captured_log.h"
#include "tests/support/fail_at_nth.h"
#include "tests/support/manual_clock.h"
#include "tests/support/sim/virtual_time.h"

namespace ssx::net {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only
using sim::Call;
using sim::CallWatch;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Counts turns while it lives; the loop is never idle meanwhile.
class TurnCounter final : public TurnEnd {
 public:
  explicit TurnCounter(EventLoop& loop) : loop_(loop) { loop_.at_turn_end(*this); }
  int turns = 0;

 private:
  void on_turn_end() override {
    ++turns;
    loop_.at_turn_end(*this);
  }
  EventLoop& loop_;
};

/// A descriptor that is ready until somebody takes what is in it.
class Ready final : public Channel {
 public:
  Ready(EventLoop& loop, std::function<void(Ready&)> then)
      : Ready(loop, *sys::eventfd_create(), std::move(then)) {}
  ~Ready() { loop_.remove(*this); }
  void signal() { ASSERT_TRUE(sys::eventfd_signal(fd())); }
  int calls = 0;

 private:
  Ready(EventLoop& loop, sys::UniqueFd fd, std::function<void(Ready&)> then)
      : Channel(fd.get()), loop_(loop), owned_(std::move(fd)), then_(std::move(then)) {
    EXPECT_TRUE(loop_.add(*this, kReadable));
  }
  void on_ready(Readiness) override {
    ++calls;
    std::ignore = sys::eventfd_take(fd());
    if (then_) then_(*this);
  }
  [[nodiscard]] const char* label() const noexcept override { return "ready"; }

  EventLoop& loop_;
  sys::UniqueFd owned_;
  std::function<void(Ready&)> then_;
};

class EventLoopTest : public testing::Test {
 protected:
  std::unique_ptr<EventLoop> make(LoopOptions with = {}) {
    auto made = EventLoop::create(with, clock);
    EXPECT_TRUE(made.has_value());
    return *std::move(made);
  }
  void post(std::string name) {
    EXPECT_TRUE(loop->post([this, name = std::move(name)] { ran += name; }));
  }
  std::function<void()> note(std::string name) {
    return [this, name = std::move(name)] { ran += name; };
  }
  void idle() { loop->run_until_idle(); }
  void advance(Duration time) {
    clock.advance(time);
    idle();
  }

  test::ManualClock clock;
  sim::VirtualTime virtual_time{clock};
  std::unique_ptr<EventLoop> loop = make();
  std::string ran;
};

class Probe final : public Deadline {
 public:
  int fired = 0;

 private:
  void on_deadline() override { ++fired; }
};

}  // namespace ssx::net
