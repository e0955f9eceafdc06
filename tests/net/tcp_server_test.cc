#include "ssxrver/net/tcp_server.h"

#include <gtest/gtest.h>

#include <sched.h>

#include <cerrno>
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include "ssxrver/sys/process.h"
#include "tests/net/server_fixture.h"
#include "tests/support/captured_log.h"
#include "tests/support/peer.h"
#include "tests/support/temp_dir.h"

namespace ssx::net {
namespace {

using test::RawClient;

INSTANTIATE_TEST_SUITE_P(Accept, EveryMode, all_modes(), mode_name);

TEST_P(EveryMode, Serves) {
  start();
  std::vector<RawClient> clients;
  for (int i = 0; i < 20; ++i) clients.push_back(connect());
  for (std::size_t i = 0; i < clients.size(); ++i) {
    EXPECT_EQ(echo(clients[i], "hello " + std::to_string(i)), "hello " + std::to_string(i));
  }
  EXPECT_EQ(server->limits().total(), 20U);
  EXPECT_EQ(server->accepted(), 20U);
  for (RawClient& client : clients) client.close();
  run_until([this] { return counts.destroyed == 20; });
  EXPECT_EQ(counts.closed, 20);
  EXPECT_EQ(server->limits().total(), 0U);
}

TEST_P(EveryMode, AnAcceptThreadTakesNoCoreFromAWorkerAndNoTraceIsLeft) {
  const int usual = ::sched_getscheduler(0);
  start();
  const bool accepts_here = GetParam() == AcceptMode::kThread;
  EXPECT_EQ(::sched_getscheduler(0), accepts_here ? SCHED_BATCH : usual);
  server->stop();
  EXPECT_EQ(::sched_getscheduler(0), usual);
}

TEST_P(EveryMode, ASecondServerOnTheSamePortIsRefusedInEveryMode) {
  start();
  options.listeners[0].port = port();
  for (const AcceptMode mode : kAcceptModes) {
    options.workers.accept = mode;
    const auto second = try_create();
    ASSERT_FALSE(second.has_value()) << name_of(mode);
    EXPECT_TRUE(second.error().error.is_errno(EADDRINUSE));
    EXPECT_EQ(second.error().listener, "127.0.0.1:" + std::to_string(port()));
  }
  auto client = connect();  // and the first one still serves
  EXPECT_EQ(echo(client, "x"), "x");
}

TEST_P(EveryMode, StoppingEndsEveryConnectionOnceAndJoins) {
  start();
  std::vector<RawClient> clients;
  for (int i = 0; i < 10; ++i) clients.push_back(connect());
  server->stop();
  EXPECT_EQ(counts.opened, 10);
  EXPECT_EQ(counts.closed, 10);
  EXPECT_EQ(server->limits().total(), 0U);
  for (RawClient& client : clients) EXPECT_EQ(client.read_to_end(), "");
  server->stop();
  server.reset();
  EXPECT_EQ(counts.destroyed, 10);
}

TEST_P(EveryMode, StopsWithClientsThatKeepComing) {
  start();
  const std::uint16_t at = port();
  std::thread visitors([at] {
    while (true) {
      auto client = try_to_dial(at);
      if (!client.connected()) return;
      if (client.send("x")) client.read(1);
    }
  });
  run_until([this] { return counts.opened > 20; });
  server->stop();
  visitors.join();
  EXPECT_EQ(counts.closed, counts.opened);
  EXPECT_EQ(server->limits().total(), 0U);
}

// D03: reached and released again and again; exact all the time.
TEST_P(EveryMode, TheLimitIsReachedAndReleasedAgainAndAgain) {
  options.workers.connections = 3;
  options.workers.overload_percent = 100;
  start();
  std::vector<RawClient> clients;
  for (int i = 0; i < 3; ++i) clients.push_back(connect());
  for (int round = 0; round < 40; ++round) {
    clients.erase(clients.begin());  // its place goes to the next
    clients.push_back(connect());
    ASSERT_LE(server->limits().total(), 3U);
  }
  EXPECT_EQ(counts.opened, 43);
  for (RawClient& client : clients) EXPECT_EQ(echo(client, "x"), "x");
}

TEST_P(EveryMode, AClientAboveTheLimitWaitsUntilThereIsAPlace) {
  options.workers.connections = 2;
  options.workers.overload_percent = 100;
  start();
  auto first = connect();
  auto second = connect();
  auto third = dial();
  third.send("patient");
  const auto hits = [this] {
    std::uint64_t sum = server->accept_counters().limit_connections_hit.value();
    for (const auto& worker : server->workers()) {
      sum += worker->accept_counters().limit_connections_hit.value();
    }
    return sum;
  };
  run_until([&hits] { return hits() > 0; });
  EXPECT_EQ(counts.opened, 2);
  EXPECT_EQ(third.read_available(), "");
  first.close();
  run_until([this] { return counts.opened == 3; });
  EXPECT_EQ(third.read(7), "patient");
}

TEST_P(EveryMode, AClientAboveTheLimitIsResetWhenThatIsTheAction) {
  options.workers.connections = 2;
  options.workers.overload_action = OverloadAction::kReject;
  start();
  auto first = connect();
  auto second = connect();
  auto third = dial();
  const auto rejected = [this] {
    std::uint64_t sum = server->accept_counters().rejected.value();
    for (const auto& worker : server->workers()) {
      sum += worker->accept_counters().rejected.value();
    }
    return sum;
  };
  run_until([&rejected] { return rejected() == 1; });
  EXPECT_EQ(third.read_to_end(), "");
  EXPECT_TRUE(third.was_reset());
  EXPECT_EQ(echo(first, "x"), "x");
}

// A worker that has taken one client and looks for the next must not hold the other's place.
TEST_P(EveryMode, AsManyClientsAsThereArePlacesAreAllTaken) {
  options.workers.connections = 2;
  options.workers.overload_percent = 100;
  options.workers.overload_action = OverloadAction::kReject;
  start();
  for (int round = 0; round < 200; ++round) {
    std::vector<RawClient> clients;
    for (int i = 0; i < 2; ++i) clients.push_back(dial());
    run_until([this, round] { return counts.opened == 2 * (round + 1); });
    for (RawClient& client : clients) ASSERT_EQ(echo(client, "x"), "x") << round;
    for (RawClient& client : clients) client.close();
    run_until([this] { return server->limits().total() == 0; });
  }
}

// 2021: worker_connections compared descriptor numbers, over all workers.
TEST_P(EveryMode, WorkerConnectionsCountsConnectionsOfEachWorker) {
  options.workers.connections_per_worker = 2;
  options.workers.count = GetParam() == AcceptMode::kThread ? 2 : 1;
  start();
  std::vector<RawClient> clients;
  const int places = static_cast<int>(2 * options.workers.count);
  for (int i = 0; i < places; ++i) clients.push_back(connect());
  for (const auto& worker : server->workers()) {
    EXPECT_EQ(server->limits().of(worker->index()), 2U);
  }
  auto next = dial();
  clients[0].close();
  run_until([&] { return counts.opened == places + 1; });
}

// D03: above the soft limit those that wait for nothing are closed, oldest first.
TEST_P(EveryMode, AboveTheSoftLimitTheOldestIdleOnesAreClosed) {
  options.workers.count = 1;
  options.workers.connections = 10;
  options.workers.overload_percent = 50;
  start();
  std::vector<RawClient> clients;
  for (int i = 0; i < 5; ++i) clients.push_back(connect());  // the fifth reaches the soft limit
  run_until([this] { return server->overload().is_crowded(); });
  run_until([this] { return counts.closed >= 1; });  // after a second of silence
  EXPECT_EQ(clients[0].read_to_end(), "");
  EXPECT_TRUE(clients[0].ended());
  EXPECT_EQ(echo(clients[4], "x"), "x");
  run_until([this] { return !server->overload().is_crowded(); });
}

TEST_P(EveryMode, DrainingLetsExchangesEndAndClosesIdleOnes) {
  start();
  auto busy = connect();
  auto idle_one = connect();
  bool done = false;
  server->drain(20ms, 5s, [&done] { done = true; });
  EXPECT_EQ(idle_one.read_to_end(), "");  // the loop of its worker runs on
  EXPECT_TRUE(idle_one.ended());
  run_until([&done] { return done; });
  EXPECT_EQ(server->limits().total(), 0U);
  auto late = RawClient(-1);
  EXPECT_FALSE(late.connected());
  server->stop();
}

TEST_P(EveryMode, DrainingEndsWhenTheTimeIsUp) {
  factory = [](Worker&, std::uint32_t) -> std::unique_ptr<Protocol> {
    class Busy final : public Protocol {
      void on_data(Connection&, InBuffer& in) override { in.consume(in.size()); }
    };
    return std::make_unique<Busy>();
  };
  start();
  auto client = dial();
  run_until([this] { return server->limits().total() == 1; });
  bool done = false;
  server->drain(1ms, 50ms, [&done] { done = true; });
  run_until([&done] { return done; });
  EXPECT_EQ(server->limits().total(), 1U);
  const auto cut_off = [this] {
    std::uint64_t sum = 0;
    for (const auto& worker : server->workers())
      sum += worker->counters().drain_timeout_hit.value();
    return sum;
  };
  EXPECT_EQ(cut_off(), 0U);
  server->stop();
  EXPECT_EQ(server->limits().total(), 0U);
  EXPECT_EQ(cut_off(), 1U);
  EXPECT_EQ(client.read_to_end(), "");
  EXPECT_TRUE(client.was_reset());
}

TEST_P(EveryMode, StoppingWithoutADrainCutsNobodyOffForBeingSlow) {
  start();
  auto client = connect();
  server->stop();
  for (const auto& worker : server->workers()) {
    EXPECT_EQ(worker->counters().drain_timeout_hit.value(), 0U);
  }
  EXPECT_EQ(client.read_to_end(), "");
  EXPECT_FALSE(client.was_reset());
}

TEST_P(EveryMode, WhoDrainsTakesNoNewClients) {
  start();
  const std::uint16_t at = port();
  bool done = false;
  server->drain(1ms, 5s, [&done] { done = true; });
  run_until([&done] { return done; });
  options.listeners[0].port = at;  // the port is free again
  const auto next = try_create();
  EXPECT_TRUE(next.has_value());
}

TEST_P(EveryMode, WorkersStartOnTheirLoopsBeforeAnyClientComes) {
  std::atomic<int> started{0};
  std::atomic<bool> timer_set{false};
  on_worker_start = [&](Worker& worker) {
    EXPECT_EQ(EventLoop::current(), &worker.loop());
    worker.loop().assert_in_loop_thread();
    worker.loop().run_after(0ns, [&timer_set] { timer_set = true; });
    EXPECT_EQ(worker.connections().size(), 0U);
    ++started;
  };
  start();
  run_until([&] { return started == 2 && timer_set; });
  auto client = connect();
  EXPECT_EQ(echo(client, "x"), "x");
}

TEST_P(EveryMode, ServesManyListeners) {
  const test::TempDir dir;
  options.listeners.resize(3);
  options.listeners[1].port = 0;
  options.listeners[2].unix_path = dir.file("s.sock");
  std::atomic<std::uint32_t> seen{99};
  factory = [&](Worker&, std::uint32_t listener) {
    seen = listener;
    return std::make_unique<EchoProtocol>(counts);
  };
  start();
  auto first = connect();
  EXPECT_EQ(seen, 0U);
  auto second = RawClient::tcp(server->address(1).port());
  run_until([this] { return counts.opened == 2; });
  EXPECT_EQ(seen, 1U);
  auto third = RawClient::unix_socket(options.listeners[2].unix_path);
  run_until([this] { return counts.opened == 3; });
  EXPECT_EQ(seen, 2U);
  for (RawClient* client : {&first, &second, &third}) EXPECT_EQ(echo(*client, "hi"), "hi");
  EXPECT_EQ(server->names()[2], "unix:" + options.listeners[2].unix_path);
}

TEST_P(EveryMode, BlockedClientsAreTurnedAway) {
  options.workers.blocked = {"127.0.0.0/8"};
  start();
  auto client = dial();
  run_until([this] { return server->accepted() == 1; });
  EXPECT_EQ(client.read_to_end(), "");
  EXPECT_EQ(counts.opened, 0);
  run_until([this] { return server->limits().total() == 0; });  // given back after the close
}

TEST_P(EveryMode, AFactoryMayRefuse) {
  factory = [](Worker&, std::uint32_t) { return nullptr; };
  start();
  auto client = dial();
  EXPECT_TRUE(client.connected());
  run_until([this] { return server->accepted() == 1; });
  EXPECT_EQ(client.read_to_end(), "");
  run_until([this] { return server->limits().total() == 0; });  // its place was given back
}

// ---- posting to connections

TEST_F(ServerTest, APostReachesItsConnectionAndAStaleOneIsCounted) {
  std::atomic<bool> known{false};
  ConnectionId id;
  factory = [&](Worker&, std::uint32_t) { return std::make_unique<Telling>(id, known); };
  start();
  auto client = dial();
  run_until([&known] { return known.load(); });
  // 2021: a send from another thread dropped its data, or touched a string that had gone.
  std::thread([&] {
    std::string text = "from another thread";
    EXPECT_TRUE(server->post(id, [text = std::move(text)](Connection& connection) {
      connection.out().append_copy(as_bytes(text));
    }));
  }).join();
  EXPECT_EQ(client.read(19), "from another thread");
  client.close();
  run_until([this] { return server->limits().total() == 0; });
  EXPECT_TRUE(server->post(id, [](Connection&) { FAIL(); }));
  run_until([&] { return server->workers()[id.worker]->counters().stale_ids.value() == 1; });
  EXPECT_FALSE(server->post({99, {}}, [](Connection&) { FAIL(); }));
  EXPECT_FALSE(server->post({}, [](Connection&) { FAIL(); }));
  server->stop();
  EXPECT_FALSE(server->post(id, [](Connection&) { FAIL(); }));
}

// ---- beginning and end

TEST_F(ServerTest, StoppingBeforeTheStartIsHarmlessAndFinal) {
  create();
  server->stop();
  server->stop();
  EXPECT_FALSE(server->start());
}

TEST_F(ServerTest, DrainingBeforeTheStartAndAfterTheStopIsDoneAtOnce) {
  create();
  bool done = false;
  server->drain(1s, 1h, [&done] { done = true; });
  run_until([&done] { return done; });
  server->stop();
  done = false;
  server->drain(1s, 1h, [&done] { done = true; });
  run_until([&done] { return done; });
  server.reset();
}

TEST_F(ServerTest, StoppingInTheMiddleOfADrainForgetsIt) {
  start();
  auto client = connect();
  server->drain(1h, 1h, [] { FAIL(); });
  server->drain(1h, 1h, [] { FAIL(); });
  server->stop();
  server.reset();
  const TimerId tick = loop->run_every(1ms, [] {});
  int turns = 0;
  loop->run_until([&turns] { return ++turns > 30; });  // nothing of the drain is left in the loop
  loop->cancel(tick);
}

TEST_F(ServerTest, MayBeStoppedInsideACallbackOfTheMainLoop) {
  start();
  auto client = connect();
  loop->post([this] {
    server->stop();
    server.reset();
    loop->stop();
  });
  loop->run();
  EXPECT_EQ(client.read_to_end(), "");
}

TEST_F(ServerTest, RefusesABlockListThatIsNone) {
  options.workers.blocked = {"10.0.0.0/33"};
  const auto created = try_create();
  ASSERT_FALSE(created.has_value());
  EXPECT_TRUE(created.error().error == make_error_code(Errc::kBadAddress));
  EXPECT_EQ(created.error().listener, "");
}

TEST_F(ServerTest, NamesTheListenerThatCannotBe) {
  options.listeners.resize(2);
  options.listeners[1].address = "not an address";
  options.listeners[1].port = 7;
  const auto created = try_create();
  ASSERT_FALSE(created.has_value());
  EXPECT_EQ(created.error().listener, "not an address:7");
  options.listeners[1].unix_path = "/no/such/folder/s.sock";
  const auto unix_one = try_create();
  ASSERT_FALSE(unix_one.has_value());
  EXPECT_EQ(unix_one.error().listener, "unix:/no/such/folder/s.sock");
}

TEST_F(ServerTest, WakesItsWorkersOncePerBatch) {
  options.workers.count = 1;
  create();
  std::vector<RawClient> waiting;
  for (int i = 0; i < 32; ++i) waiting.push_back(dial());  // bound already, nobody accepts yet
  start();
  run_until([this] { return counts.opened == 32; });
  EXPECT_LE(server->accept_counters().wakeups.value(), 2U);
}

// A worker that does nothing for so long that its ring is full: its mailbox takes the rest.
TEST_F(ServerTest, ClientsBeyondTheRingOfAWorkerAreOpenedAllTheSame) {
  constexpr int kClients = static_cast<int>(Worker::kHandOverMax) + 10;
  const auto files = *sys::file_limit();
  SSX_NEEDS_SYSTEM(files.hard >= 3U * kClients, "so many descriptors");
  ASSERT_TRUE(sys::set_file_limit({files.hard, files.hard}));
  options.workers.count = 1;
  options.workers.connections = 2 * kClients;
  std::latch awake(1);
  on_worker_start = [&awake](Worker&) { awake.wait(); };
  start();
  std::vector<RawClient> clients;
  for (int i = 0; i < kClients; ++i) {
    clients.push_back(dial());
    if (i % 100 == 0) loop->run_until_idle();
  }
  run_until([this] { return server->accepted() == kClients; });
  EXPECT_EQ(counts.opened, 0);
  awake.count_down();
  run_until([this] { return counts.opened == kClients; });
  EXPECT_EQ(echo(clients.back(), "x"), "x");
  EXPECT_EQ(server->limits().total(), 1U * kClients);
  server->stop();
  EXPECT_EQ(counts.closed, kClients);
  EXPECT_EQ(server->limits().total(), 0U);
  ASSERT_TRUE(sys::set_file_limit(files));
}

TEST_F(ServerTest, ClientsAtWhomTheirWorkerNeverLookedAreClosedAndGiveTheirPlacesBack) {
  options.workers.count = 1;
  std::latch handed_over(1);
  on_worker_start = [&handed_over](Worker& worker) {
    handed_over.wait();
    worker.loop().stop();
  };
  start();
  std::vector<RawClient> clients;
  for (int i = 0; i < 3; ++i) clients.push_back(dial());
  run_until([this] { return server->accepted() == 3; });
  EXPECT_EQ(server->limits().total(), 3U);
  handed_over.count_down();
  server->stop();
  for (RawClient& client : clients) EXPECT_EQ(client.read_to_end(), "");
  EXPECT_EQ(counts.opened, counts.closed);
  EXPECT_EQ(server->limits().total(), 0U);
}

TEST_F(ServerTest, PinsItsWorkersToTheCoresItWasGiven) {
  const auto cores = *sys::allowed_cores();
  options.workers.cores = {cores.front(), cores.back(), cores.front()};
  std::atomic<int> right{0};
  on_worker_start = [&](Worker& worker) {
    const auto mine = *sys::allowed_cores();
    if (mine.size() == 1 && mine[0] == options.workers.cores[worker.index() + 1]) ++right;
  };
  start();
  run_until([&right] { return right == 2; });
}

}  // namespace
}  // namespace ssx::net
