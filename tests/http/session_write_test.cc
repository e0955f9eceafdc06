// Clients that read slowly, or not at all. The wire is in memory, so that every byte that they take
// is counted.
#include <gtest/gtest.h>

#include <cerrno>
#include <string>

#include "ssxrver/net/timer_wheel.h"
#include "tests/http/session_fixture.h"
#include "tests/support/memory_net.h"
#include "tests/support/sim/kernel.h"

namespace ssx::http::test {
namespace {

using ssx::test::MemoryPeer;

constexpr Duration kLate = net::TimerWheel::kTick + 17ms;  // of the wheel, and of the session
constexpr std::size_t kRoom = 10'000;
constexpr std::size_t kRate = 1000;

class SlowReader : public SessionTest {
 protected:
  SlowReader() {
    loop = *net::EventLoop::create({}, clock, wire.make_poller());
    options.timeouts.idle = std::chrono::hours(24);
    options.timeouts.write_min_rate = 0;
  }
  void TearDown() override {
    SessionTest::TearDown();
    loop.reset();
  }
  void set_up_routes() {
    on(Method::kGet, "/", [](const Request&) { return "hello\n"; });
    on(Method::kGet, "/big", [this](const Request&) { return big; });
    on(Method::kPost, "/echo", [](const Request& r) { return std::string(r.body().text); });
  }
  MemoryPeer dial() {
    if (service == nullptr) {
      if (router.empty()) set_up_routes();
      start_service();
    }
    auto pair = wire.pair();
    connection = table->adopt(std::move(pair.accepted), service->make_session(0));
    pair.peer.room(kRoom);
    return std::move(pair.peer);
  }
  /// Asks, and does not read.
  MemoryPeer ask_only(std::string_view bytes) {
    MemoryPeer peer = dial();
    peer.send(bytes);
    idle();
    EXPECT_EQ(peer.received().size(), kRoom);
    return peer;
  }
  std::string take(MemoryPeer& peer, std::size_t most) {
    std::string text = peer.take(most);
    idle();
    return text;
  }
  std::string take_all(MemoryPeer& peer) {
    idle();
    std::string all;
    for (std::string some = take(peer, SIZE_MAX); !some.empty(); some = take(peer, SIZE_MAX)) {
      all += some;
    }
    return all;
  }
  /// In steps, as time does: what happens on the way has its own times.
  void pass(Duration time) {
    for (; time > 100ms; time -= 100ms) advance(100ms);
    advance(time);
  }
  /// It is there until just before `bound` has passed, and no longer.
  void expect_reset(const MemoryPeer& peer, Duration bound, Duration late = kLate) {
    pass(bound - 1ms);
    EXPECT_EQ(table->size(), 1u);
    pass(1ms + late);
    EXPECT_TRUE(peer.saw_reset());
    EXPECT_TRUE(table->empty());
  }

  ssx::test::MemoryNet wire;
  std::string big = pattern(2 << 20);
};

TEST_F(SlowReader, IsResetWhenItTakesNothing) {
  const MemoryPeer peer = ask_only(get("/big"));
  connection = nullptr;
  // What the wire has taken counts at first. Both looks may be late.
  expect_reset(peer, 2 * options.timeouts.write, 2 * kLate + 100ms);
  EXPECT_EQ(counters().write_timeouts.value(), 1u);
}

TEST_F(SlowReader, IsResetAtOnceWhenNothingCanLeave) {
  MemoryPeer peer = dial();
  peer.room(0).send(get("/big"));
  idle();
  expect_reset(peer, options.timeouts.write);
  EXPECT_EQ(counters().write_timeouts.value(), 1u);
}

TEST_F(SlowReader, IsResetAfterItsLastAnswerToo) {
  MemoryPeer peer = dial();
  peer.room(0).send(get("/big", "Connection: close\r\n"));
  idle();
  expect_reset(peer, options.timeouts.write);
}

TEST_F(SlowReader, IsResetWhenItHasSentItsEnd) {
  MemoryPeer peer = dial();
  peer.room(0).send(get("/big"));
  peer.end();
  idle();
  expect_reset(peer, options.timeouts.write);
}

TEST_F(SlowReader, IsGivenTimeWithEveryByte) {
  MemoryPeer peer = ask_only(get("/big"));
  advance(options.timeouts.write + kLate);
  for (int i = 0; i < 5; ++i) {
    take(peer, 1);
    advance(options.timeouts.write + kLate);
    ASSERT_EQ(table->size(), 1u) << i;
  }
  advance(options.timeouts.write + kLate);
  EXPECT_TRUE(table->empty());
  EXPECT_EQ(counters().write_timeouts.value(), 1u);
}

TEST_F(SlowReader, IsNotResetForAnIdleTimeThatIsShorter) {
  options.timeouts.idle = 5s;
  MemoryPeer peer = dial();
  peer.room(0).send(get("/big"));
  idle();
  expect_reset(peer, options.timeouts.write);
}

TEST_F(SlowReader, IsIdleOnlyFromTheEndOfItsAnswerOn) {
  options.timeouts.idle = 60s;
  MemoryPeer peer = ask_only(get("/big"));
  while (connection->unsent_bytes() > 0) {
    advance(20s);
    take(peer, SIZE_MAX);
  }
  EXPECT_GT(clock.now() - TimePoint(24h), 1000s);
  advance(60s - 1ms);
  EXPECT_EQ(table->size(), 1u);
  advance(1ms + kLate);
  EXPECT_TRUE(table->empty());
  EXPECT_EQ(counters().idle_timeouts.value(), 1u);
}

TEST_F(SlowReader, IsResetBelowTheMinimumRateAfterThirtySeconds) {
  options.timeouts.write = 0ms;
  options.timeouts.write_min_rate = kRate;
  for (const int more : {-1, 0, 1}) {
    MemoryPeer peer = ask_only(get("/big"));
    take(peer, kRoom);
    take(peer, kRoom / 2);
    take(peer, kRoom / 2 + static_cast<std::size_t>(more));
    ASSERT_EQ(connection->sent_bytes(), 30 * kRate + static_cast<std::size_t>(more));
    advance(30s - 1ms);
    EXPECT_FALSE(peer.saw_reset());
    advance(1ms + kLate);
    EXPECT_EQ(peer.saw_reset(), more < 0) << more;
    peer.reset();
    idle();
  }
  EXPECT_EQ(counters().write_min_rate_hit.value(), 1u);
  EXPECT_EQ(counters().write_timeouts.value(), 0u);
}

// As the profile "hardened" has it: both times are ten seconds.
TEST_F(SlowReader, IsResetBelowTheMinimumRateWhenItsGraceIsOver) {
  options.timeouts.write = 10s;
  options.timeouts.write_min_rate = kRate;
  options.timeouts.write_min_rate_grace = 10s;
  for (const int more : {-1, 0, 1}) {
    MemoryPeer peer = dial();
    peer.room(10 * kRate + static_cast<std::size_t>(more)).send(get("/big"));
    idle();
    advance(10s - 1ms);
    EXPECT_FALSE(peer.saw_reset());
    advance(1ms + kLate);
    EXPECT_EQ(peer.saw_reset(), more < 0) << more;
    peer.reset();
    idle();
  }
  EXPECT_EQ(counters().write_min_rate_hit.value(), 1u);
  EXPECT_EQ(counters().write_timeouts.value(), 0u);
}

// More looks fit into such a grace than can be counted: they are fewer then.
TEST_F(SlowReader, HasAGraceAsLongAsTheLongest) {
  options.timeouts.write = 20ms;
  options.timeouts.write_min_rate = kRate;
  options.timeouts.write_min_rate_grace = 300s;
  MemoryPeer peer = ask_only(get("/big"));
  Duration survived{};
  for (; !peer.saw_reset() && survived < 600s; survived += 100ms) {
    take(peer, 1);
    advance(100ms);
  }
  EXPECT_GE(survived, 300s);
  EXPECT_LT(survived, 350s);  // each of the looks may be late
  EXPECT_EQ(counters().write_min_rate_hit.value(), 1u);
}

TEST_F(SlowReader, HasToKeepTheRateUp) {
  options.timeouts.write = 0ms;
  options.timeouts.write_min_rate = kRate;
  MemoryPeer peer = ask_only(get("/big"));
  for (int i = 0; i < 3; ++i) {
    for (std::size_t taken = 0; taken < 30 * kRate; taken += kRoom) take(peer, kRoom);
    advance(30s + kLate);
    ASSERT_EQ(table->size(), 1u) << i;
  }
  take(peer, kRoom);
  advance(30s + kLate);
  EXPECT_TRUE(peer.saw_reset());
  EXPECT_EQ(counters().write_min_rate_hit.value(), 1u);
}

// Many looks fit into the thirty seconds: none of them may be lost count of.
TEST_F(SlowReader, HasToKeepTheRateUpHoweverOftenItIsLookedAt) {
  options.timeouts.write = 20ms;
  options.timeouts.write_min_rate = kRate;
  MemoryPeer peer = ask_only(get("/big"));
  Duration survived{};
  for (; !peer.saw_reset() && survived < 60s; survived += 10ms) {
    take(peer, 1);
    advance(10ms);
  }
  EXPECT_GE(survived, 30s);
  EXPECT_LT(survived, 60s);
  EXPECT_EQ(counters().write_min_rate_hit.value(), 1u);
}

TEST_F(SlowReader, OwesNoRateInItsFirstThirtySeconds) {
  options.timeouts.write = 10s;
  options.timeouts.write_min_rate = kRate;
  MemoryPeer peer = ask_only(get("/big"));
  for (int i = 0; i < 2; ++i) {
    advance(10s + kLate);
    take(peer, 1);
    ASSERT_EQ(table->size(), 1u) << i;
  }
  advance(10s + kLate);
  EXPECT_TRUE(peer.saw_reset());
  EXPECT_EQ(counters().write_min_rate_hit.value(), 1u);
}

TEST_F(SlowReader, IsHeldToTheTimesOfTheRoute) {
  RouteLimits limits = RouteLimits::from(options);
  limits.write_timeout = 7s;
  on(
      Method::kGet, "/hasty", [this](const Request&) { return big; }, limits);
  limits.write_timeout = 90s;
  limits.write_min_rate = 0;
  on(
      Method::kGet, "/patient", [this](const Request&) { return big; }, limits);
  MemoryPeer hasty = dial();
  hasty.room(0).send(get("/hasty"));
  idle();
  expect_reset(hasty, 7s);
  MemoryPeer patient = dial();
  patient.room(0).send(get("/patient"));
  idle();
  expect_reset(patient, 90s);
}

TEST_F(SlowReader, MayTakeAllTheTimeItWantsWhenTheTimesAreOff) {
  options.timeouts.write = 0ms;
  options.timeouts.write_min_rate = 0;
  options.timeouts.idle = 10s;
  MemoryPeer peer = ask_only(get("/big"));
  advance(std::chrono::hours(1000));
  EXPECT_EQ(table->size(), 1u);
  EXPECT_TRUE(take_all(peer).ends_with(big));
  advance(10s + kLate);
  EXPECT_TRUE(table->empty());  // idle at last
}

// Requests that come while an answer is stuck must not give it more time.
TEST_F(SlowReader, GainsNoTimeByAskingForMore) {
  big = pattern(200 << 10);  // below output_low: reading goes on
  MemoryPeer peer = dial();
  peer.room(0).send(get("/big"));
  idle();
  ASSERT_FALSE(connection->is_blocked());
  for (int i = 0; i < 29; ++i) {
    advance(1s);
    peer.send(get("/"));
    idle();
  }
  EXPECT_EQ(counters().requests.value(), 30u);
  expect_reset(peer, 1s);
}

TEST_F(SlowReader, GainsNoTimeByPartsOfRequests) {
  big = pattern(200 << 10);
  MemoryPeer peer = dial();
  peer.room(0).send(get("/big"));
  idle();
  for (int i = 0; i < 2; ++i) {
    pass(9s);
    peer.send("GET / HTTP/1.1\r\n");
    pass(9s);  // in time for a head
    EXPECT_FALSE(peer.saw_reset()) << i;
    peer.send("Host: a\r\n\r\n");
    idle();
  }
  EXPECT_EQ(counters().requests.value(), 3u);
  advance(kLate);
  EXPECT_TRUE(peer.saw_reset());
}

TEST_F(SlowReader, GainsNoTimeByItsEnd) {
  big = pattern(200 << 10);
  MemoryPeer peer = dial();
  peer.room(0).send(get("/big"));
  idle();
  pass(options.timeouts.write - 1s);
  peer.end();
  idle();
  expect_reset(peer, 1s);
}

TEST_F(SlowReader, IsNotReadFromWhileItsOutputWaits) {
  MemoryPeer peer = ask_only(get("/big"));
  for (int i = 0; i < 10'000; ++i) peer.send(get("/big"));
  idle();
  EXPECT_EQ(counters().requests.value(), 1u);
  EXPECT_LE(connection->unsent_bytes(), big.size() + 1000);
  EXPECT_GT(peer.unread(), 10'000u);
  peer.room(0);
  expect_reset(peer, 2 * options.timeouts.write, 2 * kLate + 100ms);
}

TEST_F(SlowReader, GetsEveryAnswerWhenItReadsAfterAll) {
  big = pattern(300 << 10);
  const std::string three = get("/big") + get("/") + get("/nothing");
  MemoryPeer peer = ask_only(three);
  const std::string expected = take_all(peer);
  EXPECT_GT(expected.size(), big.size());
  for (int i = 0; i < 20; ++i) peer.send(three);
  idle();
  std::string said;
  while (said.size() < 20 * expected.size()) {
    const std::string some = take(peer, 3000);
    ASSERT_FALSE(some.empty());
    said += some;
  }
  for (std::size_t i = 0; i < 20; ++i) {
    ASSERT_TRUE(said.substr(i * expected.size(), expected.size()) == expected) << i;
  }
  EXPECT_EQ(counters().requests.value(), 63u);
}

// The part of a request that is there waits as long as the server does not read.
TEST_F(SlowReader, IsNotBlamedForAHeadThatWaitsBehindItsAnswer) {
  MemoryPeer peer = ask_only(get("/big") + "GET / HTTP/1.1\r\n");
  ASSERT_TRUE(connection->is_blocked());
  for (int i = 0; i < 10; ++i) {
    advance(5s);
    take(peer, SIZE_MAX);
  }
  peer.send("Host: a\r\n\r\n");
  EXPECT_TRUE(take_all(peer).ends_with("hello\n"));
  EXPECT_EQ(refused(Errc::kHeadTimedOut), 0u);
}

TEST_F(SlowReader, HasTheTimeOfAHeadAgainOnceItReads) {
  MemoryPeer peer = ask_only(get("/big") + "GET / HTTP/1.1\r\n");
  advance(25s);
  take_all(peer);
  advance(options.timeouts.header - 1ms);
  EXPECT_EQ(peer.received(), "");
  advance(1ms + kLate);
  EXPECT_TRUE(peer.received().starts_with("HTTP/1.1 408 "));
}

TEST_F(SlowReader, IsResetBehindAHeadThatWaits) {
  MemoryPeer peer = dial();
  peer.room(0).send(get("/big") + "GET / HTTP/1.1\r\n");
  idle();
  expect_reset(peer, options.timeouts.write);
  EXPECT_EQ(counters().write_timeouts.value(), 1u);
}

TEST_F(SlowReader, IsNotBlamedForABodyThatWaitsBehindItsAnswer) {
  const std::string body = pattern(20 << 10);
  const std::string whole = post("/echo", body);
  MemoryPeer peer = ask_only(get("/big") + whole.substr(0, 200));
  ASSERT_TRUE(connection->is_blocked());
  advance(25s);
  peer.send(whole.substr(200, 1000));
  take_all(peer);
  advance(9s);
  peer.send(whole.substr(1200, 1000));
  idle();
  EXPECT_EQ(refused(Errc::kBodyTimedOut), 0u);
  peer.send(whole.substr(2200));
  EXPECT_TRUE(take_all(peer).ends_with(body));
}

// ---- over TCP: the system takes more in advance than a slow client takes in minutes

class SlowTcpReader : public SessionTest {
 protected:
  SlowTcpReader() {
    options.timeouts.write_min_rate = 0;
    on(Method::kGet, "/big", [this](const Request&) { return big; });
  }
  Client ask_only() {
    Client client = connect_tcp(16 << 10, 1 << 20);
    tell(client, get("/big"));
    EXPECT_GT(connection->unsent_bytes(), 0u);
    return client;
  }
  std::string big = pattern(8 << 20);
};

TEST_F(SlowTcpReader, IsGivenTimeForWhatTheSystemHasTakenToo) {
  Client client = ask_only();
  advance(options.timeouts.write + kLate);
  const std::uint64_t sent_before = connection->sent_bytes();
  for (int i = 0; i < 5; ++i) {
    const std::uint64_t taken_before = connection->taken_bytes();
    while (connection->taken_bytes() == taken_before) ASSERT_EQ(client.read(1000).size(), 1000u);
    advance(options.timeouts.write + kLate);
    ASSERT_EQ(table->size(), 1u) << i;
  }
  EXPECT_EQ(connection->sent_bytes(), sent_before);
  advance(options.timeouts.write + kLate);
  EXPECT_TRUE(table->empty());
  EXPECT_EQ(counters().write_timeouts.value(), 1u);
  client.read_to_end();
  EXPECT_TRUE(client.was_reset());
}

TEST_F(SlowTcpReader, IsJudgedByWhatTheSystemHasTakenWhenItDoesNotSay) {
  Client client = ask_only();
  sim::FaultPlan plan;
  plan.fail(sim::Call::kUnacknowledged, ENOTTY, sim::kForever);
  advance(options.timeouts.write + kLate);
  client.read(1000);
  advance(options.timeouts.write + kLate);
  EXPECT_TRUE(table->empty());
  EXPECT_EQ(counters().write_timeouts.value(), 1u);
}

}  // namespace
}  // namespace ssx::http::test
