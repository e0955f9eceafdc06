// The log by itself, and which exchanges of sessions write which line.
#include "http/access_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "ssxrver/net/awaitables.h"
#include "tests/http/session_fixture.h"

namespace ssx::http::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Lines = std::vector<std::string>;

LineSink into(Lines& lines) {
  return {[](void* context, std::string_view line) noexcept {
            static_cast<Lines*>(context)->emplace_back(line);
          },
          &lines};
}

// ---- by itself

std::unique_ptr<const AccessLog::Rules> rules_of(const AccessLogOptions& options,
                                                 LineSink sink = {}) {
  auto rules = AccessLog::Rules::create(options, sink);
  EXPECT_TRUE(rules);
  return *std::move(rules);
}

std::size_t wanted(AccessLog& log, std::size_t count, std::string_view path = "/") {
  std::size_t yes = 0;
  for (std::size_t i = 0; i < count; ++i) yes += log.wants(path) ? 1U : 0U;
  return yes;
}

TEST(AccessLog, TakesItsShareExactly) {
  Counters counters;
  for (const double sample : {0.0, 0.001, 0.01, 0.25, 1.0 / 3, 0.5, 0.999, 1.0}) {
    AccessLogOptions options;
    options.sample = sample;
    const auto rules = rules_of(options);
    AccessLog log(*rules, 0, counters);
    for (const std::size_t count : {1000U, 9000U}) {
      EXPECT_NEAR(static_cast<double>(wanted(log, count)), sample * static_cast<double>(count), 1)
          << sample;
    }
  }
}

TEST(AccessLog, TakesTheFirstOfNoneAndAllOfOne) {
  Counters counters;
  AccessLogOptions options;
  const auto all = rules_of(options);
  AccessLog every(*all, 7, counters);
  EXPECT_EQ(wanted(every, 100), 100u);
  options.sample = 0;
  const auto none = rules_of(options);
  AccessLog never(*none, 7, counters);
  EXPECT_EQ(wanted(never, 100), 0u);
}

// One request to each of many workers: about the share of them gets a line, not none of them.
TEST(AccessLog, SharesAreScatteredOverWorkers) {
  Counters counters;
  AccessLogOptions options;
  options.sample = 0.25;
  const auto rules = rules_of(options);
  std::size_t yes = 0;
  for (std::uint32_t worker = 0; worker < 64; ++worker) {
    AccessLog log(*rules, worker, counters);
    yes += wanted(log, 1);
  }
  EXPECT_NEAR(static_cast<double>(yes), 16, 3);
}

TEST(AccessLog, LeavesPathsOutWithoutAShareOfTheirOwn) {
  Counters counters;
  AccessLogOptions options;
  options.sample = 0.5;
  options.exclude = {"/healthz", "/static/*", "/users/{id}/ping"};
  const auto rules = rules_of(options);
  AccessLog log(*rules, 0, counters);
  for (const char* path : {"/healthz", "/static/", "/static/a/b", "/users/7/ping"}) {
    EXPECT_EQ(wanted(log, 3, path), 0u) << path;
  }
  for (const char* path : {"/", "/healthz/", "/healthz2", "/users/7", ""}) {
    EXPECT_EQ(wanted(log, 10, path), 5u) << path;
  }
}

TEST(AccessLog, RefusesWhatIsNoRule) {
  const auto place = [](const AccessLogOptions& options) {
    const auto rules = AccessLog::Rules::create(options, {});
    return rules ? std::string() : std::string(rules.error().where());
  };
  EXPECT_EQ(place({}), "");
  AccessLogOptions options;
  options.format = "$nothing";
  EXPECT_EQ(place(options), "log.access.format");
  for (const double sample : {-0.1, 1.1, std::nan("")}) {
    options = {};
    options.sample = sample;
    EXPECT_EQ(place(options), "log.access.sample");
  }
  options = {};
  options.exclude = {"no path"};
  EXPECT_EQ(place(options), "log.access.exclude");
}

TEST(AccessLog, KeepsTheFirstLineOfWhatIsNoRequest) {
  Counters counters;
  const auto rules = rules_of({});
  AccessLog log(*rules, 0, counters);
  const auto noted = [&log](std::string_view bytes) {
    log.note_bad_line(bytes);
    const std::string line(log.take_bad_line());
    EXPECT_EQ(log.take_bad_line(), "");
    return line;
  };
  EXPECT_EQ(noted("GARBAGE\r\nHost: a\r\n"), "GARBAGE");
  EXPECT_EQ(noted("\r\n\r\n\nx y"), "x y");
  EXPECT_EQ(noted("\r\n"), "");
  EXPECT_EQ(noted(""), "");
  EXPECT_EQ(noted(std::string(5000, 'x')).size(), 1024u);
}

// ---- with sessions

class AccessLines : public SessionTest {
 protected:
  AccessLines() {
    access.format = R"("$request" $status $body_bytes_sent $request_time)";
    access.utc = true;
    on(Method::kGet, "/", [](const Request&) { return "hello\n"; });
    on(Method::kPost, "/", [](const Request&) { return Status::kNoContent; });
    on(
        Method::kPost, "/small", [](const Request&) { return "ok"; }, small());
    on(Method::kGet, "/throw", [](const Request&) -> Response { throw std::runtime_error("x"); });
    on(Method::kGet, "/sleep", [](const Request&) -> Task<Response> {
      co_await net::sleep_for(100ms);
      co_return "slept";
    });
    on(Method::kGet, "/stream", [](const Request&) {
      return Response::stream(10, [](BodyWriter& out) -> Task<> {
        static_cast<void>(co_await out.write("12345"));
        co_await net::sleep_for(50ms);
        static_cast<void>(co_await out.write("67890"));
      });
    });
    on(Method::kGet, "/chunks", [](const Request&) {
      return Response::stream(
          [](BodyWriter& out) -> Task<> { static_cast<void>(co_await out.write("12345")); });
    });
    on(Method::kGet, "/short", [](const Request&) {
      return Response::stream(10, [](BodyWriter& out) -> Task<> {
        static_cast<void>(co_await out.write("12345"));
        co_await net::sleep_for(50ms);
      });
    });
    on(Method::kGet, "/fields", [](const Request& request) {
      request.set_attribute("request_id", "id-1");
      Response response = Response::json("{}");
      response.set("X-Cache", "hit");
      return response;
    });
    on(Method::kGet, "/fields/stream", [](const Request&) {
      Response response = Response::stream([](BodyWriter& out) -> Task<> {
        co_await net::sleep_for(1ms);
        static_cast<void>(co_await out.write("x"));
      });
      response.set("X-Cache", "miss");
      return response;
    });
  }
  static RouteLimits small() {
    RouteLimits limits;
    limits.body_max = 10;
    return limits;
  }

  Client open() {
    if (service == nullptr) {
      start_service();
      EXPECT_TRUE(service->log_accesses(access, into(lines)));
    }
    return connect();
  }
  Lines take() { return std::exchange(lines, {}); }
  /// The lines of one conversation on a connection of its own.
  Lines lines_of(std::string_view bytes) {
    Client client = open();
    hear_to_end(client, bytes);
    return take();
  }

  AccessLogOptions access;
  Lines lines;
};

TEST_F(AccessLines, OneForEachAnswer) {
  Client client = open();
  ask(client, get("/?a=b"));
  EXPECT_THAT(take(), ElementsAre(R"("GET /?a=b HTTP/1.1" 200 6 0.000)"));
  ask(client, head("/"));
  EXPECT_THAT(take(), ElementsAre(R"("HEAD / HTTP/1.1" 200 0 0.000)"));
  ask(client, post("/", "body"));
  EXPECT_THAT(take(), ElementsAre(R"("POST / HTTP/1.1" 204 0 0.000)"));
  const auto missing = ask(client, get("/missing"));
  EXPECT_THAT(take(), ElementsAre("\"GET /missing HTTP/1.1\" 404 " +
                                  std::to_string(missing.body.size()) + " 0.000"));
  ask(client, request("DELETE", "/"));
  EXPECT_EQ(take().at(0).substr(0, 24), "\"DELETE / HTTP/1.1\" 405 ");
  ask(client, get("/throw"));
  EXPECT_EQ(take().at(0).substr(0, 26), "\"GET /throw HTTP/1.1\" 500 ");
  EXPECT_EQ(counters().access_lines.value(), 6u);
}

TEST_F(AccessLines, OneForEachOfAPipeline) {
  EXPECT_THAT(lines_of(get("/?1") + get("/?2") + get("/?3")),
              ElementsAre(R"("GET /?1 HTTP/1.1" 200 6 0.000)", R"("GET /?2 HTTP/1.1" 200 6 0.000)",
                          R"("GET /?3 HTTP/1.1" 200 6 0.000)"));
}

TEST_F(AccessLines, NoneForAConnectionThatAsksNothing) {
  EXPECT_THAT(lines_of(""), IsEmpty());
  EXPECT_THAT(lines_of("\r\n"), IsEmpty());
  Client client = open();
  ask(client, get("/"));
  take();
  client.close();
  idle();
  EXPECT_THAT(take(), IsEmpty());
}

TEST_F(AccessLines, OfARefusedRequestSayWhatIsKnown) {
  access.format = R"("$request" $status $uri $route)";
  EXPECT_THAT(lines_of("\x16\x03\x01 hello\r\n\r\n"),
              ElementsAre(R"("\x16\x03\x01 hello" 400 - -)"));
  EXPECT_THAT(lines_of("GET / HTTP/3.0\r\n\r\n"), ElementsAre(R"("GET / HTTP/3.0" 505 - -)"));
  EXPECT_THAT(lines_of("GET /x HTTP/1.1\r\n\r\n"), ElementsAre(R"("GET /x HTTP/1.1" 400 - -)"));
  EXPECT_THAT(lines_of(get("/%00")), ElementsAre(R"("GET /%00 HTTP/1.1" 400 - -)"));
  EXPECT_THAT(lines_of(post("/small", "12345678901")),
              ElementsAre(R"("POST /small HTTP/1.1" 413 /small -)"));
  EXPECT_THAT(lines_of(get("/", "X: " + std::string(9000, 'x') + "\r\n")),
              ElementsAre(R"("GET / HTTP/1.1" 431 - -)"));
}

// A path of the request before must not be taken for that of one that has none.
TEST_F(AccessLines, OfARefusedRequestDoNotShowThePathOfAnother) {
  access.format = "$uri $status";
  access.exclude = {"/users"};
  on(Method::kGet, "/users", [](const Request&) { return "x"; });
  EXPECT_THAT(lines_of(get("/users") + "BAD\r\n\r\n"), ElementsAre("- 400"));
  EXPECT_THAT(lines_of(get("/users") + get("/../..")), ElementsAre("- 400"));
}

TEST_F(AccessLines, OfAHeadThatDoesNotComeIs408) {
  Client client = open();
  tell(client, "GET /slow HTTP/1.1\r\nHost: a\r\n");
  advance(options.timeouts.header + 1s);
  EXPECT_EQ(client.read_response().status, 408);
  const auto got = take();
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0].substr(0, 8), "\"-\" 408 ");
  EXPECT_TRUE(got[0].ends_with(" 11.000"));
}

TEST_F(AccessLines, OfAHeadThatDoesNotComeHaveNoPathOfAnother) {
  access.format = "$uri $status";
  Client client = open();
  ask(client, get("/%41"));
  tell(client, "GET /slow HTTP/1.1\r\nHost: a\r\n");
  advance(options.timeouts.header + 1s);
  EXPECT_THAT(take(), ElementsAre("/A 404", "- 408"));
  Client other = open();
  ask(other, get("/%42"));
  tell(other, "GET /slow HTTP/1.1\r\nHost: a\r\n");
  other.half_close();
  idle();
  EXPECT_THAT(take(), ElementsAre("/B 404", "- 499"));
}

TEST_F(AccessLines, OfABodyThatDoesNotComeIs408) {
  Client client = open();
  tell(client, without_end(post("/", "body")));
  advance(options.timeouts.body + 1s);
  EXPECT_EQ(client.read_response().status, 408);
  const auto got = take();
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0].substr(0, 25), "\"POST / HTTP/1.1\" 408 151");
  EXPECT_TRUE(got[0].ends_with(" 31.000"));
}

TEST_F(AccessLines, OfAClientThatGoesAwayIs499) {
  access.format = R"("$request" $status $bytes_sent $request_time $connection_requests)";
  EXPECT_THAT(lines_of("GET / HT"), ElementsAre(R"("-" 499 0 0.000 1)"));
  EXPECT_THAT(lines_of(without_end(post("/", "body"))),
              ElementsAre(R"("POST / HTTP/1.1" 499 0 0.000 1)"));
  Client client = open();
  ask(client, get("/"));
  take();
  tell(client, get("/sleep"));
  advance(40ms);
  EXPECT_THAT(take(), IsEmpty());
  client.close();
  idle();
  EXPECT_THAT(take(), ElementsAre(R"("GET /sleep HTTP/1.1" 499 0 0.040 2)"));
}

TEST_F(AccessLines, OfAHandlerThatTakesTooLongIs503) {
  RouteLimits limits;
  limits.handler_timeout = 20ms;
  on(
      Method::kGet, "/dawdle",
      [](const Request&) -> Task<Response> {
        co_await net::sleep_for(1h);
        co_return "never";
      },
      limits);
  Client client = open();
  tell(client, get("/dawdle"));
  advance(1s);
  EXPECT_EQ(client.read_response().status, 503);
  const auto got = take();
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0].substr(0, 27), "\"GET /dawdle HTTP/1.1\" 503 ");
}

TEST_F(AccessLines, TellHowLongTheAnswerTook) {
  Client client = open();
  tell(client, get("/sleep"));
  advance(100ms);
  EXPECT_EQ(client.read_response().body, "slept");
  EXPECT_THAT(take(), ElementsAre(R"("GET /sleep HTTP/1.1" 200 5 0.100)"));
  // From the first byte of the request; an empty line before it is none.
  tell(client, "\r\n");
  advance(500ms);
  ask(client, get("/"));
  EXPECT_THAT(take(), ElementsAre(R"("GET / HTTP/1.1" 200 6 0.000)"));
  const std::string slow = get("/");
  tell(client, slow.substr(0, 10));
  advance(300ms);
  ask(client, slow.substr(10));
  EXPECT_THAT(take(), ElementsAre(R"("GET / HTTP/1.1" 200 6 0.300)"));
}

TEST_F(AccessLines, OfAStreamComeWithItsEnd) {
  Client client = open();
  tell(client, get("/stream"));
  EXPECT_THAT(take(), IsEmpty());
  advance(50ms);
  EXPECT_EQ(client.read_response().body, "1234567890");
  EXPECT_THAT(take(), ElementsAre(R"("GET /stream HTTP/1.1" 200 10 0.050)"));
  EXPECT_EQ(ask(client, get("/chunks")).body, "12345");
  EXPECT_THAT(take(), ElementsAre(R"("GET /chunks HTTP/1.1" 200 15 0.000)"));  // with framing
  ask(client, head("/stream"));
  EXPECT_THAT(take(), ElementsAre(R"("HEAD /stream HTTP/1.1" 200 0 0.000)"));
}

TEST_F(AccessLines, OfAnAnswerThatIsCutSayWhatWasSent) {
  Client client = open();
  tell(client, get("/stream"));
  client.read_until("12345");
  client.close();
  idle();
  EXPECT_THAT(take(), ElementsAre(R"("GET /stream HTTP/1.1" 200 5 0.000)"));
  Client other = open();
  tell(other, get("/short"));
  advance(50ms);
  EXPECT_THAT(take(), ElementsAre(R"("GET /short HTTP/1.1" 200 5 0.050)"));
}

TEST_F(AccessLines, CountEveryByteOfTheAnswer) {
  access.format = "$bytes_sent $body_bytes_sent $request_length";
  Client client = open();
  const std::string bytes = get("/");
  const auto answer = ask(client, bytes);
  EXPECT_THAT(take(), ElementsAre(std::to_string(answer.head.size() + 6) + " 6 " +
                                  std::to_string(bytes.size())));
  const std::string whole = post("/", "four");
  const auto none = ask(client, whole);
  EXPECT_THAT(take(),
              ElementsAre(std::to_string(none.head.size()) + " 0 " + std::to_string(whole.size())));
}

TEST_F(AccessLines, ShowFieldsAttributesAndRoute) {
  access.format = "$request_id $route $sent_http_content_type $sent_http_x_cache $worker";
  Client client = open();
  ask(client, get("/fields"));
  EXPECT_THAT(take(), ElementsAre("id-1 /fields application/json hit 0"));
  tell(client, get("/fields/stream"));
  advance(1ms);
  EXPECT_THAT(take(), ElementsAre("- /fields/stream text/plain; charset=utf-8 miss 0"));
  ask(client, get("/"));
  EXPECT_THAT(take(), ElementsAre("- / text/plain; charset=utf-8 - 0"));
}

TEST_F(AccessLines, ShowTheTimeOfTheLine) {
  access.format = "$time_iso8601 $msec";
  Client client = open();
  ask(client, get("/"));
  EXPECT_THAT(take(), ElementsAre("1994-11-06T08:49:37+00:00 784111777.000"));
  advance(1500ms);
  ask(client, get("/"));
  EXPECT_THAT(take(), ElementsAre("1994-11-06T08:49:38+00:00 784111778.500"));
  tell(client, get("/sleep"));
  advance(100ms);
  EXPECT_THAT(take(), ElementsAre("1994-11-06T08:49:38+00:00 784111778.600"));
}

TEST_F(AccessLines, AreSampledAndLeftOut) {
  access.sample = 0.5;
  access.exclude = {"/sleep"};
  Client client = open();
  for (int i = 0; i < 10; ++i) ask(client, get("/"));
  EXPECT_EQ(take().size(), 5u);
  tell(client, get("/sleep"));
  advance(100ms);
  tell(client, get("/sleep"));
  advance(100ms);
  EXPECT_THAT(take(), IsEmpty());
}

TEST_F(AccessLines, AreTheSameHoweverTheRequestIsCut) {
  access.format = R"("$request" $status $bytes_sent $request_length $http_user_agent $uri $route)";
  const std::string bytes =
      request("POST", "/a/../?x=y", "User-Agent: ua\r\nContent-Length: 4\r\n") + "body";
  const Lines whole = lines_of(bytes);
  ASSERT_EQ(whole.size(), 1u);
  for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
    Client client = open();
    tell(client, bytes.substr(0, cut));
    ask(client, bytes.substr(cut));
    EXPECT_EQ(take(), whole) << cut;
  }
}

TEST_F(AccessLines, AreNotMadeWhenNobodyWantsThem) {
  Client client = connect();
  EXPECT_EQ(ask(client, get("/")).status, 200);
  EXPECT_EQ(counters().access_lines.value(), 0u);
}

}  // namespace
}  // namespace ssx::http::test
