// What becomes of messages for those who read slowly: the policies, the bound of all sockets
// together, and messages that are collected.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/websocket/session_fixture.h"

namespace ssx::websocket::test {
namespace {

constexpr std::size_t kLoad = 64 << 10;

/// "3 " for a message that load(3) has made.
std::string numbers(std::string_view shown) {
  std::string all;
  for (std::size_t at = 0; at < shown.size();) {
    const std::size_t end = shown.find('|', at);
    const std::size_t number = shown.find('#', at);
    if (number < end)
      all += shown.substr(number + 1, shown.find(';', number) - number - 1);
    else
      all += shown.substr(at, end - at);
    all += ' ';
    at = end + 1;
  }
  return all;
}

std::string load(int number) {
  std::string text = fmt::format("#{};", number);
  text.resize(kLoad - kHeaderMax, '.');
  return text;
}

class SlowPeer : public WebSocketTest {
 protected:
  using WebSocketTest::WebSocketTest;

  /// `act` runs for whatever the peer says: nothing leaves before it returns.
  Peer begin(Options limits, std::function<void(WebSocketBase&)> act) {
    limits.ping_interval = 0ms;
    Handlers<> handlers = echo.handlers(limits);
    handlers.on_message = [act](auto& socket, const Message&) { act(socket); };
    handlers.on_backpressure = [this](auto&) { events += "high "; };
    handlers.on_drain = [this](auto&) { events += "low "; };
    route("/act", std::move(handlers));
    return open("/act");
  }
  static Options limited(BackpressurePolicy policy, std::size_t high, std::size_t max) {
    Options limits;
    limits.backpressure = {
        .high = high * kLoad, .low = kLoad, .max = max * kLoad, .policy = policy};
    return limits;
  }
  std::uint64_t dropped_by(BackpressurePolicy policy) {
    std::uint64_t others = 0;
    for (const auto& counter : counts().dropped) others += counter.value();
    const std::uint64_t count = counts().dropped_by(policy).value();
    EXPECT_EQ(others, count) << "no other policy";
    return count;
  }
  std::vector<Sent> results;
  std::string events;
  Echo echo;
};

TEST_F(SlowPeer, LosesWhatHasWaitedLongest) {
  Options limits = limited(BackpressurePolicy::kDropOldest, 2, 5);
  limits.backpressure.max += 1000;  // what it takes to keep two
  Peer peer = begin(limits, [this](auto& socket) {
    for (int i = 1; i <= 9; ++i) results.push_back(socket.send(load(i)));
  });
  tell(peer, text("x"));
  EXPECT_EQ(numbers(show(hear(peer))), "1 2 3 8 9 ") << "1 to 3 had left, 4 to 7 made room";
  EXPECT_EQ(results.back(), Sent::kAbove);
  EXPECT_EQ(dropped_by(BackpressurePolicy::kDropOldest), 4U);
  EXPECT_EQ(events, "high low ");
}

TEST_F(SlowPeer, GetsTheLatest) {
  Peer peer = begin(limited(BackpressurePolicy::kLatest, 1, 5), [](auto& socket) {
    for (int i = 1; i <= 9; ++i) socket.send(load(i));
  });
  tell(peer, text("x"));
  EXPECT_EQ(numbers(show(hear(peer))), "1 2 9 ");
  EXPECT_EQ(dropped_by(BackpressurePolicy::kLatest), 6U);
}

TEST_F(SlowPeer, GetsTheLatestOfEachTopic) {
  Peer peer = begin(limited(BackpressurePolicy::kClose, 1, 9), [this](auto& socket) {
    for (const char* topic : {"a", "b"})
      EXPECT_TRUE(socket.subscribe(topic, BackpressurePolicy::kLatest));
    for (int i = 1; i <= 3; ++i) socket.send(load(i));
    WorkerState& state = websockets.worker(0);
    for (const char* name : {"a1", "b1", "a2", "b2", "a3"}) {
      state.deliver(std::string_view(name, 1), PreparedMessage::text(name), nullptr);
    }
  });
  tell(peer, text("x"));
  EXPECT_EQ(numbers(show(hear(peer))), "1 2 3 text b2 text a3 ");
  EXPECT_EQ(dropped_by(BackpressurePolicy::kLatest), 3U) << "the subscription's, not the route's";
}

TEST_F(SlowPeer, IsLeftToTheProgram) {
  Peer peer = begin(limited(BackpressurePolicy::kCallback, 1, 3), [this](auto& socket) {
    for (int i = 1; i <= 5; ++i) results.push_back(socket.send(load(i)));
  });
  tell(peer, text("x"));
  EXPECT_EQ(results, (std::vector<Sent>{Sent::kOk, Sent::kAbove, Sent::kAbove, Sent::kDropped,
                                        Sent::kDropped}));
  EXPECT_EQ(events, "high high high low ") << "once for the mark, once for each that had no room";
  EXPECT_EQ(numbers(show(hear(peer))), "1 2 3 ");
  EXPECT_EQ(dropped_by(BackpressurePolicy::kCallback), 2U);
}

// Also where the mark itself was never passed.
TEST_F(SlowPeer, IsLeftToTheProgramAndToldOfRoom) {
  Peer peer = begin(limited(BackpressurePolicy::kCallback, 3, 3), [this](auto& socket) {
    for (int i = 1; i <= 4; ++i) results.push_back(socket.send(load(i)));
  });
  tell(peer, text("x"));
  EXPECT_EQ(results, (std::vector<Sent>{Sent::kOk, Sent::kOk, Sent::kOk, Sent::kDropped}));
  EXPECT_EQ(events, "high low ");
}

TEST_F(SlowPeer, IsNotPingedWithoutBound) {
  Peer peer = begin(limited(BackpressurePolicy::kDropNewest, 1, 1), [this](auto& socket) {
    do results.push_back(socket.ping(std::string(kControlPayloadMax, 'p')));
    while (results.back() == Sent::kOk);
  });
  tell(peer, text("x"));
  EXPECT_EQ(results.back(), Sent::kDropped);
  EXPECT_EQ(results.size(), kLoad / (2 + kControlPayloadMax) + 2);
}

TEST_F(SlowPeer, IsNotToldOfRoomForWhatFitsNever) {
  Peer peer = begin(limited(BackpressurePolicy::kCallback, 1, 2), [this](auto& socket) {
    results.push_back(socket.send(std::string(2 * kLoad, 'x')));
  });
  tell(peer, text("x"));
  EXPECT_EQ(results, std::vector<Sent>{Sent::kDropped});
  EXPECT_EQ(events, "high ");
}

// A message in fragments is in front of what is published meanwhile, and waits for none of it.
TEST_F(SlowPeer, GoesOnWithAMessageThatOthersWaitBehind) {
  Peer peer = begin(limited(BackpressurePolicy::kClose, 2, 9), [this](auto& socket) {
    ASSERT_TRUE(socket.subscribe("news"));
    ASSERT_TRUE(socket.begin_message(Opcode::kText, as_bytes(std::string(3 * kLoad, '.'))));
    for (int i = 1; i <= 2; ++i)
      websockets.worker(0).deliver("news", PreparedMessage::text(load(i)), nullptr);
  });
  tell(peer, text("x"));
  EXPECT_EQ(hear(peer).size(), 3 * kLoad + 10);
  EXPECT_EQ(events, "high low ");
  Session& session = *websockets.worker(0).first_session_for_test();
  EXPECT_TRUE(session.send_fragment(Opcode::kContinuation, as_bytes("end"), true));
  EXPECT_EQ(numbers(heard(peer)), "more end 1 2 ");
}

TEST_F(SlowPeer, HasRoomForTheRestOfAMessageThatOthersWaitBehind) {
  Peer peer = begin(limited(BackpressurePolicy::kDropNewest, 9, 9), [this](auto& socket) {
    ASSERT_TRUE(socket.subscribe("news"));
    ASSERT_TRUE(socket.begin_message(Opcode::kText, as_bytes("a")));
    for (int i = 1; i <= 9; ++i)
      websockets.worker(0).deliver("news", PreparedMessage::text(load(i)), nullptr);
    EXPECT_TRUE(socket.continue_message(as_bytes(load(0)), true));
  });
  tell(peer, text("x"));
  EXPECT_EQ(numbers(heard(peer)), "text... a 0 1 2 3 4 5 6 7 8 ");
  EXPECT_EQ(dropped_by(BackpressurePolicy::kDropNewest), 1U);
}

TEST_F(SlowPeer, KeepsTheLatestThatFits) {
  Peer peer = begin(limited(BackpressurePolicy::kLatest, 1, 4), [](auto& socket) {
    for (int i = 1; i <= 3; ++i) socket.send(load(i));
    socket.send(std::string(3 * kLoad, 'x'));
  });
  tell(peer, text("x"));
  EXPECT_EQ(numbers(show(hear(peer))), "1 2 3 ");
  EXPECT_EQ(dropped_by(BackpressurePolicy::kLatest), 1U);
}

// on_backpressure may try to say something itself.
TEST_F(SlowPeer, IsToldOnceAtATime) {
  Handlers<> handlers = echo.handlers(limited(BackpressurePolicy::kCallback, 1, 2));
  handlers.on_message = [this](auto& socket, const Message&) {
    for (int i = 1; i <= 4; ++i) results.push_back(socket.send(load(i)));
  };
  handlers.on_backpressure = [this](auto& socket) {
    results.push_back(socket.send(load(9)));
    events += "high ";
  };
  route("/tries", std::move(handlers));
  Peer peer = open("/tries");
  tell(peer, text("x"));
  EXPECT_EQ(events, "high high high ");
  EXPECT_EQ(numbers(show(hear(peer))), "1 2 ");
}

TEST_F(SlowPeer, GetsWhatWaitsBeforeTheEnd) {
  Peer peer = begin(limited(BackpressurePolicy::kDropOldest, 2, 9), [](auto& socket) {
    for (int i = 1; i <= 5; ++i) socket.send(load(i));
    socket.close();
  });
  tell(peer, text("x"));
  EXPECT_EQ(numbers(show(hear(peer))), "1 2 3 4 5 close 1000  ");
  EXPECT_EQ(counts().lost.value(), 0U);
}

// What was promised is counted when the end comes before it: messages that wait for a slow peer, or
// behind one in fragments.
TEST_F(SlowPeer, LosesWhatStillWaitsAtTheEnd) {
  Handlers<> handlers = echo.handlers(limited(BackpressurePolicy::kDropOldest, 2, 9));
  handlers.on_message = [](auto& socket, const Message& message) {
    const bool in_fragments = message.payload == "fragments";
    if (in_fragments) {
      EXPECT_TRUE(socket.subscribe("news"));
      EXPECT_TRUE(socket.begin_message(Opcode::kText, {}));
    }
    for (int i = 1; !in_fragments && i <= 5; ++i) socket.send(load(i));
    if (message.payload == "reset") socket.reset();
  };
  route("/lose", std::move(handlers));
  Peer first = open("/lose");
  tell(first, text("reset"));
  EXPECT_EQ(counts().lost.value(), 2U) << "1 to 3 were the connection's";
  EXPECT_EQ(websockets.worker(0).first_session_for_test(), nullptr);

  Peer second = open("/lose");
  tell(second, text("fragments"));
  WorkerState& state = websockets.worker(0);
  for (int i = 0; i < 3; ++i) state.deliver("news", PreparedMessage::text("news"), nullptr);
  state.first_session_for_test()->close(CloseCode::kNormal, {});
  EXPECT_EQ(say(second, closing(1000)), "text... |close 1000 |");
  EXPECT_EQ(counts().lost.value(), 5U);
}

// Of two that are sent outside a read the system takes all at once: nobody calls on_drain.
TEST_F(SlowPeer, GetsWhatWaitedWhenNothingHeldItUp) {
  std::optional<WebSocketHandle> handle;
  Handlers<> handlers = echo.handlers(
      {.backpressure = {
           .high = 1000, .low = 100, .max = 9000, .policy = BackpressurePolicy::kDropOldest}});
  handlers.on_open = [&handle](auto& socket) { handle = socket.handle(); };
  handlers.on_backpressure = [this](auto&) { events += "high "; };
  handlers.on_drain = [this](auto&) { events += "low "; };
  route("/handle", std::move(handlers));
  Peer peer = open("/handle");
  for (int round = 0; round < 2; ++round) {
    events.clear();
    handle->post([](WebSocketBase& socket) {
      for (int i = 0; i < 3; ++i) socket.send(std::string(600, static_cast<char>('a' + i)));
    });
    const std::string all = heard(peer);
    EXPECT_TRUE(all.ends_with("text " + std::string(600, 'c') + "|")) << round;
    EXPECT_EQ(events, "high low ") << round;
  }
}

// A message that fits exactly, one byte less, one byte more.
TEST_F(SlowPeer, HasRoomUpToTheBound) {
  Handlers<> handlers = echo.handlers(limited(BackpressurePolicy::kDropNewest, 1, 1));
  handlers.on_message = [this](auto& socket, const Message& message) {
    const int beyond = std::stoi(std::string(message.payload));
    results.push_back(
        socket.send(std::string(kLoad - kHeaderMax + static_cast<std::size_t>(beyond), 'x')));
  };
  route("/send", std::move(handlers));
  for (const std::string_view beyond : {"-1", "0", "1"}) {
    Peer peer = open("/send");
    tell(peer, text(beyond));
    (void)hear(peer);
  }
  EXPECT_EQ(results, (std::vector<Sent>{Sent::kOk, Sent::kOk, Sent::kDropped}));
  EXPECT_EQ(dropped_by(BackpressurePolicy::kDropNewest), 1U);
}

TEST_F(SlowPeer, WaitsUntilAMessageInFragmentsIsThrough) {
  Peer peer = begin(limited(BackpressurePolicy::kClose, 2, 5), [this](auto& socket) {
    EXPECT_TRUE(socket.subscribe("news"));
    EXPECT_TRUE(socket.begin_message(Opcode::kText, as_bytes("one")));
    websockets.worker(0).deliver("news", PreparedMessage::text("news"), nullptr);
    EXPECT_TRUE(socket.continue_message(as_bytes("two"), true));
  });
  tell(peer, text("x"));
  EXPECT_EQ(show(hear(peer)), "text... one|more two|text news|");
}

// ---- all sockets together

class AllTogether : public SlowPeer {
 protected:
  AllTogether() : SlowPeer(ServiceOptions{.unsent_max = 4 * kLoad}) {}
};

// Above the bound of all, `low` is the bound of each.
TEST_F(AllTogether, HaveABound) {
  Handlers<> handlers = echo.handlers(limited(BackpressurePolicy::kDropNewest, 99, 99));
  handlers.on_message = [this](auto& socket, const Message& message) {
    const int count = std::stoi(std::string(message.payload));
    for (int i = 1; i <= count; ++i) results.push_back(socket.send(load(i)));
    results.push_back(socket.send("one more"));
  };
  route("/send", std::move(handlers));
  for (const auto& [count, expected] : {std::pair{"4", Sent::kOk}, {"5", Sent::kDropped}}) {
    Peer peer = open("/send");
    tell(peer, text(count));
    EXPECT_EQ(results.back(), expected) << count;
    EXPECT_EQ(counts().unsent_max_hit.value(), expected == Sent::kOk ? 0U : 1U);
    (void)hear(peer);
  }
  Peer peer = open("/send");
  advance(1ms);  // it counts once a turn
  tell(peer, text("4"));
  EXPECT_EQ(results.back(), Sent::kOk) << "what has left counts no more";
}

class MuchTogether : public SlowPeer {
 protected:
  MuchTogether() : SlowPeer(ServiceOptions{.unsent_max = 512 * kLoad}) {}
};

// Whoever is closed for it still has it: all but what the system has taken.
TEST_F(MuchTogether, IsThatOfWhoIsEndingToo) {
  Handlers<> handlers = echo.handlers(limited(BackpressurePolicy::kClose, 9999, 9999));
  handlers.on_message = [this](auto& socket, const Message&) {
    while (socket.is_open()) results.push_back(socket.send(load(0)));
  };
  route("/send", std::move(handlers));
  Peer first = open("/send");
  tell(first, text("x"));
  EXPECT_GT(results.size(), 500U);
  advance(1ms);
  results.clear();
  Peer second = open("/send");
  tell(second, text("x"));
  EXPECT_LT(results.size(), 400U);
}

// ---- collected messages

class DelayedWrites : public SlowPeer {
 protected:
  Peer collect(std::uint32_t messages_max, int count) {
    Options limits;
    limits.delay_write = {.enabled = true, .messages_max = messages_max, .delay = 20ms};
    return begin(limits, [count](auto& socket) {
      for (int i = 1; i <= count; ++i) socket.send(std::to_string(i));
    });
  }
};

TEST_F(DelayedWrites, LeaveAfterATime) {
  Peer peer = collect(10, 3);
  tell(peer, text("x"));
  EXPECT_EQ(heard(peer), "");
  advance(19ms);
  EXPECT_EQ(heard(peer), "");
  advance(2ms);
  EXPECT_EQ(heard(peer), "text 1|text 2|text 3|");
}

// The time of those that have left is not theirs.
TEST_F(DelayedWrites, HaveATimeOfTheirOwn) {
  Peer peer = collect(3, 3);
  tell(peer, text("x"));
  EXPECT_EQ(heard(peer), "text 1|text 2|text 3|");
  advance(19ms);
  websockets.worker(0).first_session_for_test()->send(Opcode::kText, as_bytes("4"));
  advance(2ms);
  EXPECT_EQ(heard(peer), "");
  advance(17ms);
  EXPECT_EQ(heard(peer), "");
  advance(2ms);
  EXPECT_EQ(heard(peer), "text 4|");
}

TEST_F(DelayedWrites, LeaveWhenTheyAreTooLong) {
  Options limits;
  limits.backpressure = {.high = 100, .low = 50};
  limits.delay_write = {.enabled = true, .messages_max = 10, .delay = 20ms};
  Peer peer = begin(limits, [](auto& socket) {
    for (const char letter : {'a', 'b', 'c'}) socket.send(std::string(60, letter));
  });
  tell(peer, text("x"));
  const std::string a = "text " + std::string(60, 'a') + "|",
                    b = "text " + std::string(60, 'b') + "|";
  EXPECT_TRUE(heard(peer).starts_with(a + b));
  EXPECT_EQ(events, "high low ");
}

TEST_F(DelayedWrites, LeaveWhenThereAreEnough) {
  for (const int count : {9, 10, 11}) {
    const std::string path = fmt::format("/{}", count);
    Options limits;
    limits.delay_write = {.enabled = true, .messages_max = 10, .delay = 20ms};
    Handlers<> handlers = echo.handlers(limits);
    handlers.on_message = [count](auto& socket, const Message&) {
      for (int i = 0; i < count; ++i) socket.send("x");
    };
    route(path, std::move(handlers));
  }
  for (const int count : {9, 10, 11}) {
    Peer peer = open(fmt::format("/{}", count));
    tell(peer, text("x"));
    EXPECT_EQ(heard(peer).size(), count < 10 ? 0U : 10 * std::string_view("text x|").size());
    advance(21ms);
    EXPECT_EQ(heard(peer).size(),
              static_cast<std::size_t>(count % 10) * std::string_view("text x|").size());
  }
}

TEST_F(DelayedWrites, LeaveBeforeTheEnd) {
  Options limits;
  limits.delay_write = {.enabled = true};
  Peer peer = begin(limits, [](auto& socket) {
    socket.send("last words");
    socket.close();
  });
  tell(peer, text("x"));
  EXPECT_EQ(heard(peer), "text last words|close 1000 |");
}

TEST_F(DelayedWrites, AreLostWithTheConnection) {
  Peer peer = collect(10, 3);
  tell(peer, text("x"));
  peer.close();
  idle();
  EXPECT_EQ(counts().lost.value(), 3U);
  EXPECT_EQ(counts().open.value(), 0);
  advance(21ms);  // the time of what was collected
}

}  // namespace
}  // namespace ssx::websocket::test
