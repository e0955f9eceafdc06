#include "websocket/underway.h"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "websocket/worker_state.h"

namespace ssx::websocket {
namespace {

using std::chrono::seconds;

constexpr TimePoint kNow{seconds(1000)};

constexpr FrameLimits kLimits{1000, 1000, 10, 10};

TEST(Underway, IsOverWhenItIsNew) { EXPECT_TRUE(Underway().is_over(kNow)); }

TEST(Underway, IsNotOverWhileAnythingIsLeft) {
  const std::vector<std::function<void(Underway&)>> things = {
      [](Underway& some) { some.parser.emplace(kLimits, Role::kServer, false); },
      [](Underway& some) { some.assembled = std::make_unique<MessageBlock>(); },
      [](Underway& some) { some.handled = std::make_unique<MessageBlock>(); },
      [](Underway& some) { some.opened = kNow; },
      [](Underway& some) { some.pinged = kNow; },
      [](Underway& some) { some.controls_full_at = kNow + Duration(1); },
      [](Underway& some) { some.waiting_since = kNow; },
      [](Underway& some) { some.unanswered_pings = 1; },
      [](Underway& some) {
        some.outbox = std::make_unique<Outbox>();
        some.outbox->push({.own = "later"});
      },
      [](Underway& some) {
        some.outbox = std::make_unique<Outbox>();
        some.outbox->pong = "of the newest ping";
      },
      [](Underway& some) {
        some.outbox = std::make_unique<Outbox>();
        some.outbox->delayed.append_copy(as_bytes("frame"));
      },
  };
  for (std::size_t i = 0; i < things.size(); ++i) {
    Underway some;
    things[i](some);
    EXPECT_FALSE(some.is_over(kNow)) << i;
  }
}

TEST(Underway, WhatIsPastOrEmptyDoesNotCount) {
  Underway some;
  some.controls_full_at = kNow;
  some.outbox = std::make_unique<Outbox>();
  some.taken = 7;
  EXPECT_TRUE(some.is_over(kNow));
}

}  // namespace
}  // namespace ssx::websocket
