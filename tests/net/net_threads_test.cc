// Many threads around one loop and one server: D03, E01, E05, E06 and F01, under
// ThreadSanitizer too.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <latch>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "ssxrver/sys/address.h"
#include "tests/net/server_fixture.h"
#include "tests/support/temp_dir.h"

namespace ssx::net {
namespace {

using test::RawClient;

// ---- E06: a loop that ends while others post

TEST(LoopThreads, EveryPostIsEitherRunOrRefused) {
  for (int round = 0; round < 20; ++round) {
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
      for (int j = 0; j < round * 4; ++j) std::this_thread::yield();
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
  }
  EXPECT_EQ(echo(stays, "x"), "x");
}

// ---- E01: posts to connections that close meanwhile

class PostStorm : public ServerThreads, public testing::WithParamInterface<AcceptMode> {
 protected:
  PostStorm() { options.workers.accept = GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(Accept, PostStorm, all_modes(), mode_name);

TEST_P(PostStorm, SixtyFourThreadsSendWhilePeersCloseAndTheServerStops) {
  constexpr int kThreads = 64;
  constexpr int kEach = 60;
  start();
  run_main_loop();
  const std::uint16_t at = port();
  std::atomic<int> reached{0};
  std::atomic<int> refused{0};
  std::latch ready(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      auto client = RawClient::tcp(at);
      client.send("hello");
      EXPECT_EQ(client.read(5), "hello");  // it is there
      ready.arrive_and_wait();
      for (int j = 0; j < kEach; ++j) {
        // Slots are guessed: some are there, some have ended, some never were.
        const ConnectionId id{static_cast<std::uint32_t>(i % 3),
                              {static_cast<std::uint32_t>((i * 7 + j) % 40), 0}};
        std::string text = "message " + std::to_string(j);
        const bool posted = server->post(id, [&reached, text](Connection& connection) {
          connection.out().append_copy(as_bytes(text));
          ++reached;
        });
        if (!posted) ++refused;
        if (j == i % kEach) client.reset();
      }
    });
  }
  ready.wait();
  for (int i = 0; i < kThreads / 2; ++i) threads[static_cast<std::size_t>(i)].join();
  std::atomic<bool> stopped{false};
  loop->post([this, &stopped] {
    server->stop();
    stopped = true;
  });
  for (int i = kThreads / 2; i < kThreads; ++i) threads[static_cast<std::size_t>(i)].join();
  while (!stopped) std::this_thread::yield();
  EXPECT_GT(reached, 0);
  std::uint64_t stale = 0;
  for (const auto& worker : server->workers()) stale += worker->counters().stale_ids.value();
  EXPECT_EQ(static_cast<std::uint64_t>(reached + refused) + stale, 1U * kThreads * kEach);
  EXPECT_GE(refused, kThreads / 3 * kEach / 2);  // a third names a worker that does not exist
  EXPECT_FALSE(server->post({0, {0, 0}}, [](Connection&) { FAIL(); }));
  end_main_loop();
  EXPECT_EQ(counts.opened, counts.closed);
  EXPECT_EQ(server->limits().total(), 0U);
}

/// A client of this port or, when that is 0, of this path. Not connected: it was refused.
RawClient try_to_dial(std::uint16_t port, const std::string& path) {
  const auto at =
      port != 0 ? SocketAddress::parse("127.0.0.1", port)->to_raw() : *sys::make_unix(path);
  const int fd = ::socket(at.get()->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (::connect(fd, at.get(), at.size) == 0) return RawClient(fd);
  EXPECT_TRUE(errno == ECONNREFUSED || errno == ENOENT) << errno;
  ::close(fd);
  return RawClient(-1);
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
        if (!client.connected()) return;
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
