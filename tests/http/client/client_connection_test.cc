#include "http/client/client_connection.h"

#include <gtest/gtest.h>

#include <string>

#include "ssxrver/net/connections.h"
#include "ssxrver/net/error.h"
#include "ssxrver/net/timer_wheel.h"
#include "tests/net/tcp_stream_fixture.h"

namespace ssx::http {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only

class ClientConnectionTest : public net::TcpStreamTest {
 protected:
  void SetUp() override {
    auto [core, protocol] = ClientConnection::create();
    connection = std::move(core);
    auto [ours, far] = socket_pair();
    server = std::make_unique<net::Peer>(std::move(far));
    table->adopt(std::move(ours), std::move(protocol));
    idle();
  }
  void TearDown() override {
    loop->post([this] { connection = LocalRef<ClientConnection>(); });
    TcpStreamTest::TearDown();
  }
  static Task<> wait(ClientConnection& on, Duration patience, std::optional<Result<void>>& into) {
    into = co_await on.arrival(patience);
  }
  static Task<> wait_for_room(ClientConnection& on, std::optional<Result<void>>& into) {
    into = co_await on.room();
  }
  std::optional<Result<void>> arrival(Duration patience = 5s) {
    came.reset();
    start(wait(*connection, patience, came));
    return came;
  }
  std::string take() {
    InBuffer taken;
    connection->take(taken);
    return std::string(taken.text());
  }

  LocalRef<ClientConnection> connection;
  std::unique_ptr<net::Peer> server;
  std::optional<Result<void>> came;
};

TEST_F(ClientConnectionTest, TellsWhatArrives) {
  EXPECT_FALSE(arrival());
  server->send("hello");
  idle();
  ASSERT_TRUE(came && *came);
  EXPECT_TRUE(connection->has_arrived());
  EXPECT_TRUE(arrival()) << "at once, until it is taken";
  EXPECT_EQ(take(), "hello");
  EXPECT_FALSE(connection->has_arrived());
}

TEST_F(ClientConnectionTest, PatienceEndsAndTheConnectionStands) {
  arrival(5s);
  advance(5s - 1ns);
  EXPECT_FALSE(came);
  advance(2 * net::TimerWheel::kTick);
  ASSERT_TRUE(came);
  EXPECT_EQ(came->error(), make_error_code(net::Errc::kTimedOut));
  EXPECT_TRUE(connection->is_open());
  EXPECT_EQ(arrival(0s)->error(), make_error_code(net::Errc::kTimedOut));
  server->send("late");
  idle();
  EXPECT_EQ(take(), "late");
}

TEST_F(ClientConnectionTest, TellsTheEndBehindWhatCameBefore) {
  server->send("last");
  server->close();
  idle();
  EXPECT_TRUE(*arrival());
  EXPECT_EQ(take(), "last");
  EXPECT_EQ(arrival()->error(), make_error_code(net::Errc::kEof));
  EXPECT_FALSE(connection->is_reusable());
}

TEST_F(ClientConnectionTest, CanBeInterrupted) {
  arrival();
  loop->post([this] { connection->interrupt(); });
  idle();
  ASSERT_TRUE(came);
  EXPECT_TRUE(*came);
  EXPECT_FALSE(connection->has_arrived());
}

TEST_F(ClientConnectionTest, AWaitThatIsDestroyedIsTakenBack) {
  {
    Task<> task = wait(*connection, 5s, came);
    class Never final : public Continuation {
     public:
      Never() : Continuation([](Continuation&) noexcept { ADD_FAILURE(); }) {}
    } never;
    loop->post([&] { EXPECT_FALSE(task.start(never)); });
    idle();
  }
  server->send("x");
  advance(10s);
  EXPECT_FALSE(came);
  EXPECT_EQ(take(), "x");
}

TEST_F(ClientConnectionTest, WaitsForRoom) {
  std::optional<Result<void>> room;
  start(wait_for_room(*connection, room));
  EXPECT_TRUE(room) << "at once";
  loop->post([this] { connection->out()->append_copy(as_bytes(net::pattern(1 << 20))); });
  idle();
  EXPECT_GT(connection->unsent_bytes(), kHigh);
  room.reset();
  start(wait_for_room(*connection, room));
  EXPECT_FALSE(room);
  while (!server->receive().empty()) idle();
  ASSERT_TRUE(room);
  EXPECT_TRUE(*room);
  EXPECT_EQ(connection->sent_bytes(), 1U << 20);
}

TEST_F(ClientConnectionTest, ClosingResumesWhoWaits) {
  std::optional<Result<void>> room;
  loop->post([this] { connection->out()->append_copy(as_bytes(net::pattern(1 << 20))); });
  idle();
  start(wait_for_room(*connection, room));
  arrival();
  loop->post([this] { connection->close(); });
  idle();
  ASSERT_TRUE(came && room);
  EXPECT_FALSE(*came || *room);
  EXPECT_EQ(connection->out(), nullptr);
  EXPECT_FALSE(connection->is_open());
  EXPECT_FALSE(*arrival());
}

TEST_F(ClientConnectionTest, TellsHowItsRestEnds) {
  std::optional<ClientConnection::RestEnd> ended;
  const auto rest = [&] {
    loop->post([&] { connection->rest(10s, [&ended](auto how) { ended = how; }); });
    idle();
  };
  rest();
  loop->post([&] { connection->wake(); });
  idle();
  advance(20s);
  EXPECT_FALSE(ended) << "it was woken";
  rest();
  advance(10s - 1ns);
  EXPECT_FALSE(ended);
  advance(2 * net::TimerWheel::kTick);
  EXPECT_EQ(ended, ClientConnection::RestEnd::kTimedOut);
  EXPECT_FALSE(connection->is_open());
}

TEST_F(ClientConnectionTest, NothingMayComeWhileItRests) {
  std::optional<ClientConnection::RestEnd> ended;
  loop->post([&] { connection->rest(10s, [&ended](auto how) { ended = how; }); });
  idle();
  server->send("nobody asked");
  idle();
  EXPECT_EQ(ended, ClientConnection::RestEnd::kByServer);
}

TEST_F(ClientConnectionTest, HoldsBackWhatNobodyTakes) {
  std::size_t sent = 0;
  for (int i = 0; i < 100; ++i) {
    sent += server->send(net::pattern(64 << 10));
    idle();
  }
  const std::string first = take();
  EXPECT_LE(first.size(), ClientConnection::kUnreadPause + net::Connections::kReadMin * 2);
  std::size_t got = first.size();
  for (int i = 0; i < 100 && got < sent; ++i) {
    idle();
    got += take().size();
  }
  EXPECT_EQ(got, sent) << "and nothing is lost";
}

}  // namespace
}  // namespace ssx::http
