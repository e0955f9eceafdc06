// A load of TCP against servers that do as a test wants.
#include "ssxrver/load/tcp_peer.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>

#include "ssxrver/load/echo_command.h"
#include "ssxrver/load/plan_run.h"
#include "tests/load/fake_server.h"
#include "tests/load/measured.h"

namespace ssx::load {
namespace {

using std::chrono::milliseconds;
using test::count;
using test::expect_all_well;
using test::FakeServer;
using test::measured;
using test::Visit;

class TcpLoads : public testing::Test {
 protected:
  Outcome run(const FakeServer& server) {
    options.url = server.address().to_string();
    const auto plan = make_plan(options);
    EXPECT_TRUE(plan) << plan.error().text();
    return measured(*plan, peer_loads(*plan, make_tcp_peers(*plan)));
  }
  [[nodiscard]] std::string message() const { return sample_payload(options.size); }
  void echo(Visit& visit) const {
    while (visit.read_bytes(options.size)) visit.send(message());
  }

  TcpOptions options = [] {
    TcpOptions made;
    made.connections = 3;
    made.size = 40;
    return made;
  }();
};

TEST_F(TcpLoads, SendAMessageWhenTheLastHasComeBack) {
  const FakeServer server([this](Visit& visit) { echo(visit); });
  expect_all_well(run(server));
  EXPECT_EQ(server.visits(), 3);
}

TEST_F(TcpLoads, SendSeveralAtOnceAndReadHoweverTheyAreCut) {
  options.depth = 3;
  const FakeServer server([this](Visit& visit) {
    const std::string answers = message() + message() + message();
    for (std::size_t cut = 1; visit.read_bytes(3 * options.size); cut = cut % 110 + 1) {
      visit.send(std::string_view(answers).substr(0, cut));
      visit.pause(milliseconds(1));
      visit.send(std::string_view(answers).substr(cut));
    }
  });
  expect_all_well(run(server));
}

// The first comes back while the last have not left yet.
TEST_F(TcpLoads, SendMoreAtOnceThanTheSocketsHold) {
  options.connections = 1;
  options.size = 128 << 10;
  options.depth = 128;
  const FakeServer server([this](Visit& visit) { echo(visit); });
  expect_all_well(run(server));
  EXPECT_EQ(server.visits(), 1);
}

TEST_F(TcpLoads, MakeAConnectionForEachMessage) {
  options.each = true;
  const FakeServer server([this](Visit& visit) { echo(visit); });
  const Outcome outcome = run(server);
  expect_all_well(outcome);
  EXPECT_GE(static_cast<std::uint64_t>(server.visits()), outcome.tally.answered);
}

TEST_F(TcpLoads, HoldConnectionsThatSayNothingAfterOneEcho) {
  options.idle = true;
  std::atomic<int> echoes = 0;
  const FakeServer server([this, &echoes](Visit& visit) {
    for (; visit.read_bytes(options.size); ++echoes) visit.send(message());
  });
  const Outcome outcome = run(server);
  EXPECT_EQ(outcome.tally.unfinished, 3U);
  EXPECT_EQ(echoes, 3);
}

TEST_F(TcpLoads, CountWhatIsNotWhatWasSent) {
  const FakeServer server([this](Visit& visit) {
    while (visit.read_bytes(options.size)) visit.send(std::string(options.size, 'x'));
  });
  const Outcome outcome = run(server);
  EXPECT_EQ(outcome.tally.answered, 0U);
  EXPECT_GT(count(outcome, Failure::kMalformed), 0U);
}

TEST_F(TcpLoads, CountAServerThatSaysMore) {
  const FakeServer server([this](Visit& visit) {
    if (visit.read_bytes(options.size)) visit.send(message() + message().substr(0, 5));
    visit.pause(milliseconds(50));
  });
  EXPECT_GT(run(server).tally.failed(), 0U);
}

TEST_F(TcpLoads, CountAServerThatCloses) {
  const FakeServer server([this](Visit& visit) { (void)visit.read_bytes(options.size); });
  EXPECT_GT(count(run(server), Failure::kClosed), 0U);
}

}  // namespace
}  // namespace ssx::load
