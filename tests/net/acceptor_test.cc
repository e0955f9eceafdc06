#include "ssxrver/net/acceptor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "ssxrver/net/error.h"
#include "tests/support/captured_log.h"
#include "tests/support/manual_clock.h"
#include "tests/support/memory_net.h"
#include "tests/support/sim/kernel.h"

namespace ssx::net {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only
using test::MemoryPeer;

class AcceptorTest : public testing::Test {
 protected:
  AcceptorTest() {
    ListenOptions at;
    at.port = 0;
    listener = *net.listen(at, {});
  }
  ~AcceptorTest() override { EXPECT_EQ(places, places_at_start - static_cast<int>(taken.size())); }

  Acceptor& make(Acceptor::Options options = {}, const std::vector<std::string>& block = {}) {
    admission = *Admission::create(block, access);
    places_at_start = places;
    Acceptor::Hooks hooks;
    hooks.is_full = [this] { return places == 0; };
    hooks.reserve = [this] {
      ++asked;
      if (faster > 0) return --faster, false;
      return places > 0 && places-- > 0;
    };
    hooks.take = [this](Accepted accepted) { taken.push_back(std::move(accepted)); };
    hooks.batch_done = [this] { batches.push_back(taken.size()); };
    acceptor = std::make_unique<Acceptor>(*loop, *listener, options, *admission, counters,
                                          std::move(hooks));
    EXPECT_TRUE(acceptor->start());
    return *acceptor;
  }
  MemoryPeer dial(std::string_view from = "10.0.0.1") {
    return net.dial(listener->address(), *SocketAddress::parse(from, 40'000));
  }
  void idle() { loop->run_until_idle(); }
  void advance(Duration time) {
    clock.advance(time);
    idle();
  }

  test::ManualClock clock;
  test::MemoryNet net;
  std::unique_ptr<EventLoop> loop = *EventLoop::create({}, clock, net.make_poller());
  std::unique_ptr<Listener> listener;
  AccessOptions access;
  std::unique_ptr<Admission> admission = *Admission::create({}, {});
  AcceptCounters counters;
  std::unique_ptr<Acceptor> acceptor;
  int places = 1000;
  int asked = 0;
  int faster = 0;  ///< so often another worker takes the place that was free a moment ago
  int places_at_start = 1000;
  std::vector<Accepted> taken;
  std::vector<std::size_t> batches;
  const test::CapturedLog log;
};

TEST_F(AcceptorTest, TakesEverythingThatWaitsAndDoesNotLookForMore) {
  make();
  for (int i = 0; i < 5; ++i) dial();
  idle();
  EXPECT_EQ(taken.size(), 5U);
  EXPECT_EQ(taken[0].peer.to_string(), "10.0.0.1:40000");
  EXPECT_EQ(counters.accepted.value(), 5U);
  EXPECT_EQ(batches, (std::vector<std::size_t>{5}));
  EXPECT_EQ(net.accepts(), 5U);
}

// Once for each wake-up, and only where the workers are other threads.
TEST_F(AcceptorTest, LetsThoseWhoHandleThemGoFirst) {
  for (const bool yields : {false, true}) {
    taken.clear();
    places = 1000;
    make({.yields = yields});
    const sim::CallWatch watch;
    for (int i = 0; i < 3; ++i) dial();
    idle();
    EXPECT_EQ(watch.of(sim::Call::kYieldThread), yields ? 1U : 0U);
    acceptor.reset();
  }
}

TEST_F(AcceptorTest, TakesAtMostItsBatchPerTurn) {
  std::uint64_t full_batches = 0;
  for (const std::size_t count : {2U, 3U, 4U}) {
    taken.clear();
    places = 1000;
    batches.clear();
    make({.batch = 3});
    for (std::size_t i = 0; i < count; ++i) dial();
    idle();
    EXPECT_EQ(taken.size(), count);
    EXPECT_EQ(batches.size(), count > 3 ? 2U : 1U);
    EXPECT_EQ(batches.front(), std::min<std::size_t>(count, 3));
    EXPECT_EQ(counters.accept_batch_hit.value(), full_batches += count >= 3);
  }
}

// D02: one connection's error is passed over; what would come again at once makes it rest.
TEST_F(AcceptorTest, PassesOverErrorsOfThePeer) {
  make();
  for (const int error : {ECONNABORTED, EPROTO, EINTR, ENETDOWN, EHOSTUNREACH}) {
    const std::size_t before = taken.size();
    net.fail_accept(error);
    dial();
    idle();
    EXPECT_EQ(taken.size(), before + 1) << error;
    EXPECT_FALSE(acceptor->is_resting());
  }
  EXPECT_EQ(counters.aborted.value(), 5U);
}

TEST_F(AcceptorTest, RestsWhenSomethingIsUsedUpAndGoesOnLater) {
  make();
  for (const int error : {EMFILE, ENFILE, ENOBUFS, ENOMEM, EPERM, EACCES, EINVAL}) {
    const std::size_t before = taken.size();
    net.fail_accept(error);
    dial();
    const std::size_t calls = net.accepts();
    idle();
    EXPECT_EQ(net.accepts() - calls, 1U) << "spins: " << error;
    EXPECT_TRUE(acceptor->is_resting());
    advance(Acceptor::kRest - 1ms);
    EXPECT_EQ(taken.size(), before);
    advance(1ms);
    EXPECT_EQ(taken.size(), before + 1) << error;
    EXPECT_FALSE(acceptor->is_resting());
  }
  EXPECT_EQ(counters.paused.value(), 7U);
  EXPECT_FALSE(log.lines().empty());
}

// A unix listener that refuses newcomers is readable for ever.
TEST_F(AcceptorTest, LeavesThePollerWhenNobodyCanComeAnyMore) {
  make();
  dial();
  net.end_accepting();
  idle();
  EXPECT_EQ(taken.size(), 1U);
  EXPECT_FALSE(acceptor->is_resting());
  const std::size_t calls = net.accepts();
  acceptor->stop();
  EXPECT_EQ(net.accepts(), calls);
  EXPECT_TRUE(log.lines().empty());
}

TEST_F(AcceptorTest, AnErrorThatNeverEndsTakesItsBatchAndStopsToo) {
  make();
  net.fail_accept(ECONNABORTED, 1'000'000);
  dial();
  loop->run_until([turned = false]() mutable { return std::exchange(turned, true); });
  EXPECT_EQ(net.accepts(), 64U);
  acceptor->stop();
  EXPECT_LE(net.accepts(), Acceptor::kBacklogMax + 2 * 64);
}

TEST_F(AcceptorTest, FullItRestsAndAsksAgain) {
  places = 2;
  make();
  for (int i = 0; i < 4; ++i) dial();
  idle();
  EXPECT_EQ(taken.size(), 2U);
  EXPECT_TRUE(acceptor->is_resting());
  EXPECT_EQ(counters.limit_connections_hit.value(), 1U);
  advance(Acceptor::kRest);
  EXPECT_EQ(taken.size(), 2U);
  EXPECT_EQ(counters.limit_connections_hit.value(), 2U);
  taken.pop_back();
  ++places;
  advance(Acceptor::kRest);
  EXPECT_EQ(taken.size(), 2U);
  taken.clear();
  places = 2;
  advance(Acceptor::kRest);
  EXPECT_EQ(taken.size(), 1U);
  EXPECT_FALSE(acceptor->is_resting());
}

TEST_F(AcceptorTest, FullItResetsNewOnesWhenThatIsTheAction) {
  places = 2;
  make({.overload = OverloadAction::kReject});
  std::vector<MemoryPeer> peers;
  for (int i = 0; i < 4; ++i) peers.push_back(dial());
  idle();
  EXPECT_EQ(taken.size(), 2U);
  EXPECT_FALSE(peers[1].saw_reset());
  EXPECT_TRUE(peers[2].saw_reset());
  EXPECT_TRUE(peers[3].saw_reset());
  EXPECT_FALSE(acceptor->is_resting());
  EXPECT_EQ(counters.rejected.value(), 2U);
  EXPECT_EQ(counters.limit_connections_hit.value(), 2U);
  EXPECT_EQ(counters.accepted.value(), 4U);
}

// A place that is taken before anybody is there would be missing elsewhere.
TEST_F(AcceptorTest, LookingForSomebodyTakesNoPlace) {
  for (const auto action : {OverloadAction::kPause, OverloadAction::kReject}) {
    taken.clear();
    places = 1000;
    asked = 0;
    make({.overload = action});
    for (const int error : {EAGAIN, ECONNABORTED, EMFILE}) {
      net.fail_accept(error);
      dial();
      idle();
      advance(Acceptor::kRest);
    }
    EXPECT_EQ(taken.size(), 3U);
    EXPECT_EQ(asked, 3);
  }
}

TEST_F(AcceptorTest, WhoseLastPlaceAnotherWorkerTookWaitsForTheNextOne) {
  make();
  auto first = dial("10.0.0.1");
  auto second = dial("10.0.0.2");
  faster = 2;
  idle();
  EXPECT_TRUE(taken.empty());
  EXPECT_TRUE(acceptor->is_resting());
  EXPECT_EQ(counters.limit_connections_hit.value(), 1U);
  advance(Acceptor::kRest);
  EXPECT_TRUE(taken.empty());
  EXPECT_TRUE(acceptor->is_resting());
  EXPECT_EQ(counters.limit_connections_hit.value(), 2U);
  places = 0;
  advance(Acceptor::kRest);
  EXPECT_TRUE(taken.empty());
  places = 1000;
  advance(Acceptor::kRest);
  ASSERT_EQ(taken.size(), 2U);
  EXPECT_EQ(taken[0].peer.to_string(), "10.0.0.1:40000");  // in the order of their coming
  EXPECT_EQ(batches, (std::vector<std::size_t>{2}));
  EXPECT_EQ(counters.accepted.value(), 2U);
  EXPECT_EQ(counters.rejected.value(), 0U);
  EXPECT_FALSE(first.saw_reset());
}

TEST_F(AcceptorTest, WhoseLastPlaceAnotherWorkerTookIsResetWhenThatIsTheAction) {
  make({.overload = OverloadAction::kReject});
  auto peer = dial();
  faster = 1;
  idle();
  EXPECT_TRUE(peer.saw_reset());
  EXPECT_EQ(counters.rejected.value(), 1U);
  dial();
  idle();
  EXPECT_EQ(taken.size(), 1U);
}

TEST_F(AcceptorTest, StoppingTurnsAwayWhoWaitsForAPlace) {
  make();
  auto peer = dial();
  faster = 1;
  idle();
  ASSERT_TRUE(acceptor->is_resting());
  acceptor->stop();
  EXPECT_TRUE(peer.saw_reset());
  EXPECT_EQ(counters.rejected.value(), 1U);
  advance(1s);
  EXPECT_TRUE(taken.empty());
}

TEST_F(AcceptorTest, TurnsAwayWhoIsBlocked) {
  make({}, {"10.0.0.0/8"});
  auto bad = dial("10.9.9.9");
  auto good = dial("11.0.0.1");
  idle();
  EXPECT_EQ(taken.size(), 1U);
  EXPECT_TRUE(bad.saw_reset());
  EXPECT_FALSE(good.saw_reset());
  EXPECT_EQ(counters.blocked.value(), 1U);
  EXPECT_EQ(asked, 1);
  EXPECT_THAT(log.lines(), testing::Contains(testing::HasSubstr("blocked: 10.9.9.9")));
}

TEST_F(AcceptorTest, StoppingTakesTheBacklogAndThenNothing) {
  make({.batch = 2});
  for (int i = 0; i < 5; ++i) dial();
  acceptor->stop();
  EXPECT_EQ(taken.size(), 5U);
  dial();
  advance(1s);
  EXPECT_EQ(taken.size(), 5U);
  acceptor->stop();
}

TEST_F(AcceptorTest, StoppingWhileItRestsEndsTheRest) {
  places = 0;
  make();
  dial();
  idle();
  ASSERT_TRUE(acceptor->is_resting());
  acceptor->stop();
  advance(1s);
  EXPECT_EQ(counters.limit_connections_hit.value(), 1U);
  acceptor.reset();
  advance(1s);
}

TEST_F(AcceptorTest, ADeniedPeerAndOneTooManyAreResetAndCounted) {
  access.deny = {"10.0.0.0/8"};
  access.connections_per_ip = 2;
  make();
  auto denied = dial("10.1.2.3");
  std::vector<MemoryPeer> peers;
  for (int i = 0; i < 3; ++i) peers.push_back(dial("192.0.2.1"));
  idle();
  EXPECT_TRUE(denied.saw_reset());
  EXPECT_FALSE(peers[1].saw_reset());
  EXPECT_TRUE(peers[2].saw_reset());
  EXPECT_EQ(taken.size(), 2U);
  EXPECT_TRUE(taken[0].is_counted);
  EXPECT_EQ(counters.denied.value(), 1U);
  EXPECT_EQ(counters.limit_connections_per_ip_hit.value(), 1U);
  EXPECT_EQ(counters.rejected.value(), 0U);
}

// Whoever is turned away for another reason holds no place of his address.
TEST_F(AcceptorTest, TurningAwayGivesThePlaceOfTheAddressBack) {
  access.connections_per_ip = 5;
  places = 1;
  make({.overload = OverloadAction::kReject});
  for (int i = 0; i < 4; ++i) dial("192.0.2.1");
  idle();
  EXPECT_EQ(taken.size(), 1U);
  EXPECT_EQ(counters.rejected.value(), 3U);
  const auto from = *SocketAddress::parse("192.0.2.1", 0);
  EXPECT_EQ(admission->connections_of(from), 1U);
}

TEST_F(AcceptorTest, OneWhoWaitsInsideGivesItBackAtTheEnd) {
  access.connections_per_ip = 5;
  make();
  faster = 1;
  auto peer = dial("192.0.2.1");
  idle();
  const auto from = *SocketAddress::parse("192.0.2.1", 0);
  EXPECT_EQ(admission->connections_of(from), 1U);
  acceptor->stop();
  EXPECT_TRUE(peer.saw_reset());
  EXPECT_EQ(admission->connections_of(from), 0U);
}

TEST_F(AcceptorTest, RestsWhileThereIsNoMemory) {
  Overload memory;
  make({.memory = &memory});
  memory.set(OverloadLevel::kRefuse);
  dial();
  idle();
  EXPECT_EQ(taken.size(), 1U);
  memory.set(OverloadLevel::kStop);
  dial();
  idle();
  EXPECT_TRUE(acceptor->is_resting());
  EXPECT_EQ(net.accepts(), 1U);
  EXPECT_EQ(counters.limit_memory_hit.value(), 1U);
  memory.set(OverloadLevel::kRefuse);
  advance(Acceptor::kRest);
  EXPECT_EQ(taken.size(), 2U);
  acceptor.reset();
}

// D12: the poller has no room when the acceptor comes back.
TEST_F(AcceptorTest, APollerThatRefusesItLaterIsAskedAgain) {
  make();
  net.fail_accept(EMFILE);
  dial();
  idle();
  net.fail_add(ENOSPC);
  advance(Acceptor::kRest);
  EXPECT_TRUE(acceptor->is_resting());
  advance(Acceptor::kRest);
  EXPECT_EQ(taken.size(), 1U);
}

TEST_F(AcceptorTest, APollerThatRefusesItAtFirstIsAnError) {
  net.fail_add(ENOSPC);
  Acceptor refused(*loop, *listener, {}, *admission, counters, {});
  const auto started = refused.start();
  ASSERT_FALSE(started);
  EXPECT_TRUE(started.error().is_errno(ENOSPC));
}

}  // namespace
}  // namespace ssx::net
