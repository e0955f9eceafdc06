// Peers that read nothing, and handlers that end what calls them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "ssxrver/net/awaitables.h"
#include "tests/support/full_size.h"
#include "tests/websocket/session_fixture.h"

namespace ssx::websocket::test {
namespace {

// ---- C07: one stuck reader among many

struct Stuck {
  const char* name;
  BackpressurePolicy policy;
  const char* end;  ///< what it is told in the end; "" = it stays
};

class StuckReader : public WebSocketTest, public testing::WithParamInterface<Stuck> {
 protected:
  static constexpr std::size_t kMax = 64 << 10;

  static std::string message(int number) {
    std::string text = std::to_string(number) + " ";
    text.resize(1024, '.');
    return text;
  }
  Echo echo;
};

TEST_P(StuckReader, C07HoldsNobodyUp) {
  const int readers = ssx::test::full_size(100, 1000);
  const int messages = ssx::test::full_size(600, 20000);
  Options limits;
  limits.ping_interval = limits.send_stall_timeout = 0ms;
  limits.backpressure = {
      .high = kMax / 2, .low = kMax / 4, .max = kMax, .policy = GetParam().policy};
  Handlers<> handlers = echo.handlers(limits);
  std::vector<WebSocketBase*> sockets;
  handlers.on_open = [&sockets](auto& socket) {
    sockets.push_back(&socket);
    EXPECT_TRUE(socket.subscribe("news"));
  };
  route("/news", std::move(handlers));
  std::vector<Peer> peers;
  for (int i = 0; i <= readers; ++i) peers.push_back(open("/news"));
  WebSocketBase* const stuck = sockets.back();
  std::uint64_t most = 0;
  for (int i = 0; i < messages; ++i) {
    websockets.publish("news", message(i));
    advance(1ms);  // what all have unsent is counted once in each turn of a clock
    if (echo.ends.empty()) most = std::max(most, stuck->unsent_bytes());
    if (i % 10 != 9) continue;
    std::string expected;
    for (int k = i - 9; k <= i; ++k) expected += "text " + message(k) + "|";
    for (int reader = 0; reader < readers; ++reader) {
      ASSERT_TRUE(heard(peers[static_cast<std::size_t>(reader)]) == expected) << i;
    }
  }
  EXPECT_GT(most, kMax / 4) << "it was not stuck";
  EXPECT_LE(most, kMax);
  const std::string end = GetParam().end;
  EXPECT_EQ(echo.ends, end.empty() ? std::vector<std::string>() : std::vector<std::string>{end});
  EXPECT_GT(counts().dropped_by(GetParam().policy).value(), 0U);
  // Who keeps some gets the newest in the end, and nobody gets half a message.
  const std::string all = heard(peers.back());
  EXPECT_EQ(all.find("(no frame)"), std::string::npos);
  const bool keeps_newest = GetParam().policy == BackpressurePolicy::kDropOldest ||
                            GetParam().policy == BackpressurePolicy::kLatest;
  if (keeps_newest) {
    EXPECT_TRUE(all.ends_with("text " + message(messages - 1) + "|"));
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, StuckReader,
                         testing::Values(Stuck{"Callback", BackpressurePolicy::kCallback, ""},
                                         Stuck{"DropNewest", BackpressurePolicy::kDropNewest, ""},
                                         Stuck{"DropOldest", BackpressurePolicy::kDropOldest, ""},
                                         Stuck{"Latest", BackpressurePolicy::kLatest, ""},
                                         Stuck{"Close", BackpressurePolicy::kClose,
                                               "1013 reads too slowly"}),
                         [](const auto& tried) { return std::string(tried.param.name); });

// ---- B10: a flood of pings

class PingFlood : public WebSocketTest {
 protected:
  static constexpr std::size_t kHigh = 16 << 10;
  static constexpr int kBurst = 10'000;

  Peer begin(net::Rate control_rate) {
    Options limits;
    limits.ping_interval = limits.send_stall_timeout = 0ms;
    limits.control_rate = control_rate;
    limits.backpressure = {.high = kHigh, .low = kHigh / 2, .max = 2 * kHigh};
    Handlers<> handlers = echo.handlers(limits);
    handlers.on_ping = [this](auto& socket, std::string_view) {
      ++pings;
      most_unsent = std::max(most_unsent, socket.unsent_bytes());
      const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
      lowest = std::min(lowest, here);
      highest = std::max(highest, here);
    };
    route("/", std::move(handlers));
    return open("/");
  }
  static std::string burst() {
    std::string bytes;
    for (int i = 0; i < kBurst; ++i) bytes += ping("flood");
    return bytes;
  }

  Echo echo;
  int pings = 0;
  std::uint64_t most_unsent = 0;
  std::uintptr_t lowest = UINTPTR_MAX;  ///< stack frames of on_ping
  std::uintptr_t highest = 0;
};

TEST_F(PingFlood, B10EndsAtTheRate) {
  Peer peer = begin(Options().control_rate);
  tell(peer, burst());
  EXPECT_EQ(pings, 200);
  std::string expected;
  for (int i = 0; i < 200; ++i) expected += "pong flood|";
  EXPECT_EQ(heard(peer), expected + "close 1008 too many control frames|");
  EXPECT_EQ(echo.ends, std::vector<std::string>{"1008 too many control frames"});
}

// Without a rate, from one who reads only when nothing more is taken of him.
TEST_F(PingFlood, B10CostsNeitherMemoryNorStack) {
  Peer peer = begin({});
  const std::string bytes = burst();
  const int bursts = ssx::test::full_size(10, 100);
  std::size_t said = 0;
  for (int i = 0; i < bursts; ++i) {
    for (std::string_view rest = bytes; !rest.empty();) {
      const std::size_t sent = peer.send_without_waiting(rest);
      rest.remove_prefix(sent);
      idle();
      if (sent == 0) said += peer.read_available().size();
    }
  }
  tell(peer, ping("last"));
  const std::string end = hear(peer);
  EXPECT_TRUE(show(end).ends_with("pong last|"));
  EXPECT_EQ(pings, bursts * kBurst + 1);
  EXPECT_GT(most_unsent, kHigh / 2) << "it was no flood";
  EXPECT_LE(most_unsent, kHigh + 2 * kControlPayloadMax);
  EXPECT_LT((said + end.size()) / std::string_view("..flood").size(),
            static_cast<std::size_t>(pings))
      << "one pong for all that came while it read nothing";
  EXPECT_LT(highest - lowest, 4096U);
  EXPECT_TRUE(echo.ends.empty());
}

// ---- E02: an end within every callback

struct Ending {
  const char* name;
  std::function<void(Handlers<>&, std::function<void(WebSocketBase&)>)> set;
};

const std::vector<Ending> kCallbacks = {
    {"open", [](auto& handlers, auto end) { handlers.on_open = end; }},
    {"message",
     [](auto& handlers, auto end) {
       handlers.on_message = [end](auto& socket, const Message&) { end(socket); };
     }},
    {"message, in a coroutine",
     [](auto& handlers, auto end) {
       handlers.on_message = [end](auto& socket, const Message&) -> Task<> {
         end(socket);
         co_return;
       };
     }},
    {"message, in a coroutine that has waited",
     [](auto& handlers, auto end) {
       handlers.on_message = [end](auto& socket, const Message&) -> Task<> {
         co_await net::sleep_for(1ms);
         end(socket);
       };
     }},
    {"piece, in a coroutine",
     [](auto& handlers, auto end) {
       handlers.on_piece = [end](auto& socket, const Piece&) -> Task<> {
         end(socket);
         co_return;
       };
     }},
    {"posted",
     [](auto& handlers, auto end) {
       handlers.on_open = [end](auto& socket) { EXPECT_TRUE(socket.handle().post(end)); };
     }},
    {"piece",
     [](auto& handlers, auto end) {
       handlers.on_piece = [end](auto& socket, const Piece&) { end(socket); };
     }},
    {"ping",
     [](auto& handlers, auto end) {
       handlers.on_ping = [end](auto& socket, std::string_view) { end(socket); };
     }},
    {"pong",
     [](auto& handlers, auto end) {
       handlers.on_pong = [end](auto& socket, std::string_view) { end(socket); };
     }},
    {"backpressure", [](auto& handlers, auto end) { handlers.on_backpressure = end; }},
    {"drain", [](auto& handlers, auto end) { handlers.on_drain = end; }},
    {"error",
     [](auto& handlers, auto end) {
       handlers.on_error = [end](auto& socket, const Error&) { end(socket); };
     }},
};

const std::vector<std::function<void(WebSocketBase&)>> kEnds = {
    [](WebSocketBase& socket) { socket.close(CloseCode::kGoingAway, "first"); },
    [](WebSocketBase& socket) { socket.reset(); },
    [](WebSocketBase& socket) {
      socket.close();
      socket.send("nobody gets this");
      socket.reset();
      socket.close();
    },
    [](WebSocketBase&) { throw std::runtime_error("broken"); },
};

class EveryCallback : public WebSocketTest {};

TEST_F(EveryCallback, E02MayEndTheSocketAndItEndsOnce) {
  std::vector<int> called(kCallbacks.size() * kEnds.size());
  std::vector<int> closed(called.size());
  for (std::size_t i = 0; i < called.size(); ++i) {
    Handlers<> handlers;
    handlers.limits.backpressure = {.high = 100, .low = 10, .max = 1 << 20};
    handlers.limits.ignore_pong = false;
    handlers.on_message = [](auto& socket, const Message& message) {
      if (message.payload == "load") socket.send(std::string(200, 'x'));
    };
    kCallbacks[i / kEnds.size()].set(
        handlers, [&called, i, &end = kEnds[i % kEnds.size()]](WebSocketBase& socket) {
          ++called[i];
          end(socket);
        });
    handlers.on_close = [&closed, i](auto& socket, CloseCode, std::string_view) {
      ++closed[i];
      socket.close();
      socket.reset();
    };
    route("/" + std::to_string(i), std::move(handlers));
  }
  for (std::size_t i = 0; i < called.size(); ++i) {
    SCOPED_TRACE(std::string(kCallbacks[i / kEnds.size()].name) + " " +
                 std::to_string(i % kEnds.size()));
    Peer peer = connect();
    tell(peer, handshake("/" + std::to_string(i)));  // an end within on_open may take the answer
    (void)peer.read_available();
    // The last is a reserved opcode: an error.
    tell(peer, text("load") + ping() + frame(Opcode::kPong, "") + text("x"));
    (void)hear(peer);
    advance(10ms);
    tell(peer, frame(static_cast<Opcode>(3), ""));
    (void)hear(peer);
    peer.close();
    idle();
    EXPECT_EQ(called[i], 1);
    EXPECT_EQ(closed[i], 1);
  }
  EXPECT_EQ(counts().open.value(), 0);
}

}  // namespace
}  // namespace ssx::websocket::test
