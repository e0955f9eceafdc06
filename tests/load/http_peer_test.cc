// A load of HTTP against servers that do as a test wants: every answer and every failure counts.
#include "ssxrver/load/http_peer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <string>

#include "ssxrver/load/plan_run.h"
#include "tests/load/fake_server.h"
#include "tests/load/measured.h"
#include "tests/support/reserved_port.h"

namespace ssx::load {
namespace {

using std::chrono::milliseconds;
using test::always;
using test::count;
using test::expect_all_well;
using test::expect_sent;
using test::FakeServer;
using test::measured;
using test::Visit;

constexpr const char* kHello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

class HttpLoads : public testing::Test {
 protected:
  Outcome run(const FakeServer& server, Duration time = milliseconds(200)) {
    plan.target = server.address();
    return run(time);
  }
  Outcome run(Duration time) {
    return measured(plan, peer_loads(plan, make_http_peers(plan)), time,
                    [this](const Progress& now) { told = now; });
  }

  /// What is begun in a run is what was due in its window, give or take what was due before it.
  template <class Run>
  void expect_rate(double rate, double depth, Run run_it) {
    const TimePoint begin = SystemClock::instance().now();
    const Outcome outcome = run_it();
    const double elapsed = test::seconds(SystemClock::instance().now() - begin);
    const auto begun = static_cast<double>(outcome.tally.begun());
    EXPECT_GE(begun, rate * test::seconds(outcome.window) - depth);
    EXPECT_LE(begun, rate * elapsed + depth);
  }

  HttpPlan plan = make_plan();
  Progress told{};

 private:
  static HttpPlan make_plan() {
    HttpPlan made;
    made.request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    made.connections = 3;
    return made;
  }
};

TEST_F(HttpLoads, KeepTheirConnections) {
  const FakeServer server(always(kHello));
  const Outcome outcome = run(server);
  expect_all_well(outcome);
  EXPECT_EQ(server.visits(), 3);
  EXPECT_GE(outcome.tally.bytes_in, outcome.tally.answered * std::string(kHello).size());
  EXPECT_GT(told.answered, 0U);
  EXPECT_LE(told.answered, outcome.tally.answered);
  EXPECT_GT(outcome.tally.latency.percentile(0.5), Duration(0));
}

TEST_F(HttpLoads, ShareTheirConnectionsAmongThreads) {
  plan.connections = 5;
  plan.threads = 2;
  const FakeServer server(always(kHello));
  expect_all_well(run(server));
  EXPECT_EQ(server.visits(), 5);
}

TEST_F(HttpLoads, MakeAConnectionForEachRequest) {
  plan.keeps_connections = false;
  const FakeServer server([](Visit& visit) {
    if (!visit.read_request().empty()) visit.send(kHello);
  });
  const Outcome outcome = run(server);
  expect_all_well(outcome);
  EXPECT_GE(static_cast<std::uint64_t>(server.visits()), outcome.tally.answered);
  EXPECT_GE(outcome.tally.connects + outcome.tally.carried, outcome.tally.answered);
}

TEST_F(HttpLoads, ComeBackWhereTheServerClosesInOrder) {
  const FakeServer server([](Visit& visit) {
    if (!visit.read_request().empty())
      visit.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
  });
  const Outcome outcome = run(server);
  expect_all_well(outcome);
  EXPECT_GT(outcome.tally.connects, 10U);
}

TEST_F(HttpLoads, SendSeveralRequestsAtOnce) {
  plan.depth = 4;
  std::atomic<int> answered = 0;
  const FakeServer server([&answered](Visit& visit) {
    for (;;) {
      for (int i = 0; i < 4; ++i) {
        if (visit.read_request().empty()) return;
      }
      std::string answers;
      for (int i = 0; i < 4; ++i) answers += kHello;
      visit.send(answers);
      answered += 4;
    }
  });
  const Outcome outcome = run(server);
  expect_all_well(outcome);
  EXPECT_EQ(outcome.tally.begun() % 4, 0U);
}

TEST_F(HttpLoads, ReadAnswersHoweverTheyAreCut) {
  const std::string answers[] = {
      kHello, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n"};
  for (const std::string& answer : answers) {
    const FakeServer server([&answer](Visit& visit) {
      for (std::size_t cut = 1; !visit.read_request().empty();
           cut = cut % (answer.size() - 1) + 1) {
        visit.send(std::string_view(answer).substr(0, cut));
        visit.pause(milliseconds(1));
        visit.send(std::string_view(answer).substr(cut));
      }
    });
    expect_all_well(run(server));
  }
}

TEST_F(HttpLoads, ReadToTheEndWhatHasNoLength) {
  const FakeServer server([](Visit& visit) {
    if (!visit.read_request().empty()) visit.send("HTTP/1.0 200 OK\r\n\r\nhello");
  });
  expect_all_well(run(server));
}

TEST_F(HttpLoads, ReadWhateverComesUntilTheServerCloses) {
  plan.keeps_connections = false;
  plan.answer = HttpPlan::Answer::kUntilClosed;
  const FakeServer server([](Visit& visit) {
    if (!visit.read_request().empty()) visit.send("no HTTP at all");
  });
  const Outcome outcome = run(server);
  expect_all_well(outcome);
  // Three may have had their bytes before the window.
  EXPECT_GE(outcome.tally.bytes_in, 14 * (outcome.tally.answered - 3));
}

TEST_F(HttpLoads, DoNotWaitWhereNobodyWants) {
  plan.keeps_connections = false;
  plan.answer = HttpPlan::Answer::kNotAwaited;
  plan.rate = 500;  // what begins a thread for each would fall behind who waits for nothing
  const FakeServer server([](Visit& visit) { (void)visit.read_request(); });
  expect_all_well(run(server));
}

TEST_F(HttpLoads, DoNotMindWhatComesUnasked) {
  plan.rate = 200;
  plan.connections = 2;
  const FakeServer server([](Visit& visit) {
    while (!visit.read_request().empty()) {
      visit.send(kHello);
      visit.pause(milliseconds(2));
      visit.send("and more");
    }
  });
  const Outcome outcome = run(server, milliseconds(400));
  EXPECT_GT(outcome.tally.answered, 10U);
  EXPECT_GT(outcome.tally.connects, 10U);
}

TEST_F(HttpLoads, ComeBackWhereTheAnswerComesBeforeTheRequestHasLeft) {
  plan.request = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 16000000\r\n\r\n" +
                 std::string(16'000'000, 'x');
  const FakeServer server([](Visit& visit) {
    (void)visit.read_request();
    visit.send(kHello);
    visit.pause(milliseconds(5));
  });
  const Outcome outcome = run(server, milliseconds(400));
  EXPECT_GT(outcome.tally.answered, 0U);
  EXPECT_GT(outcome.tally.connects, 3U);
}

// Who closes with bytes unread resets: that comes behind the answer, and perhaps before it is read.
TEST_F(HttpLoads, ReadTheAnswerOfWhoDoesNotReadTheRequest) {
  plan.request = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 16000000\r\n\r\n" +
                 std::string(16'000'000, 'x');
  const FakeServer server([](Visit& visit) {
    if (visit.read_request().empty()) return;
    visit.send("HTTP/1.1 413 Too much\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
  });
  const Outcome outcome = run(server);
  EXPECT_GT(count(outcome, Failure::kStatus), 3U);
  EXPECT_EQ(outcome.tally.failed(), count(outcome, Failure::kStatus));
}

TEST_F(HttpLoads, CountNoAnswerToWhatWasNotAsked) {
  std::atomic<std::uint64_t> asked = 0;
  const FakeServer server([&asked](Visit& visit) {
    for (; !visit.read_request().empty(); ++asked) visit.send(std::string(kHello) + kHello);
  });
  const Outcome outcome = run(server);
  EXPECT_GT(outcome.tally.answered, 3U);
  EXPECT_LE(outcome.tally.answered, asked + 3U);  // told, and not counted by the server yet
  EXPECT_GT(count(outcome, Failure::kMalformed), 3U);
  EXPECT_EQ(outcome.tally.failed(), count(outcome, Failure::kMalformed));
}

TEST_F(HttpLoads, HoldTheirRate) {
  plan.rate = 200;
  const FakeServer server(always(kHello));
  expect_rate(200, 1, [&] { return run(server, milliseconds(500)); });
}

TEST_F(HttpLoads, HoldTheirRateWithSeveralRequestsAtOnce) {
  plan.rate = 400;
  plan.depth = 4;
  const FakeServer server(always(kHello));
  expect_rate(400, 4, [&] { return run(server, milliseconds(500)); });
}

TEST_F(HttpLoads, UseEveryConnectionAtARate) {
  plan.rate = 100;
  plan.connections = 5;
  std::array<std::atomic<int>, 5> requests{};
  const FakeServer server([&requests](Visit& visit) {
    while (!visit.read_request().empty()) {
      ++requests.at(static_cast<std::size_t>(visit.number()) % requests.size());
      visit.send(kHello);
    }
  });
  const auto begun = static_cast<int>(run(server, milliseconds(500)).tally.begun());
  for (const auto& count : requests) EXPECT_GT(count, begun / 10) << "half of its share";
}

TEST_F(HttpLoads, CountWhatIsDueWhenTheServerHangsToTheEnd) {
  plan.rate = 1000;
  const FakeServer server([](Visit& visit) {
    for (int i = 0; i < 50 && !visit.read_request().empty(); ++i) visit.send(kHello);
    visit.pause(std::chrono::hours(1));
  });
  const Outcome outcome = run(server, milliseconds(500));
  EXPECT_GE(outcome.tally.begun(), 1000 * test::seconds(outcome.window) - 1);
  EXPECT_GT(outcome.tally.unfinished, 250U);
  EXPECT_EQ(outcome.tally.unsent, outcome.tally.unfinished - plan.connections);
  EXPECT_GT(outcome.tally.latency.percentile(0.5), milliseconds(50))
      << "and not that of the answers";
}

TEST_F(HttpLoads, CountTheTimeOfWhatWasGivenUpAtARate) {
  plan.rate = 100;
  plan.connections = 100;
  plan.timeout = milliseconds(50);
  const FakeServer server([](Visit& visit) {
    while (!visit.read_request().empty()) {
    }
  });
  const Outcome outcome = run(server, milliseconds(500));
  EXPECT_GT(count(outcome, Failure::kTimeout), 10U);
  EXPECT_GT(outcome.tally.latency.percentile(0.9), milliseconds(50));
}

TEST_F(HttpLoads, CountTheTimeThatARequestHadToWait) {
  plan.rate = 1000;
  plan.connections = 1;
  const FakeServer server([](Visit& visit) {  // 100 a second
    while (!visit.read_request().empty()) {
      visit.pause(milliseconds(10));
      visit.send(kHello);
    }
  });
  const Outcome outcome = run(server, milliseconds(500));
  EXPECT_GT(outcome.tally.latency.max(), milliseconds(200)) << "and not just 10 ms";
}

TEST_F(HttpLoads, HoldConnectionsThatSayNothingAfterOneAnswer) {
  plan.is_idle = true;
  plan.timeout = milliseconds(50);  // is for that answer
  std::atomic<int> requests = 0;
  const FakeServer server([&requests](Visit& visit) {
    for (; !visit.read_request().empty(); ++requests) visit.send(kHello);
  });
  const Outcome outcome = run(server);
  EXPECT_EQ(outcome.tally.unfinished, 3U);
  EXPECT_EQ(outcome.tally.standing, 3U);
  EXPECT_EQ(outcome.tally.failed(), 0U);
  EXPECT_EQ(requests, 3);
}

TEST_F(HttpLoads, DoNotTakeSilenceForAConnectionThatStands) {
  plan.is_idle = true;
  plan.timeout = milliseconds(50);
  const FakeServer server([](Visit& visit) {
    if (visit.number() == 1) return always(kHello)(visit);
    while (!visit.read_request().empty()) {
    }
  });
  const Outcome outcome = run(server, milliseconds(400));
  EXPECT_EQ(outcome.tally.standing, 1U);
  EXPECT_GT(count(outcome, Failure::kTimeout), 2U);
}

TEST_F(HttpLoads, HoldConnectionsBehindALargeBodyToo) {
  plan.is_idle = true;
  plan.body = std::string(100'000, 'b');
  const FakeServer server([this](Visit& visit) {
    while (!visit.read_request().empty() && visit.read_bytes(plan.body.size())) visit.send(kHello);
  });
  EXPECT_EQ(run(server).tally.unfinished, 3U);
}

TEST_F(HttpLoads, CountFromTheVeryFirstByteWithoutAWarmUp) {
  plan.body = std::string(100'000, 'b');
  const FakeServer server([this](Visit& visit) {
    // One answer for each: what was sent is what has come, and nothing follows.
    if (!visit.read_request().empty() && visit.read_bytes(plan.body.size())) visit.send(kHello);
    (void)visit.read_bytes(plan.body.size() + plan.request.size());
    (void)visit.read_bytes(1);
  });
  plan.target = server.address();
  const Outcome outcome = measured(
      plan, peer_loads(plan, make_http_peers(plan)), milliseconds(200), [](const Progress&) {},
      Duration::zero());
  EXPECT_EQ(outcome.tally.carried, 0U);
  EXPECT_EQ(outcome.tally.answered, 3U);
  EXPECT_EQ(outcome.tally.bytes_out, 6 * (plan.request.size() + plan.body.size()));
}

TEST_F(HttpLoads, SendALargeBodyFromWhereItLies) {
  plan.depth = 2;
  plan.body = std::string(300'000, 'b');
  const FakeServer server([this](Visit& visit) {
    while (!visit.read_request().empty() && visit.read_bytes(plan.body.size())) visit.send(kHello);
  });
  const Outcome outcome = run(server);
  expect_all_well(outcome);
  expect_sent(outcome, plan.body.size());
}

TEST_F(HttpLoads, CountAStatusThatIsNoSuccess) {
  const FakeServer server(always("HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n"));
  const Outcome outcome = run(server);
  EXPECT_EQ(outcome.tally.answered, 0U);
  EXPECT_EQ(outcome.tally.failed(), count(outcome, Failure::kStatus));
  EXPECT_GT(count(outcome, Failure::kStatus), 10U);
}

TEST_F(HttpLoads, CountWhatIsNoAnswer) {
  const FakeServer server(always("what?\r\n\r\n"));
  const Outcome outcome = run(server);
  EXPECT_EQ(outcome.tally.answered, 0U);
  EXPECT_GT(count(outcome, Failure::kMalformed), 0U);
}

TEST_F(HttpLoads, CountAnEndInsteadOfAnAnswer) {
  const FakeServer server([](Visit& visit) { (void)visit.read_request(); });
  EXPECT_GT(count(run(server), Failure::kClosed), 0U);
}

TEST_F(HttpLoads, CountAnEndWithinAnAnswer) {
  const FakeServer server([](Visit& visit) {
    if (!visit.read_request().empty()) visit.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx");
  });
  EXPECT_GT(count(run(server), Failure::kClosed), 0U);
}

TEST_F(HttpLoads, CountAReset) {
  const FakeServer server([](Visit& visit) {
    (void)visit.read_request();
    visit.break_off();
  });
  EXPECT_GT(count(run(server), Failure::kReset), 0U);
}

TEST_F(HttpLoads, CountAnAnswerThatDoesNotCome) {
  plan.timeout = milliseconds(50);
  const FakeServer server([](Visit& visit) {
    while (!visit.read_request().empty()) {
    }
  });
  EXPECT_GT(count(run(server, milliseconds(400)), Failure::kTimeout), 0U);
}

TEST_F(HttpLoads, CountThatNobodyListens) {
  const ssx::test::ReservedPort nobody;
  plan.target = *net::SocketAddress::parse("127.0.0.1", nobody.number());
  const Outcome outcome = run(milliseconds(300));
  EXPECT_EQ(outcome.tally.answered, 0U);
  EXPECT_GT(count(outcome, Failure::kConnect), 0U);
  EXPECT_LT(count(outcome, Failure::kConnect), 100U) << "it rests between two attempts";
  EXPECT_EQ(outcome.tally.refusal, ECONNREFUSED);
}

TEST_F(HttpLoads, ComeFromTheAddressesThatAreNamed) {
  plan.sources = {*net::SocketAddress::parse("127.0.0.2", 0),
                  *net::SocketAddress::parse("127.0.0.3", 0)};
  test::Guests guests;
  const FakeServer server([&guests](Visit& visit) {
    guests.note(visit.host());
    always(kHello)(visit);
  });
  expect_all_well(run(server));
  EXPECT_THAT(guests.hosts(), testing::ElementsAre("127.0.0.2", "127.0.0.3"));
}

}  // namespace
}  // namespace ssx::load
