#include "ssxrver/net/worker.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "ssxrver/sys/socket.h"
#include "tests/net/server_fixture.h"
#include "tests/support/fail_at_nth.h"

namespace ssx::net {
namespace {

class WorkerTest : public testing::Test {
 protected:
  std::unique_ptr<Worker> make() {
    return *Worker::create(7, {}, {}, [this](Worker& worker, Worker::HandOver socket) {
      ++opened;
      listeners += socket.listener;
      worker.connections().adopt(std::move(socket.accepted),
                                 std::make_unique<EchoProtocol>(counts));
    });
  }
  /// Hands a socket over; the other end is kept. False when the ring is full.
  bool hand_over(Worker& worker, std::uint32_t listener = 1) {
    auto pair = *sys::socket_pair(SOCK_STREAM);
    Worker::HandOver socket{{std::move(pair.first), {}, nullptr}, listener};
    const bool taken = worker.hand_over(std::move(socket));
    EXPECT_EQ(static_cast<bool>(socket.accepted.fd), !taken);  // untouched when it did not fit
    if (taken) peers.push_back(std::move(pair.second));
    return taken;
  }
  /// What happens on the worker's thread is seen here when it has run a function of ours.
  static void settle(Worker& worker) {
    std::atomic<bool> done{false};
    ASSERT_TRUE(worker.loop().post([&done] {
      done = true;
      done.notify_one();
    }));
    done.wait(false);
  }

  std::atomic<int> opened{0};
  std::atomic<std::uint32_t> listeners{0};
  EchoProtocol::Counts counts;
  std::vector<sys::UniqueFd> peers;
};

TEST_F(WorkerTest, OpensWhatIsHandedOver) {
  auto worker = make();
  EXPECT_EQ(worker->index(), 7U);
  bool first = false;
  ASSERT_TRUE(worker->start(std::nullopt, [&first] { first = true; }));
  for (std::uint32_t i = 1; i <= 3; ++i) EXPECT_TRUE(hand_over(*worker, i));
  EXPECT_TRUE(worker->wake());
  while (opened < 3) settle(*worker);
  EXPECT_EQ(listeners, 6U);
  worker->stop();
  worker->join();
  EXPECT_TRUE(first);
  EXPECT_EQ(worker->connections().size(), 3U);
  worker.reset();
  EXPECT_EQ(counts.closed, 3);
}

TEST_F(WorkerTest, IsWokenOnceUntilItHasLooked) {
  auto worker = make();  // does not run, so it does not look
  const sim::CallWatch watch;
  EXPECT_TRUE(hand_over(*worker));
  EXPECT_TRUE(worker->wake());
  EXPECT_FALSE(worker->wake());
  EXPECT_EQ(watch.of(sim::Call::kEventfdSignal), 1U);
  worker->loop().run_until_idle();
  EXPECT_EQ(opened, 1);
  EXPECT_TRUE(worker->wake());
}

TEST_F(WorkerTest, IsWokenAgainWhenTheWakeUpHasFailed) {
  auto worker = make();
  EXPECT_TRUE(hand_over(*worker));
  {
    sim::FaultPlan plan;
    plan.fail(sim::Call::kEventfdSignal, EAGAIN);
    worker->wake();
    EXPECT_EQ(plan.faults(), 1U);
  }
  worker->loop().run_until_idle();
  EXPECT_EQ(opened, 0);
  EXPECT_TRUE(worker->wake());
  worker->loop().run_until_idle();
  EXPECT_EQ(opened, 1);
}

TEST_F(WorkerTest, TakesAtMostSoManyPerTurnAndForgetsNone) {
  auto worker = make();
  const int count = static_cast<int>(Worker::kTakenPerTurn) + 10;
  for (int i = 0; i < count; ++i) EXPECT_TRUE(hand_over(*worker));
  worker->wake();
  worker->loop().run_until([turned = false]() mutable { return std::exchange(turned, true); });
  EXPECT_EQ(opened, static_cast<int>(Worker::kTakenPerTurn));
  worker->loop().run_until_idle();
  EXPECT_EQ(opened, count);
}

TEST_F(WorkerTest, WhatWasNotOpenedIsClosedAndCounted) {
  auto worker = make();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(hand_over(*worker));
  int left = 0;
  worker->discard_handed_over([&left](const Accepted&) { ++left; });
  EXPECT_EQ(left, 3);
  worker->discard_handed_over([&left](const Accepted&) { ++left; });
  EXPECT_EQ(left, 3);
  std::array<std::byte, 8> room;
  EXPECT_EQ(sys::receive(peers[0].get(), room).value_or(99), 0U);
  EXPECT_EQ(opened, 0);
}

TEST_F(WorkerTest, IsNotMadeWhenTheSystemRefuses) {
  const auto failures = sim::fail_at_nth([](const sim::FaultPlan& plan) {
    const auto made = Worker::create(0, {}, {}, [](Worker&, Worker::HandOver) {});
    EXPECT_EQ(made.has_value(), plan.faults() == 0);
  });
  EXPECT_GE(failures, 7U);
}

TEST_F(WorkerTest, IsJoinedWhenItIsDestroyedWhileItRuns) {
  auto worker = make();
  ASSERT_TRUE(worker->start(std::nullopt, nullptr));
  EXPECT_TRUE(hand_over(*worker));
  worker->wake();
  worker.reset();
  EXPECT_EQ(counts.opened, counts.closed);
}

}  // namespace
}  // namespace ssx::net
