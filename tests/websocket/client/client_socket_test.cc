#include "websocket/client/client_socket.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ssxrver/net/awaitables.h"
#include "tests/websocket/client/client_fixture.h"

namespace ssx::websocket::test {
namespace {

class ClientSocketTest : public ClientTest {
 protected:
  /// Whose server the test plays.
  ClientSocket& played(ClientOptions wanted = to(kUrl)) {
    make_client(std::move(wanted));
    open();
    accept();
    EXPECT_TRUE(opened && *opened) << opened->error().message();
    return **opened;
  }
  ClientSocket& echoed(ClientOptions wanted = to(kUrl), Options limits = {}) {
    route("/echo", server_.handlers(std::move(limits)));
    serve();
    return connected(std::move(wanted));
  }
  bool close(ClientSocket& socket, CloseCode code = CloseCode::kNormal, std::string reason = {}) {
    bool closed = false;
    start(await(socket.close(code, std::move(reason)), closed));
    return closed;
  }
  /// `label`: what the loop calls this when its socket and its client are gone.
  Task<> hear_and_outlive(ClientSocket& socket, std::string& label) {
    (void)co_await socket.receive();
    opened.reset();
    client.reset();
    co_await net::sleep_for(1s);
    label = loop->label();
  }

  static constexpr std::size_t kMany = 40;
  static constexpr std::size_t kLong = 1'000'000;
  static Task<> send_many(ClientSocket& socket, std::size_t count) {
    const std::string text(kLong, 'x');
    for (std::size_t i = 0; i < count; ++i) EXPECT_TRUE(co_await socket.send(text));
  }
  static Task<> receive_many(ClientSocket& socket, std::vector<std::size_t>& got,
                             std::size_t count) {
    while (got.size() < count) {
      const auto message = co_await socket.receive();
      if (!message) co_return;
      got.push_back(message->payload.size());
    }
  }

  /// Of a frame of 126 to 65,535 bytes: 2, the length in 2 and the key in 4.
  static constexpr std::size_t kMaskedHeader = 8;
  struct Nothing final : Continuation {
    Nothing() noexcept : Continuation([](Continuation&) noexcept {}) {}
  };

  Echo server_;
};

TEST_F(ClientSocketTest, TalksToOurServer) {
  ClientSocket& socket = echoed();
  EXPECT_EQ(send(socket, "hello"), "sent");
  EXPECT_EQ(receive(socket), "text hello");
  std::optional<Result<void>> sent;
  const std::string bytes("\0\xff\x80", 3);
  start(store(socket.send_binary(as_bytes(bytes)), sent));
  EXPECT_EQ(receive(socket), "binary " + bytes);
  EXPECT_EQ(receive(socket), "(waits)");
}

TEST_F(ClientSocketTest, ClosesInGoodOrder) {
  ClientSocket& socket = echoed();
  EXPECT_FALSE(socket.close_code());
  EXPECT_TRUE(close(socket, static_cast<CloseCode>(4001), "bye"));
  EXPECT_EQ(server_.ends, std::vector<std::string>{"4001 bye"});
  EXPECT_EQ(socket.close_code(), static_cast<CloseCode>(4001));
  EXPECT_FALSE(socket.is_open());
  EXPECT_EQ(send(socket, "late"), "not open");
  EXPECT_EQ(receive(socket), "not open");
  EXPECT_FALSE(socket.ping());
  EXPECT_TRUE(close(socket)) << "once more";
  EXPECT_TRUE(client_table->empty()) << "the server ends the connection, and has";
}

TEST_F(ClientSocketTest, HearsThePeersClose) {
  ClientSocket& socket = played();
  std::optional<Result<Message>> got;
  start(store(socket.receive(), got));
  EXPECT_FALSE(got);
  reply(said_close(1001, "going"));
  ASSERT_TRUE(got);
  EXPECT_EQ(got->error(), make_error_code(Errc::kNotOpen));
  EXPECT_EQ(socket.close_code(), CloseCode::kGoingAway);
  EXPECT_EQ(socket.close_reason(), "going");
  EXPECT_EQ(show_masked(peer().read_available()), "close 1001 |");
}

TEST_F(ClientSocketTest, HearsOfAServerThatGoesWithoutAWord) {
  ClientSocket& socket = played();
  reply(said("last words"));
  peer().close();
  idle();
  EXPECT_EQ(receive(socket), "text last words") << "what has come is there";
  EXPECT_EQ(receive(socket), "connection lost");
  EXPECT_EQ(socket.close_code(), CloseCode::kAbnormal);
}

TEST_F(ClientSocketTest, TellsWhatThePeerHasDoneWrong) {
  ClientSocket& socket = played();
  std::optional<Result<Message>> got;
  start(store(socket.receive(), got));
  reply(frame(Opcode::kText, "masked"));
  ASSERT_TRUE(got);
  EXPECT_EQ(got->error(), make_error_code(Errc::kMasked));
  EXPECT_EQ(show_masked(peer().read_available()), "close 1002 masked frame|");
}

// A coroutine that has heard of its socket may live longer, and a stall warning name it then.
TEST_F(ClientSocketTest, LeavesNoNameThatDiesBeforeItsCoroutine) {
  ClientSocket& socket = played();
  std::string label;
  start(hear_and_outlive(socket, label));
  reply(said("hello"));
  advance(1s);
  EXPECT_EQ(label, "websocket client");
}

TEST_F(ClientSocketTest, KeepsWhatItHasGivenUntilTheNextCall) {
  ClientSocket& socket = played();
  reply(said("first") + said("second") + said_close(1000));
  std::optional<Result<Message>> first;
  start(store(socket.receive(), first));
  ASSERT_TRUE(first && *first);
  const std::string_view view = (*first)->payload;
  idle();
  EXPECT_EQ(view, "first");
  EXPECT_TRUE(socket.is_open()) << "the close frame is behind what nobody has taken";
  EXPECT_EQ(receive(socket), "text second");
  EXPECT_EQ(receive(socket), "not open");
}

TEST_F(ClientSocketTest, ReadsNoFurtherThanSomebodyReceives) {
  ClientSocket& socket = played();
  const std::string message(60'000, 'x');
  std::size_t sent = 0;
  std::size_t some = 0;
  std::string rest;
  std::string all;
  for (int i = 0; i < 1000; ++i) all += said(message);
  std::string_view left = all;
  do {
    some = peer().send_without_waiting(left);
    left.remove_prefix(some);
    sent += some;
    idle();
  } while (some > 0);
  EXPECT_LT(sent, 4U << 20) << "it goes on reading";
  int received = 0;
  while (receive(socket) == "text " + message) {
    ++received;
    left.remove_prefix(peer().send_without_waiting(left));
    idle();
  }
  EXPECT_EQ(received, 1000);
}

TEST_F(ClientSocketTest, RestsBehindAMessageThatNobodyReceives) {
  ClientSocket& socket = played();
  std::optional<Result<Message>> got;
  start(store(socket.receive(), got));
  reply(said("awaited"));
  ASSERT_TRUE(got && *got);
  EXPECT_EQ(client->counters().rested.value(), 0U);
  reply(said("not yet") + said("behind it"));
  EXPECT_EQ(client->counters().rested.value(), 1U);
  EXPECT_EQ(client->socket_counters().messages_in.value(), 2U) << "the third has not been read";
  EXPECT_EQ(receive(socket), "text not yet");
  EXPECT_EQ(client->counters().rested.value(), 2U);
  EXPECT_EQ(receive(socket), "text behind it");
}

TEST_F(ClientSocketTest, WaitsAboveSoManyUnsentBytes) {
  ClientOptions wanted = to(kUrl);
  wanted.limits.backpressure = {.high = 1000, .low = 100, .max = 3000};
  for (const std::size_t unsent : {999U, 1000U, 1001U}) {
    opened.reset();
    ClientSocket& socket = played(wanted);
    // Both in one turn of the loop, in which nothing is taken.
    const std::string text(unsent - kMaskedHeader, 'x');
    Nothing then;
    auto first = socket.send(text);
    EXPECT_TRUE(first.start(then));
    EXPECT_EQ(socket.unsent_bytes(), unsent);
    EXPECT_EQ(client->socket_counters().backpressure.value(), unsent <= 1000 ? 0U : 1U);
    auto second = socket.send("then");
    EXPECT_EQ(second.start(then), unsent <= 1000) << unsent;
    EXPECT_EQ(show_masked(hear(peer())), "text " + text + "|text then|");
  }
}

TEST_F(ClientSocketTest, WaitsForRoom) {
  client_table = std::make_unique<net::Connections>(
      *loop, net::ConnectionOptions{.output_high = 64 << 10, .output_low = 16 << 10});
  ClientOptions wanted = to(kUrl);
  wanted.limits.backpressure = {.high = 64 << 10, .low = 16 << 10, .max = 1 << 20};
  ClientSocket& socket = played(wanted);
  const std::string message(50'000, 'x');
  int sent = 0;
  while (send(socket, message) == "sent") {
    ASSERT_LT(++sent, 1000);
    idle();
  }
  EXPECT_LE(socket.unsent_bytes(), (64 << 10) + message.size() + kHeaderMax);
  // Two wait now, that one and this: both are let through, in their order, when there is room.
  std::optional<Result<void>> last;
  start(store(socket.send("last"), last));
  EXPECT_FALSE(last);
  std::string heard;
  while (!last) {
    const std::string some = peer().read_available();
    ASSERT_FALSE(some.empty());
    heard += some;
    idle();
  }
  heard += hear(peer());
  const std::string shown = show_masked(std::move(heard));
  EXPECT_TRUE(shown.ends_with("x|text last|")) << shown.size();
  EXPECT_EQ(std::ranges::count(shown, '|'), sent + 2);
}

// Each end would wait for the other one to read, if whoever sends too fast did not.
TEST_F(ClientSocketTest, SendsAndReceivesAtOnce) {
  ClientSocket& socket = echoed();
  std::vector<std::size_t> got;
  start(send_many(socket, kMany));
  start(receive_many(socket, got, kMany));
  for (int i = 0; i < 1000 && got.size() < kMany; ++i) idle();
  EXPECT_EQ(got, std::vector<std::size_t>(kMany, kLong));
}

TEST_F(ClientSocketTest, SendsForAllWhoWaitInTheirTurn) {
  ClientSocket& socket = echoed();
  std::vector<std::size_t> got;
  start(send_many(socket, kMany));
  std::optional<Result<void>> sent;
  start(store(socket.send("short"), sent));
  EXPECT_FALSE(sent) << "it waits behind the other one";
  start(receive_many(socket, got, kMany + 1));
  for (int i = 0; i < 1000 && got.size() <= kMany; ++i) idle();
  const auto at = std::ranges::find(got, std::string_view("short").size()) - got.begin();
  EXPECT_LT(at, 5);
  EXPECT_EQ(got.size(), kMany + 1);
}

TEST_F(ClientSocketTest, SendsNoMessageThatNeverFits) {
  ClientOptions wanted = to(kUrl);
  wanted.limits.backpressure = {.high = 1000, .low = 100, .max = 3000};
  ClientSocket& socket = played(wanted);
  const std::size_t most = 2000 - kHeaderMax;
  EXPECT_EQ(send(socket, std::string(most - 1, 'x')), "sent");
  idle();
  EXPECT_EQ(send(socket, std::string(most, 'x')), "sent");
  idle();
  EXPECT_EQ(send(socket, std::string(most + 1, 'x')), "reads too slowly");
  EXPECT_TRUE(socket.is_open()) << "nothing has happened to it";
  EXPECT_EQ(client->counters().send_max_hit.value(), 1U);
}

TEST_F(ClientSocketTest, SendsFragmentsBetweenWhichNothingComes) {
  ClientSocket& socket = played();
  std::optional<Result<void>> done;
  start(store(socket.begin_message(Opcode::kBinary, as_bytes("one ")), done));
  ASSERT_TRUE(done && *done);
  std::optional<Result<void>> other;
  start(store(socket.send("between"), other));
  EXPECT_FALSE(other);
  EXPECT_TRUE(socket.ping("may come"));
  start(store(socket.continue_message(as_bytes("two "), false), done));
  EXPECT_FALSE(other);
  start(store(socket.continue_message(as_bytes("three"), true), done));
  ASSERT_TRUE(other && *other);
  EXPECT_EQ(show_masked(hear(peer())),
            "binary... one |ping may come|more... two |more three|text between|");
  start(store(socket.continue_message(as_bytes("of nothing"), true), done));
  EXPECT_FALSE(*done);
}

TEST_F(ClientSocketTest, MasksEachFrameWithAnotherKey) {
  ClientSocket& socket = played();
  for (int i = 0; i < 600; ++i) EXPECT_EQ(send(socket, "x"), "sent");
  std::vector<MaskKey> keys;
  const std::string shown = show_masked(hear(peer()), &keys);
  EXPECT_EQ(std::ranges::count(shown, '|'), 600);
  ASSERT_EQ(keys.size(), 600U);
  EXPECT_EQ(std::set<MaskKey>(keys.begin(), keys.end()).size(), 600U);
  EXPECT_FALSE(std::ranges::count(keys, MaskKey{}));
}

TEST_F(ClientSocketTest, AgreesOnSubprotocolsAndFields) {
  ClientOptions wanted = to(kUrl);
  wanted.limits.subprotocols = {"a", "b"};
  wanted.origin = "http://10.0.0.1";
  wanted.fields = {{.name = "X-Who", .value = "me"}};
  Options limits;
  limits.subprotocols = {"b"};
  std::string who;
  auto handlers = server_.handlers(limits);
  handlers.on_upgrade = [&who](const http::Request& request) -> Upgrade<NoData> {
    who = request.header("x-who").value_or("");
    return NoData{};
  };
  route("/echo", std::move(handlers));
  serve();
  ClientSocket& socket = connected(wanted);
  EXPECT_EQ(socket.subprotocol(), "b");
  EXPECT_EQ(socket.answer().field("sec-websocket-protocol"), "b");
  EXPECT_EQ(who, "me");
}

TEST_F(ClientSocketTest, CompressesWithAndWithoutContext) {
  for (const bool takeover : {false, true}) {
    Options limits;
    limits.deflate = {.mode = DeflateMode::kBoth,
                      .server_context_takeover = takeover,
                      .client_context_takeover = takeover,
                      .min_size = 0};
    route(takeover ? "/takeover" : "/none", server_.handlers(limits));
  }
  serve();
  for (const std::string path : {"/none", "/takeover"}) {
    for (const bool wants : {false, true}) {
      ClientOptions wanted = to("ws://10.0.0.1" + path);
      wanted.limits.deflate = {.mode = DeflateMode::kBoth,
                               .server_context_takeover = wants,
                               .client_context_takeover = wants,
                               .min_size = 0};
      opened.reset();
      ClientSocket& socket = connected(wanted);
      const std::string_view agreed = socket.answer().field("sec-websocket-extensions");
      EXPECT_TRUE(agreed.starts_with("permessage-deflate")) << agreed;
      EXPECT_EQ(agreed.find("no_context_takeover") == agreed.npos, wants && path == "/takeover")
          << agreed;
      for (int i = 0; i < 3; ++i) {
        const std::string message = "again and again and again " + std::string(5000, 'x');
        EXPECT_EQ(send(socket, message), "sent");
        EXPECT_EQ(receive(socket), "text " + message);
      }
    }
  }
}

TEST_F(ClientSocketTest, TakesMessagesUpToTheLimit) {
  for (const std::size_t size : {99U, 100U, 101U}) {
    opened.reset();
    ClientOptions wanted = to(kUrl);
    wanted.limits.message_max = 100;
    ClientSocket& socket = played(wanted);
    const std::string message(size, 'x');
    reply(said(message));
    EXPECT_EQ(receive(socket), size <= 100 ? "text " + message : "message too long");
    if (size > 100) {
      EXPECT_EQ(show_masked(peer().read_available()), "close 1009 message too long|");
    }
  }
}

TEST_F(ClientSocketTest, SaysGoodbyeWhenItIsDestroyed) {
  played();
  expect_goodbye();
}

TEST_F(ClientSocketTest, SurvivesItsClient) {
  ClientSocket& socket = echoed();
  client.reset();
  EXPECT_EQ(send(socket, "hello"), "sent");
  EXPECT_EQ(receive(socket), "text hello");
}

TEST_F(ClientSocketTest, ClosesBehindAMessageThatNobodyTakes) {
  ClientSocket& socket = played();
  reply(said("not taken") + said("dropped"));
  bool closed = false;
  start(await(socket.close(), closed));
  EXPECT_FALSE(closed);
  reply(said_close(1000));
  EXPECT_TRUE(closed);
  EXPECT_EQ(receive(socket), "text not taken");
  EXPECT_EQ(receive(socket), "not open");
}

TEST_F(ClientSocketTest, WaitsSoLongForThePeersClose) {
  ClientSocket& socket = played();
  bool closed = false;
  start(await(socket.close(), closed));
  advance(5s - 1ms);
  EXPECT_FALSE(closed);
  advance(1ms + kTick);
  EXPECT_TRUE(closed);
  EXPECT_EQ(socket.close_code(), CloseCode::kAbnormal);
}

TEST_F(ClientSocketTest, TakesAWaitBackWhenItsTaskGoes) {
  ClientSocket& socket = played();
  Nothing then;
  auto task = socket.receive();
  EXPECT_FALSE(task.start(then));
  task.reset();
  reply(said("hello"));
  EXPECT_EQ(receive(socket), "text hello");
}

TEST_F(ClientSocketTest, PingsThePeerAndMissesItsPongs) {
  ClientSocket& socket = played();
  advance(30s + kTick);
  EXPECT_EQ(show_masked(peer().read_available()), "ping |");
  reply(said(Opcode::kPong, ""));
  advance(29s);
  EXPECT_TRUE(socket.is_open());
  advance(1s + kTick);
  EXPECT_EQ(show_masked(peer().read_available()), "ping |");
  advance(10s + kTick);
  EXPECT_EQ(receive(socket), "no pong came");
}

TEST_F(ClientSocketTest, AnswersPings) {
  played();
  reply(said(Opcode::kPing, "are you there"));
  EXPECT_EQ(show_masked(peer().read_available()), "pong are you there|");
}

}  // namespace
}  // namespace ssx::websocket::test
