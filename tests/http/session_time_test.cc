// The times of a session, each just before and just after its bound. A deadline never fires early,
// and at most one tick of the wheel late.
#include <gtest/gtest.h>

#include <string>

#include "ssxrver/net/timer_wheel.h"
#include "tests/http/session_fixture.h"

namespace ssx::http::test {
namespace {

constexpr Duration kLate = net::TimerWheel::kTick;

class SessionTimes : public SessionTest {
 protected:
  SessionTimes() {
    on(Method::kGet, "/", [](const Request&) { return "hello\n"; });
    on(Method::kPost, "/echo", [](const Request& r) { return std::string(r.body().text); });
  }

  /// Nothing happens until just before `bound`; the rest of it passes too.
  void expect_quiet(Client& client, Duration bound) {
    advance(bound - 1ms);
    EXPECT_EQ(client.read_available(), "");
    EXPECT_FALSE(client.ended());
    advance(1ms + kLate);
  }
  void expect_silent_end(Client& client, Duration bound) {
    expect_quiet(client, bound);
    EXPECT_TRUE(is_gone(client));
    EXPECT_TRUE(table->empty());
  }
  void expect_408(Client& client, Duration bound) {
    expect_quiet(client, bound);
    const Answer answer = client.read_response();
    EXPECT_EQ(answer.status, 408);
    EXPECT_EQ(answer.field("Connection"), "close");
    EXPECT_NE(answer.body.find("408 Request Timeout"), std::string::npos);
    EXPECT_TRUE(is_gone(client));
  }
};

// ---- first byte and idle

TEST_F(SessionTimes, EndsAConnectionThatNeverSaysAnything) {
  Client client = connect();
  expect_silent_end(client, options.timeouts.first_byte);
  EXPECT_EQ(counters().first_byte_timeouts.value(), 1u);
}

TEST_F(SessionTimes, TakesEmptyLinesForSilence) {
  Client client = connect();
  tell(client, "\r\n");
  expect_silent_end(client, options.timeouts.first_byte);
  EXPECT_EQ(counters().first_byte_timeouts.value(), 1u);
  options.timeouts.idle = 20s;
  Client old_one = connect();  // some send an empty line behind a body
  tell(old_one, post("/echo", "abc") + "\r\n");
  EXPECT_EQ(old_one.read_response().body, "abc");
  EXPECT_TRUE(connection->is_idle());
  expect_silent_end(old_one, service->options().timeouts.idle);
  EXPECT_EQ(counters().cut_requests.value(), 0u);
}

TEST_F(SessionTimes, TakesARequestBehindAnEmptyLine) {
  Client client = connect();
  tell(client, "\r\n");
  advance(5s);
  tell(client, "G");
  advance(options.timeouts.header - 1ms);
  tell(client, get("/").substr(1));
  EXPECT_EQ(client.read_response().status, 200);
  tell(client, "\r\n");
  tell(client, "\r\n");  // one too many
  EXPECT_EQ(client.read_response().status, 400);
}

TEST_F(SessionTimes, TakesAFirstByteThatComesInTime) {
  Client client = connect();
  advance(options.timeouts.first_byte - 1ms);
  EXPECT_EQ(ask(client, get("/")).status, 200);
  EXPECT_EQ(counters().first_byte_timeouts.value(), 0u);
}

TEST_F(SessionTimes, EndsAnIdleConnectionWithoutAWord) {
  options.timeouts.write = 0ms;
  options.timeouts.write_min_rate = 0;
  Client client = connect();
  ask(client, get("/"));
  expect_silent_end(client, options.timeouts.idle);
  EXPECT_EQ(counters().idle_timeouts.value(), 1u);
}

TEST_F(SessionTimes, CountsIdleTimeFromTheLatestRequest) {
  Client client = connect();  // with a write deadline that is shorter than the idle one
  for (int i = 0; i < 3; ++i) {
    ask(client, get("/"));
    advance(options.timeouts.idle - 1ms);
  }
  EXPECT_EQ(ask(client, get("/")).status, 200);
  advance(options.timeouts.idle - 1ms);
  EXPECT_FALSE(is_gone(client));
  advance(1ms + kLate);
  EXPECT_TRUE(is_gone(client));
}

TEST_F(SessionTimes, EndsAnIdleConnectionBeforeItsWriteDeadline) {
  options.timeouts.idle = 5s;
  Client client = connect();
  ask(client, get("/"));
  expect_silent_end(client, 5s);
}

TEST_F(SessionTimes, NeverEndsAnythingWhenTheTimesAreOff) {
  options.timeouts = {.first_byte = 0ms,
                      .header = 0ms,
                      .body = 0ms,
                      .body_min_rate = 0,
                      .write = 0ms,
                      .write_min_rate = 0,
                      .idle = 0ms};
  options.max_connection_age = 0ms;
  router = Router();
  on(Method::kPost, "/echo", [](const Request& r) { return std::string(r.body().text); });
  Client client = connect();
  const auto wait = [this] { advance(std::chrono::hours(1000)); };
  wait();
  const std::string all = post("/echo", "abc");
  for (const char byte : all) {
    tell(client, {&byte, 1});
    wait();
  }
  EXPECT_EQ(client.read_response().body, "abc");
  wait();
  EXPECT_EQ(ask(client, all).field("Connection"), "");
}

// ---- heads

TEST_F(SessionTimes, AnswersASlowHeadWith408) {
  Client client = connect();
  tell(client, "G");
  expect_408(client, options.timeouts.header);
  EXPECT_EQ(refused(Errc::kHeadTimedOut), 1u);
  EXPECT_EQ(counters().first_byte_timeouts.value(), 0u);
}

TEST_F(SessionTimes, CountsTheTimeOfAHeadFromItsFirstByteHoweverItTrickles) {
  Client client = connect();
  const std::string slow = get("/", "X: " + std::string(100, 'x') + "\r\n");
  advance(9s);  // counts for the first byte only
  for (int i = 0; i < 99; ++i) {
    tell(client, slow.substr(static_cast<std::size_t>(i), 1));
    advance(100ms);
  }
  EXPECT_FALSE(is_gone(client));
  advance(100ms + kLate);
  EXPECT_EQ(client.read_response().status, 408);
}

TEST_F(SessionTimes, HoldsTheSecondRequestToTheSameTime) {
  Client client = connect();
  ask(client, get("/"));
  advance(20s);
  tell(client, "GET / HTTP/1.1\r\n");
  advance(5s);
  tell(client, "Host: a");
  expect_408(client, options.timeouts.header - 5s);
}

TEST_F(SessionTimes, TakesAHeadThatIsCompleteInTime) {
  Client client = connect();
  tell(client, "GET / HTTP/1.1\r\n");
  advance(options.timeouts.header - 1ms);
  tell(client, "Host: a\r\n\r\n");
  EXPECT_EQ(client.read_response().status, 200);
  advance(kLate);
  EXPECT_FALSE(is_gone(client));
  EXPECT_EQ(refused(Errc::kHeadTimedOut), 0u);
}

// ---- bodies

TEST_F(SessionTimes, AnswersASilentBodyWith408) {
  Client client = connect();
  tell(client, without_end(post("/echo", "abc")));
  expect_408(client, options.timeouts.body);
  EXPECT_EQ(refused(Errc::kBodyTimedOut), 1u);
}

TEST_F(SessionTimes, WaitsForABodyWhileSomethingComes) {
  options.timeouts.body_min_rate = 0;
  router = Router();
  on(Method::kPost, "/echo", [](const Request& r) { return std::string(r.body().text); });
  Client client = connect();
  tell(client, without_end(post("/echo", "abcd")).substr(0, post("/echo", "abcd").size() - 4));
  for (const char byte : std::string("abc")) {
    advance(options.timeouts.body - 1ms);
    tell(client, {&byte, 1});
  }
  advance(options.timeouts.body - 1ms);
  tell(client, "d");
  EXPECT_EQ(client.read_response().body, "abcd");
}

TEST_F(SessionTimes, RefusesABodyBelowTheMinimumRateAfterTenSeconds) {
  for (const int more : {-1, 0, 1}) {
    Client client = connect();
    tell(client, request("POST", "/echo", "Content-Length: 1000000\r\n"));
    advance(10s);
    tell(client, std::string(static_cast<std::size_t>(10 * 1024 + more), 'x'));
    EXPECT_EQ(client.read_available().starts_with("HTTP/1.1 408"), more < 0) << more;
  }
  EXPECT_EQ(refused(Errc::kBodyTimedOut), 1u);
}

TEST_F(SessionTimes, AsksForNoRateInTheFirstTenSeconds) {
  Client client = connect();
  tell(client, request("POST", "/echo", "Content-Length: 3\r\n"));
  advance(10s - 1ms);
  tell(client, "a");
  EXPECT_EQ(client.read_available(), "");
  advance(1ms);
  tell(client, "b");
  EXPECT_EQ(client.read_response().status, 408);
}

TEST_F(SessionTimes, TakesTheTimesOfABodyFromTheRoute) {
  RouteLimits limits = RouteLimits::from(options);
  limits.body_timeout = 3s;
  on(
      Method::kPost, "/quick", [](const Request&) { return "ok"; }, limits);
  limits.body_timeout = 60s;
  limits.body_min_rate = 1;
  on(
      Method::kPost, "/slow", [](const Request&) { return "ok"; }, limits);
  Client quick = connect();
  tell(quick, without_end(post("/quick", "abc")));
  expect_408(quick, 3s);
  Client slow = connect();
  tell(slow, without_end(post("/slow", std::string(100, 'x'))));
  advance(59s);
  EXPECT_EQ(ask(slow, "x").body, "ok");
}

TEST_F(SessionTimes, TakesTheGraceOfABodysRateFromTheRoute) {
  RouteLimits limits = RouteLimits::from(options);
  limits.body_min_rate_grace = 5s;
  on(
      Method::kPost, "/hasty", [](const Request&) { return "ok"; }, limits);
  Client client = connect();
  tell(client, request("POST", "/hasty", "Content-Length: 3\r\n"));
  advance(5s - 1ms);
  tell(client, "a");
  EXPECT_EQ(client.read_available(), "");
  advance(1ms);
  tell(client, "b");
  EXPECT_EQ(client.read_response().status, 408);
}

// ---- how long, how many

TEST_F(SessionTimes, EndsAnOldConnectionAtTheNextAnswer) {
  options.max_connection_age = 100s;
  options.timeouts.idle = 0ms;
  Client client = connect();
  EXPECT_EQ(ask(client, get("/")).field("Connection"), "");
  advance(90s - 20ms);  // never before nine tenths of the age
  EXPECT_EQ(ask(client, get("/")).field("Connection"), "");
  EXPECT_EQ(counters().connection_age_hit.value(), 0u);
  advance(20s + 40ms);  // always after eleven tenths
  EXPECT_EQ(ask(client, get("/")).field("Connection"), "close");
  EXPECT_EQ(counters().connection_age_hit.value(), 1u);
  EXPECT_TRUE(is_gone(client));
}

TEST_F(SessionTimes, ScattersTheEndsOfConnectionsThatBeganTogether) {
  options.max_connection_age = 1000s;
  options.timeouts.first_byte = 0ms;
  std::vector<Client> clients;
  for (int i = 0; i < 50; ++i) clients.push_back(connect());
  advance(1000s);
  int ended = 0;
  for (Client& client : clients) ended += ask(client, get("/")).field("Connection") == "close";
  EXPECT_GT(ended, 10);
  EXPECT_LT(ended, 40);
}

TEST_F(SessionTimes, TakesAnAgeThatNobodyReaches) {
  options.max_connection_age = std::chrono::hours(24 * 365 * 100);
  Client client = connect();
  EXPECT_EQ(ask(client, get("/")).field("Connection"), "");
}

TEST_F(SessionTimes, EndsAConnectionWithItsLastPermittedRequest) {
  options.keepalive_requests = 3;
  for (const std::size_t requests : {2, 3, 4}) {
    Client client = connect();
    for (std::size_t i = 1; i <= std::min<std::size_t>(requests, 3); ++i) {
      EXPECT_EQ(ask(client, get("/")).field("Connection"), i == 3 ? "close" : "") << i;
    }
    EXPECT_EQ(is_gone(client), requests >= 3);
  }
  EXPECT_EQ(counters().keepalive_requests_hit.value(), 2u);
}

// ---- after the last answer

TEST_F(SessionTimes, ListensForAWhileAfterAnErrorAndThenEnds) {
  Client client = connect();
  tell(client, "nonsense\r\n\r\n");
  EXPECT_EQ(client.read_response().status, 400);
  client.expect_end();
  EXPECT_EQ(table->size(), 1u);  // it still reads what the client may be sending
  advance(connection_options.linger_timeout - 1ms);
  EXPECT_EQ(table->size(), 1u);
  advance(1ms + kLate);
  EXPECT_TRUE(table->empty());
}

TEST_F(SessionTimes, ListensUntilTheClientEnds) {
  Client client = connect();
  tell(client, "nonsense\r\n\r\n");
  tell(client, "more nonsense");
  EXPECT_EQ(table->size(), 1u);
  client.close();
  idle();
  EXPECT_TRUE(table->empty());
}

TEST_F(SessionTimes, LetsAClientThatIsStillSendingSeeTheAnswer) {
  options.body_max = 1000;
  router = Router();
  on(Method::kPost, "/echo", [](const Request& r) { return std::string(r.body().text); });
  for (const std::size_t more : {std::size_t{0}, std::size_t{60} << 10}) {
    Client client = connect_tcp();
    tell(client, request("POST", "/echo", "Content-Length: 1000000\r\n"));
    EXPECT_TRUE(client.send(std::string(more, 'x')));
    idle();
    EXPECT_EQ(client.read_response().status, 413);
    client.expect_end();  // an orderly one: a reset could take the answer away
  }
}

TEST_F(SessionTimes, ResetsAClientThatGoesOnSending) {
  Client client = connect_tcp();
  tell(client, "nonsense\r\n\r\n");
  const std::string answer = client.read_available();
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 400 "));
  tell(client, std::string(connection_options.linger_bytes + 1, 'x'));
  EXPECT_TRUE(table->empty());
}

}  // namespace
}  // namespace ssx::http::test
