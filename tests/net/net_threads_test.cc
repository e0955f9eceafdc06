// Many threads around one loop and one server: D03, E01, E05, E06 and F01, under
// ThreadSanitizer too.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <latch>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/net/server_fixture.h"
#include "tests/support/full_size.h"
#include "tests/support/temp_dir.h"

namespace ssx::net {
namespace {

using test::RawClient;

// ---- E06: a loop that ends while others post

TEST(LoopThreads, EveryPostIsEitherRunOrRefused) {
  for (int round = test::full_size(20, 1000); round > 0; --round) {
    auto loop = *EventLoop::create();
    std::atomic<std::uint64_t> accepted{0};
    std::atomic<std::uint64_t> refused{0};
    std::uint64_t ran = 0;
    const auto watched = std::make_shared<int>(0);
    std::latch ready(5);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        ready.arrive_and_wait();
        for (int j = 0; j < 500; ++j) {
          (loop->post([&ran, watched] { ++ran; }) ? accepted : refused).fetch_add(1);
        }
      });
    }
    std::thread stopper([&] {
      ready.arrive_and_wait();
      for (int j = round % 20 * 4; j > 0; --j) std::this_thread::yield();
      loop->stop();
    });
    loop->run();
    stopper.join();
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(ran, accepted);
    EXPECT_EQ(ran + refused, 2000U);
    EXPECT_EQ(loop->dropped_posts(), refused);
    EXPECT_EQ(watched.use_count(), 1);  // nothing of them is left anywhere
  }
}

TEST(LoopThreads, AWaitingLoopHearsEveryPost) {
  auto loop = *EventLoop::create();
  constexpr int kThreads = 4;
  constexpr int kEach = 3000;
  int ran = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < kEach; ++j) {
        EXPECT_TRUE(loop->post([&] {
          if (++ran == kThreads * kEach) loop->stop();
        }));
        if (j % 16 == 0) std::this_thread::yield();  // so that the loop falls asleep now and then
      }
    });
  }
  loop->run();  // a lost wake-up would leave it here
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ran, kThreads * kEach);
}

// ---- E05: stopping from anywhere, as often as one likes

TEST(LoopThreads, ManyThreadsMayStopIt) {
  auto loop = *EventLoop::create();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&loop] { loop->stop(); });
  loop->run();
  for (std::thread& thread : threads) thread.join();
}

class ServerThreads : public ServerTest {
 protected:
  /// The main loop in its own thread, as a daemon's.
  void run_main_loop() {
    main_thread = std::thread([this] { loop->run(); });
  }
  void end_main_loop() {
    loop->stop();
    main_thread.join();
  }
  std::thread main_thread;
};

TEST_F(ServerThreads, IsStoppedFromAnotherThreadThroughThePost) {
  start();
  run_main_loop();
  std::vector<RawClient> clients;
  for (int i = 0; i < 5; ++i) {
    clients.push_back(dial());
    EXPECT_EQ(echo(clients.back(), "x"), "x");
  }
  std::thread([this] {
    loop->post([this] {
      server->stop();
      server->stop();
    });
    loop->stop();
    loop->stop();
  }).join();
  main_thread.join();
  EXPECT_EQ(counts.closed, 5);
  for (RawClient& client : clients) EXPECT_EQ(client.read_to_end(), "");
}

// ---- what other threads send

// Of a connection that was up the data was dropped, of one that was coming up a reference was kept
// to a string that had gone.
TEST_F(ServerThreads, Defect2021DroppedWhatOtherThreadsSent) {
  constexpr int kThreads = 8;
  constexpr int kEach = 200;
  const std::string padding(2000, 'x');  // more than the socket takes at once, all in all
  ConnectionId id;
  std::atomic<bool> known{false};
  factory = [&](Worker&, std::uint32_t) { return std::make_unique<Telling>(id, known); };
  start();
  auto client = dial();
  run_until([&known] { return known.load(); });
  std::vector<std::thread> threads;
  std::size_t expected = 0;
  for (int i = 0; i < kThreads; ++i) {
    for (int j = 0; j < kEach; ++j) {
      expected += (std::to_string(i) + ' ' + std::to_string(j) + padding + '\n').size();
    }
    threads.emplace_back([&, i] {
      for (int j = 0; j < kEach; ++j) {
        std::string text = std::to_string(i) + ' ' + std::to_string(j) + padding + '\n';
        EXPECT_TRUE(server->post(id, [text = std::move(text)](Connection& connection) {
          connection.out().append_copy(as_bytes(text));
        }));
      }
    });
  }
  const std::string got = client.read(expected);
  for (std::thread& thread : threads) thread.join();
  ASSERT_EQ(got.size(), expected);
  std::array<int, kThreads> next{};
  std::istringstream lines(got);
  for (std::string line; std::getline(lines, line);) {
    const auto from = static_cast<std::size_t>(line.at(0) - '0');
    ASSERT_EQ(line, std::to_string(from) + ' ' + std::to_string(next.at(from)++) + padding);
  }
  for (const int count : next) EXPECT_EQ(count, kEach);
}

// ---- D03: full and free again

class LimitThreads : public ServerThreads, public testing::WithParamInterface<AcceptMode> {
 protected:
  LimitThreads() {
    options.workers.accept = GetParam();
    options.workers.count = GetParam() == AcceptMode::kThread ? 2 : 1;
    options.workers.connections = 2;
    options.workers.overload_percent = 100;
    options.workers.overload_action = OverloadAction::kReject;
  }
  [[nodiscard]] std::uint64_t rejected() const {
    std::uint64_t sum = server->accept_counters().rejected.value();
    for (const auto& worker : server->workers()) sum += worker->accept_counters().rejected.value();
    return sum;
  }
  void until_there_are(std::uint64_t count) {
    run_until([this, count] { return server->limits().total() == count; });
  }
};
INSTANTIATE_TEST_SUITE_P(Accept, LimitThreads, all_modes(), mode_name);

// A thousand times over the three modes: one takes the last place, one is turned away, one leaves.
TEST_P(LimitThreads, TheLimitIsReachedAndReleasedAThousandTimes) {
  constexpr int kRounds = 334;
  start();
  auto stays = connect();
  for (int round = 1; round <= kRounds; ++round) {
    auto last = connect();
    until_there_are(2);
    auto refused = dial();
    run_until([&] { return rejected() == static_cast<std::uint64_t>(round); });
    ASSERT_EQ(refused.read_to_end(), "");
    ASSERT_TRUE(refused.was_reset());
    last.close();
    until_there_are(1);
    ASSERT_EQ(counts.opened, 1 + round);
    ASSERT_EQ(counts.closed, round);
    ASSERT_EQ(echo(stays, "x"), "x");  // after a second of silence it would be shed
  }
}

// ---- E01: posts to connections that close meanwhile

class PostStorm : public ServerThreads, public testing::WithParamInterface<AcceptMode> {
 protected:
  PostStorm() { options.workers.accept = GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(Accept, PostStorm, all_modes(), mode_name);

/// Echoes, and says whom else one could send to: the connections that came last, ended or not.
class Listed final : public Protocol {
 public:
  class Names {
   public:
    void add(ConnectionId id) {
      const std::lock_guard lock(mutex_);
      ids_.at(next_++ % ids_.size()) = id;
    }
    [[nodiscard]] std::array<ConnectionId, 64> copy() {
      const std::lock_guard lock(mutex_);
      return ids_;
    }

   private:
    std::mutex mutex_;
    std::array<ConnectionId, 64> ids_;  ///< at first of no worker at all
    std::size_t next_ = 0;
  };

  Listed(EchoProtocol::Counts& counts, Names& names) : echo_(counts), names_(names) {}
  void on_open(Connection& connection) override {
    names_.add(connection.id());
    echo_.on_open(connection);
  }
  void on_data(Connection& connection, InBuffer& in) override { echo_.on_data(connection, in); }
  void on_close(Connection& connection, const Error& why) override {
    echo_.on_close(connection, why);
  }

 private:
  EchoProtocol echo_;
  Names& names_;
};

/// What 64 threads do: each sends to connections of all of them, and ends its own now and then.
class Senders {
 public:
  static constexpr int kThreads = 64;

  Senders(TcpServer& server, Listed::Names& names) : server_(server), names_(names) {}

  void send_all(int thread) {
    for (int sent = 0; sent < each_;) {
      auto client = try_to_dial(server_.address().port());
      if (client.connected() && client.send("hello")) client.read(5);
      sent += send_some(thread * 7, std::min(life_, each_ - sent));
      if (client.connected()) client.reset();
    }
  }

  [[nodiscard]] std::uint64_t sent() const {
    return 1ULL * kThreads * static_cast<unsigned>(each_);
  }
  std::atomic<std::uint64_t> reached{0};
  std::atomic<std::uint64_t> refused{0};

 private:
  /// Waits until all of it has been run or refused: what is under way takes memory.
  int send_some(int first, int count) {
    const auto ids = names_.copy();
    std::latch done(1);
    std::shared_ptr<std::latch> under_way(&done, [](std::latch* last) { last->count_down(); });
    for (int i = 0; i < count; ++i) {
      const ConnectionId id = ids.at(static_cast<std::size_t>(first + i) % ids.size());
      const auto say = [this, i, under_way](Connection& connection) {
        connection.out().append_copy(as_bytes("message " + std::to_string(i)));
        ++reached;
      };
      if (!server_.post(id, say)) ++refused;
    }
    under_way.reset();
    done.wait();
    return count;
  }

  TcpServer& server_;
  Listed::Names& names_;
  const int each_ = test::full_size(60, 1'000'000);
  const int life_ = test::full_size(20, 1000);  ///< of a client, in messages
};

TEST_P(PostStorm, SixtyFourThreadsSendWhilePeersCloseAndTheServerStops) {
  Listed::Names names;
  factory = [&](Worker&, std::uint32_t) { return std::make_unique<Listed>(counts, names); };
  start();
  run_main_loop();
  Senders senders(*server, names);
  std::vector<std::thread> threads;
  for (int i = 0; i < Senders::kThreads; ++i) {
    threads.emplace_back([&senders, i] { senders.send_all(i); });
  }
  for (int i = 0; i < Senders::kThreads / 2; ++i) threads[static_cast<std::size_t>(i)].join();
  std::atomic<bool> stopped{false};
  loop->post([this, &stopped] {
    server->stop();
    stopped = true;
  });
  for (std::thread& thread : threads) {
    if (thread.joinable()) thread.join();
  }
  while (!stopped) std::this_thread::yield();
  EXPECT_GT(senders.reached, 0U);
  std::uint64_t stale = 0;
  for (const auto& worker : server->workers()) stale += worker->counters().stale_ids.value();
  EXPECT_GT(stale, 0U);
  EXPECT_EQ(senders.reached + senders.refused + stale, senders.sent());
  EXPECT_FALSE(server->post({0, {0, 0}}, [](Connection&) { FAIL(); }));
  EXPECT_FALSE(server->post({2, {0, 0}}, [](Connection&) { FAIL(); }));  // there is no such worker
  end_main_loop();
  EXPECT_EQ(counts.opened, counts.closed);
  EXPECT_EQ(server->limits().total(), 0U);
}

// F01: who gets a connection gets an answer, up to the last one. Closing a listener would reset
// those in its backlog.
TEST_P(PostStorm, NobodyWhoConnectsIsResetByADrain) {
  const test::TempDir dir;
  options.listeners.resize(2);
  options.listeners[1].unix_path = dir.file("s.sock");
  start();
  run_main_loop();
  std::vector<std::thread> threads;
  std::atomic<int> cut{0};
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&, at = i % 2 == 0 ? port() : std::uint16_t{0}] {
      while (true) {
        auto client = try_to_dial(at, options.listeners[1].unix_path);
        if (!client.connected()) {
          EXPECT_NE(errno, ECONNRESET);
          return;
        }
        if (!client.send("hello") || client.read(5) != "hello") ++cut;
      }
    });
  }
  while (counts.opened < 200) std::this_thread::yield();
  std::atomic<bool> done{false};
  loop->post([&] { server->drain(1s, 10s, [&done] { done = true; }); });
  for (std::thread& thread : threads) thread.join();
  while (!done) std::this_thread::yield();
  EXPECT_EQ(cut, 0);
  EXPECT_EQ(server->limits().total(), 0U);
  loop->post([&] { server->stop(); });
  end_main_loop();
}

TEST_P(PostStorm, ClientsComeAndGoWhileTheServerDrains) {
  start();
  run_main_loop();
  const std::uint16_t at = port();
  std::atomic<bool> enough{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      while (!enough) {
        auto client = RawClient::tcp(at);
        if (!client.send("hello")) continue;
        client.read(5);
      }
    });
  }
  while (counts.opened < 50) std::this_thread::yield();
  enough = true;
  for (std::thread& thread : threads) thread.join();
  std::atomic<bool> done{false};
  loop->post([&] { server->drain(1ms, 10s, [&done] { done = true; }); });
  while (!done) std::this_thread::yield();
  EXPECT_EQ(server->limits().total(), 0U);
  loop->post([&] { server->stop(); });
  end_main_loop();
  EXPECT_EQ(counts.opened, counts.closed);
}

}  // namespace
}  // namespace ssx::net
