// What leaves in other ways than as a whole message: fragments beyond the bound, and files.
#include <gtest/gtest.h>

#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/sim/kernel.h"
#include "tests/websocket/session_fixture.h"

namespace ssx::websocket::test {
namespace {

class SessionSend : public WebSocketTest {
 protected:
  static constexpr std::size_t kMax = 1000;
  static constexpr std::size_t kFits = kMax - kHeaderMax;  ///< when nothing else waits

  /// `act` runs for whatever the peer says: nothing leaves before it returns.
  void serve(BackpressurePolicy policy, std::size_t high = kMax) {
    Handlers<> handlers =
        echo.handlers({.backpressure = {.high = high, .low = 10, .max = kMax, .policy = policy}});
    handlers.on_message = [this](auto& socket, const Message&) { act(socket); };
    route("/act", std::move(handlers));
  }
  /// What a peer of its own hears.
  std::string run(std::function<void(WebSocketBase&)> wanted) {
    act = std::move(wanted);
    Peer peer = open("/act");
    return say(peer, text("x"));
  }
  static std::string load(std::size_t size) { return std::string(size, '.'); }

  std::function<void(WebSocketBase&)> act;
  Echo echo;
};

// ---- whole messages

// With `low` 0 every message has to ask whether it may be sent.
TEST_F(SessionSend, SaysAndCountsTheSameWhetherOrNotItHadToAsk) {
  for (const std::size_t low : {std::size_t{0}, std::size_t{1} << 20}) {
    Handlers<> handlers = echo.handlers({.backpressure = {.low = low}});
    handlers.on_message = [this](auto& socket, const Message&) { act(socket); };
    route("/low" + std::to_string(low), std::move(handlers));
  }
  for (const std::size_t size : {0, 1, 125, 126, 65535, 65536}) {
    for (const char* const target : {"/low0", "/low1048576"}) {
      const std::uint64_t messages = counts().messages_out.value();
      const std::uint64_t bytes = counts().bytes_out.value();
      act = [size](auto& socket) {
        EXPECT_EQ(socket.send(load(size)), Sent::kOk);
        EXPECT_EQ(socket.send_binary(as_bytes(load(size))), Sent::kOk);
      };
      Peer peer = open(target);
      EXPECT_EQ(say(peer, text("x")), "text " + load(size) + "|binary " + load(size) + "|")
          << target << ' ' << size;
      EXPECT_EQ(counts().messages_out.value() - messages, 2U) << target;
      EXPECT_EQ(counts().bytes_out.value() - bytes, 2 * size) << target;
    }
  }
}

// What waits for the system must not be what the next peer says.
TEST_F(SessionSend, GivesLongMessagesBackWholeWhateverTheSystemTakes) {
  route("/echo", echo.handlers());
  std::vector<Peer> peers;
  for (int i = 0; i < 3; ++i) peers.push_back(open("/echo"));
  ssx::sim::FaultPlan plan;
  plan.random(3, {.short_counts = 500, .again = 300});
  for (int i = 0; i < 20; ++i) {
    for (const std::size_t size : {4095, 4096, 4097, 60000}) {
      const std::string a(size, 'a');
      const std::string b(size, 'b');
      tell(peers[0], text(a) + text(b));
      tell(peers[1], text(b));
      tell(peers[2], text(a));
      EXPECT_TRUE(heard(peers[0]) == "text " + a + "|text " + b + "|") << size;
      EXPECT_TRUE(heard(peers[1]) == "text " + b + "|") << size;
      EXPECT_TRUE(heard(peers[2]) == "text " + a + "|") << size;
    }
  }
  EXPECT_GT(plan.faults(), 100u);
}

// ---- fragments

TEST_F(SessionSend, BeginsNoMessageThatDoesNotFit) {
  serve(BackpressurePolicy::kDropNewest);
  for (const std::size_t size : {kFits - 1, kFits, kFits + 1}) {
    const bool fits = size <= kFits;
    const std::string said = run([size, fits](auto& socket) {
      EXPECT_EQ(socket.begin_message(Opcode::kText, as_bytes(load(size))), fits);
      EXPECT_TRUE(socket.is_open());
    });
    EXPECT_EQ(said, fits ? "text... " + load(size) + "|" : "") << size;
  }
  EXPECT_EQ(counts().dropped_by(BackpressurePolicy::kDropNewest).value(), 1U);
  EXPECT_EQ(failed(Errc::kSendQueueFull), 0U);
  EXPECT_EQ(run([](auto& socket) {
              EXPECT_FALSE(socket.begin_message(Opcode::kText, as_bytes(load(kMax))));
              EXPECT_EQ(socket.send("whole"), Sent::kOk) << "no message has begun";
            }),
            "text whole|");
}

TEST_F(SessionSend, ClosesForAMessageThatDoesNotFitWhereThatIsThePolicy) {
  serve(BackpressurePolicy::kClose);
  EXPECT_EQ(run([](auto& socket) {
              EXPECT_FALSE(socket.begin_message(Opcode::kText, as_bytes(load(kFits + 1))));
              EXPECT_FALSE(socket.is_open());
            }),
            "close 1013 reads too slowly|");
  EXPECT_EQ(failed(Errc::kSendQueueFull), 1U);
  EXPECT_EQ(echo.ends, std::vector<std::string>{"1013 reads too slowly"});
}

TEST_F(SessionSend, TellsOfAMessageThatDoesNotFitWhereThatIsThePolicy) {
  Handlers<> handlers = echo.handlers(
      {.backpressure = {
           .high = kMax, .low = 10, .max = kMax, .policy = BackpressurePolicy::kCallback}});
  handlers.on_message = [](auto& socket, const Message&) {
    EXPECT_FALSE(socket.begin_message(Opcode::kText, as_bytes(load(kFits + 1))));
  };
  int told = 0;
  handlers.on_backpressure = [&told](auto&) { ++told; };
  route("/told", std::move(handlers));
  Peer peer = open("/told");
  EXPECT_EQ(say(peer, text("x")), "");
  EXPECT_EQ(told, 1);
  EXPECT_EQ(counts().dropped_by(BackpressurePolicy::kCallback).value(), 1U);
}

// A message with a hole is none: whatever the policy, the socket ends.
TEST_F(SessionSend, ClosesWhenTheRestOfAMessageDoesNotFit) {
  serve(BackpressurePolicy::kDropNewest);
  constexpr std::size_t kFirst = 100;
  constexpr std::size_t kRest = kFits - kFirst - 2;  // the first has a header of two bytes
  const std::string begun = "text... " + load(kFirst) + "|";
  for (const std::size_t size : {kRest - 1, kRest, kRest + 1}) {
    const bool fits = size <= kRest;
    const std::string said = run([size, fits](auto& socket) {
      EXPECT_TRUE(socket.begin_message(Opcode::kText, as_bytes(load(kFirst))));
      EXPECT_EQ(socket.continue_message(as_bytes(load(size)), true), fits);
      EXPECT_EQ(socket.is_open(), fits);
    });
    EXPECT_EQ(said, begun + (fits ? "more " + load(size) + "|" : "close 1013 reads too slowly|"));
  }
  EXPECT_EQ(failed(Errc::kSendQueueFull), 1U);
  EXPECT_EQ(counts().messages_out.value(), 2U) << "half a message is none";
}

TEST_F(SessionSend, BeginsNoMessageInFrontOfThoseThatWait) {
  serve(BackpressurePolicy::kDropOldest, 100);
  const std::string said = run([](auto& socket) {
    EXPECT_EQ(socket.send(load(200)), Sent::kAbove);
    EXPECT_EQ(socket.send("waits"), Sent::kAbove);
    EXPECT_FALSE(socket.begin_message(Opcode::kText, as_bytes(std::string_view("first"))));
    EXPECT_EQ(socket.send("waits too"), Sent::kAbove);
  });
  EXPECT_EQ(said, "text " + load(200) + "|text waits|text waits too|");
  EXPECT_EQ(counts().dropped_by(BackpressurePolicy::kDropOldest).value(), 1U);
}

// ---- files

struct OpenFile : LocalShared {
  OpenFile() : file(std::tmpfile()) {
    std::fputs("of a file", file);
    std::fflush(file);
  }
  ~OpenFile() override { std::fclose(file); }
  std::FILE* file;
};

FileSlice some_file() {
  LocalRef<OpenFile> kept(new OpenFile);
  const int fd = fileno(kept->file);
  return {fd, 0, 9, std::move(kept)};
}

TEST_F(SessionSend, SendsNoFileInFrontOfMessagesThatWait) {
  serve(BackpressurePolicy::kDropOldest, 100);
  Sent in_front{}, later{};
  act = [&in_front](auto& socket) {
    EXPECT_EQ(socket.send(load(200)), Sent::kAbove);
    EXPECT_EQ(socket.send("waits"), Sent::kAbove);
    in_front = socket.send_file(some_file());
  };
  Peer peer = open("/act");
  EXPECT_EQ(say(peer, text("x")), "text " + load(200) + "|text waits|");
  EXPECT_EQ(in_front, Sent::kDropped);
  EXPECT_EQ(counts().dropped_by(BackpressurePolicy::kDropOldest).value(), 1U);
  act = [&later](auto& socket) { later = socket.send_file(some_file()); };
  EXPECT_EQ(say(peer, text("x")), "binary of a file|");
  EXPECT_EQ(later, Sent::kOk);
}

TEST_F(SessionSend, SendsNoFileWithinAMessage) {
  serve(BackpressurePolicy::kDropNewest);
  EXPECT_EQ(run([](auto& socket) {
              EXPECT_TRUE(socket.begin_message(Opcode::kText, as_bytes(std::string_view("a"))));
              EXPECT_EQ(socket.send_file(some_file()), Sent::kDropped);
              EXPECT_TRUE(socket.continue_message(as_bytes(std::string_view("b")), true));
            }),
            "text... a|more b|");
}

// ---- topics

TEST_F(SessionSend, KnowsItsTopics) {
  serve(BackpressurePolicy::kClose);
  run([](auto& socket) {
    EXPECT_FALSE(socket.is_subscribed("a"));
    EXPECT_TRUE(socket.subscribe("a"));
    EXPECT_TRUE(socket.is_subscribed("a"));
    EXPECT_FALSE(socket.is_subscribed("b"));
    EXPECT_TRUE(socket.unsubscribe("a"));
    EXPECT_FALSE(socket.is_subscribed("a"));
    EXPECT_FALSE(socket.unsubscribe("a"));
  });
}

}  // namespace
}  // namespace ssx::websocket::test
