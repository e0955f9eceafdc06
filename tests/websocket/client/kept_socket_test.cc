#include "websocket/client/kept_socket.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <stdexcept>
#include <string>
#include <vector>

#include "ssxrver/net/awaitables.h"
#include "tests/websocket/client/client_fixture.h"

namespace ssx::websocket::test {
namespace {

class KeptSocketTest : public ClientTest {
 protected:
  using Socket = ClientHandlers::Socket;

  /// Writes down all that it hears.
  ClientHandlers handlers() {
    ClientHandlers made;
    made.on_open = [this](Socket&, const ClientAnswer& head) {
      log.push_back(fmt::format("open {}", head.field("x-name")));
    };
    made.on_message = [this](Socket&, const Message& message) {
      log.push_back(fmt::format("message {}", message.payload));
    };
    made.on_error = [this](Socket&, const Error& error) {
      log.push_back("error " + error.code().message());
    };
    made.on_close = [this](Socket&, CloseCode code, std::string_view reason) {
      log.push_back(fmt::format("close {} {}", to_int(code), reason));
    };
    made.on_retry = [this](const ConnectFailure& why, milliseconds delay) {
      log.push_back(fmt::format("retry {} {}", delay.count(), why.message()));
    };
    made.on_failed = [this](const ConnectFailure& why) {
      log.push_back("failed " + why.message());
    };
    return made;
  }
  static ClientOptions again(ReconnectOptions reconnect = {}) {
    ClientOptions wanted = to(kUrl);
    reconnect.enabled = true;
    reconnect.jitter_percent = 0;
    wanted.reconnect = reconnect;
    return wanted;
  }
  void connect(ClientOptions wanted, ClientHandlers made) {
    make_client(std::move(wanted));
    EXPECT_TRUE(client->connect(std::move(made)));
    EXPECT_TRUE(log.empty()) << "nothing is told before connect() has returned";
    idle();
  }
  void connect(ClientOptions wanted) { connect(std::move(wanted), handlers()); }
  std::vector<std::string> told() { return std::exchange(log, {}); }

  using Log = std::vector<std::string>;
  Log log;
  Echo server;
};

TEST_F(KeptSocketTest, CallsTheHandlersOfItsSocket) {
  connect(to(kUrl));
  EXPECT_EQ(client->socket(), nullptr);
  accept("X-Name: value\r\n", said("at once"));
  EXPECT_EQ(told(), (Log{"open value", "message at once"}));
  ASSERT_NE(client->socket(), nullptr);
  client->socket()->send("hello");
  EXPECT_EQ(show_masked(peer().read_available()), "text hello|");
  reply(said("world") + said_close(1000, "bye"));
  EXPECT_EQ(told(), (Log{"message world", "close 1000 bye"}));
  EXPECT_EQ(client->socket(), nullptr);
  advance(1h);
  EXPECT_EQ(stack.asked.size(), 1U) << "nobody has asked for another one";
  EXPECT_EQ(told(), Log{});
}

TEST_F(KeptSocketTest, SaysThatThereIsNone) {
  stack.errors = {ECONNREFUSED};
  connect(to(kUrl));
  EXPECT_EQ(told(), Log{"failed connect: Connection refused"});
  connect(to(kUrl));
  EXPECT_FALSE(request().empty());
  reply("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
  EXPECT_EQ(told(), Log{"failed handshake: server did not switch to websocket (404)"});
}

TEST_F(KeptSocketTest, TriesAgainAndAgainMoreSlowly) {
  stack.errors = {ECONNREFUSED, ECONNREFUSED, ECONNREFUSED};
  connect(again());
  EXPECT_EQ(told(), Log{"retry 500 connect: Connection refused"});
  advance(499ms);
  EXPECT_EQ(stack.asked.size(), 1U);
  advance(1ms);
  EXPECT_EQ(told(), Log{"retry 1000 connect: Connection refused"});
  advance(1s);
  EXPECT_EQ(told(), Log{"retry 2000 connect: Connection refused"});
  advance(2s);
  accept();
  EXPECT_EQ(told(), Log{"open "});
  EXPECT_EQ(client->counters().retried.value(), 3U);
  EXPECT_EQ(client->counters().dialed.value(), 4U);
}

TEST_F(KeptSocketTest, GivesUpAfterSoManyFailures) {
  stack.errors = {ECONNREFUSED, ECONNREFUSED, ECONNREFUSED, ECONNREFUSED};
  connect(again({.attempts_max = 3}));
  advance(500ms);
  advance(1s);
  EXPECT_EQ(told(),
            (Log{"retry 500 connect: Connection refused", "retry 1000 connect: Connection refused",
                 "failed connect: Connection refused"}));
  advance(1h);
  EXPECT_EQ(stack.asked.size(), 3U);
  EXPECT_EQ(client->counters().gave_up.value(), 1U);
}

TEST_F(KeptSocketTest, ComesBackWhenTheServerDoes) {
  route("/echo", server.handlers());
  serve();
  ClientHandlers made = handlers();
  made.on_open = [this](Socket& socket, const ClientAnswer&) {
    log.emplace_back("open");
    socket.send("hello");
  };
  connect(again(), std::move(made));
  EXPECT_EQ(told(), (Log{"open", "message hello"}));
  websockets.worker(0).close_all(CloseCode::kServiceRestart);  // it restarts
  stack.errors = {ECONNREFUSED};
  idle();
  EXPECT_EQ(told(), (Log{"close 1012 ", "retry 500 websocket: not open"}));
  advance(500ms);
  EXPECT_EQ(told(), Log{"retry 1000 connect: Connection refused"});
  advance(1s);
  EXPECT_EQ(told(), (Log{"open", "message hello"}));
}

TEST_F(KeptSocketTest, BeginsAnewAfterAConnectionThatStood) {
  connect(again({.stable_after = 10s}));
  for (const auto& [stands, delay] : std::vector<std::pair<Duration, int>>{
           {0s, 500}, {10s - 1ms, 1000}, {10s, 500}, {11s, 500}, {1s, 1000}}) {
    accept();
    EXPECT_EQ(told(), Log{"open "});
    advance(stands);
    peer().close();
    idle();
    EXPECT_EQ(told(),
              (Log{"close 1006 ", fmt::format("retry {} websocket: connection lost", delay)}));
    advance(milliseconds(delay));
  }
}

TEST_F(KeptSocketTest, TellsWhyItTriesAgain) {
  connect(again());
  accept();
  (void)told();
  reply(frame(Opcode::kText, "masked"));
  EXPECT_EQ(told(), (Log{"error masked frame", "close 1002 masked frame",
                         "retry 500 websocket: masked frame"}));
}

TEST_F(KeptSocketTest, StopsWhereverItIs) {
  connect(again());
  EXPECT_FALSE(request().empty());  // connecting
  client->stop();
  EXPECT_TRUE(peer().read_available().empty() && peer().ended());
  EXPECT_EQ(told(), Log{});

  stack.errors = {ECONNREFUSED};
  connect(again());  // waiting
  EXPECT_EQ(told(), Log{"retry 500 connect: Connection refused"});
  client->stop();
  advance(1h);
  EXPECT_EQ(stack.asked.size(), 2U);

  connect(again());  // open
  accept();
  client->stop(CloseCode::kGoingAway, "enough");
  idle();
  EXPECT_EQ(show_masked(peer().read_available()), "close 1001 enough|");
  reply(said_close(1001, "enough"));
  EXPECT_EQ(told(), (Log{"open ", "close 1001 enough"}));
  advance(1h);
  EXPECT_EQ(stack.asked.size(), 3U);
  client->stop();  // stopped
}

TEST_F(KeptSocketTest, MayBeStoppedByAnyHandler) {
  ClientHandlers made = handlers();
  made.on_retry = [this](const ConnectFailure&, milliseconds) { client->stop(); };
  stack.errors = {ECONNREFUSED};
  connect(again(), std::move(made));
  advance(1h);
  EXPECT_EQ(stack.asked.size(), 1U);

  made = handlers();
  made.on_open = [this](Socket&, const ClientAnswer&) { client->stop(); };
  connect(again(), std::move(made));
  accept();
  EXPECT_EQ(show_masked(peer().read_available()), "close 1000 |");
  reply(said_close(1000));
  EXPECT_EQ(told(), Log{"close 1000 "});
  advance(1h);
  EXPECT_EQ(stack.asked.size(), 2U);

  made = handlers();
  made.on_close = [this](Socket&, CloseCode, std::string_view) { client->stop(); };
  connect(again(), std::move(made));
  accept();
  reply(said_close(1000));
  advance(1h);
  EXPECT_EQ(told(), Log{"open "});
  EXPECT_EQ(stack.asked.size(), 3U);
}

TEST_F(KeptSocketTest, IsSilentOnceItsClientHasGone) {
  for (int where = 0; where < 4; ++where) {
    if (where == 1) stack.errors = {ECONNREFUSED};
    connect(again());
    if (where >= 2) accept();
    (void)told();
    if (where == 3) client->socket()->close();
    client.reset();
    advance(1h);
    EXPECT_EQ(told(), Log{}) << where;
    EXPECT_TRUE(client_table->empty()) << where;
  }
}

TEST_F(KeptSocketTest, MayLoseItsClientInAnyHandler) {
  for (int where = 0; where < 4; ++where) {
    ClientHandlers made = handlers();
    const auto end_it = [this] {
      client.reset();
      log.clear();
    };
    if (where == 0) made.on_open = [end_it](Socket&, const ClientAnswer&) { end_it(); };
    if (where == 1) made.on_message = [end_it](Socket&, const Message&) { end_it(); };
    if (where == 2) made.on_close = [end_it](Socket&, CloseCode, std::string_view) { end_it(); };
    if (where == 3) made.on_retry = [end_it](const ConnectFailure&, milliseconds) { end_it(); };
    connect(again(), std::move(made));
    accept("", said("hello") + said_close(1000));
    EXPECT_EQ(client, nullptr) << where;
    advance(1h);
    EXPECT_EQ(told(), Log{}) << where;
    EXPECT_TRUE(client_table->empty()) << where;
  }
}

TEST_F(KeptSocketTest, KeepsTheOrderOfACoroutine) {
  ClientHandlers made = handlers();
  made.on_message = [this](Socket&, const Message& message) -> Task<> {
    log.push_back(fmt::format("begins {}", message.payload));
    co_await net::sleep_for(1s);
    log.push_back(fmt::format("ends {}", message.payload));
  };
  connect(to(kUrl), std::move(made));
  accept("", said("one") + said("two"));
  EXPECT_EQ(told(), (Log{"open ", "begins one"}));
  advance(1s);
  EXPECT_EQ(told(), (Log{"ends one", "begins two"}));
  client.reset();  // cancels it, at the end of the turn
  idle();
  advance(1h);
  EXPECT_EQ(told(), Log{});
}

TEST_F(KeptSocketTest, StandsHandlersThatThrow) {
  ClientHandlers made = handlers();
  made.on_retry = [](const ConnectFailure&, milliseconds) { throw std::runtime_error("x"); };
  made.on_close = [](Socket&, CloseCode, std::string_view) { throw std::runtime_error("y"); };
  connect(again(), std::move(made));
  accept();
  reply(said_close(1000));
  advance(500ms);
  accept();
  EXPECT_EQ(told(), (Log{"open ", "open "}));
}

}  // namespace
}  // namespace ssx::websocket::test
