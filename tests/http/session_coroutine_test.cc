// Handlers that take their time: coroutines that answer later, throw, dawdle, or outlive their
// client.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "ssxrver/net/awaitables.h"
#include "tests/http/session_fixture.h"
#include "tests/support/captured_log.h"

namespace ssx::http::test {
namespace {

using testing::HasSubstr;

/// Counts the coroutines that have begun and ended, in whatever way.
struct Alive {
  explicit Alive(int& count) : alive(count) { ++alive; }
  ~Alive() { --alive; }
  Alive(const Alive&) = delete;
  Alive& operator=(const Alive&) = delete;
  int& alive;
};

class Coroutines : public SessionTest {
 protected:
  Coroutines() {
    on(Method::kGet, "/sleep/{ms}", [this](const Request& r) -> Task<Response> {
      const Alive here(alive);
      co_await net::sleep_for(milliseconds(r.param_as<int>("ms").value_or(0)));
      co_return std::string(r.param("ms"));
    });
    on(Method::kGet, "/now", [](const Request&) -> Task<std::string> { co_return "at once"; });
    on(Method::kGet, "/", [](const Request&) { return "plain"; });
    on(Method::kGet, "/throw/{when}", [](const Request& r) -> Task<Response> {
      if (r.param("when") == "later") co_await net::sleep_for(10ms);
      throw std::runtime_error("no luck");
    });
    on(Method::kPost, "/later", [](const Request& r) -> Task<Response> {
      co_await net::sleep_for(10ms);
      co_return std::string(r.body().text) + std::string(r.header("X-Field").value_or("")) +
          std::string(r.path());
    });
  }
  int alive = 0;
};

TEST_F(Coroutines, AnswerLater) {
  Client client = connect();
  client.send(get("/sleep/100"));
  idle();
  EXPECT_EQ(alive, 1);
  advance(99ms);
  EXPECT_EQ(client.read_available(), "");
  advance(1ms);
  EXPECT_EQ(client.read_response().body, "100");
  EXPECT_EQ(alive, 0);
  EXPECT_EQ(ask(client, get("/")).body, "plain");  // the connection lives on
}

TEST_F(Coroutines, AnswerAtOnceWhenTheyNeedNotWait) {
  Client client = connect();
  EXPECT_EQ(ask(client, get("/now")).body, "at once");
  EXPECT_EQ(ask(client, get("/now") + get("/") + get("/now")).body, "at once");
  EXPECT_EQ(client.read_response().body, "plain");
  EXPECT_EQ(client.read_response().body, "at once");
}

TEST_F(Coroutines, KeepTheOrderOfRequests) {
  Client client = connect();
  client.send(get("/sleep/50") + get("/") + get("/sleep/20") + get("/now"));
  idle();
  EXPECT_EQ(client.read_available(), "");
  advance(50ms);
  EXPECT_EQ(client.read_response().body, "50");
  EXPECT_EQ(client.read_response().body, "plain");
  EXPECT_EQ(client.read_available(), "");
  advance(20ms);
  EXPECT_EQ(client.read_response().body, "20");
  EXPECT_EQ(client.read_response().body, "at once");
}

TEST_F(Coroutines, SeeTheirRequestAfterTheReceiveAreaWasUsedAgain) {
  Client client = connect();
  Client other = connect();
  client.send(post("/later", "the body ", "X-Field: the field \r\n"));
  idle();
  for (int i = 0; i < 3; ++i) ask(other, get("/", "X-Field: " + pattern(3000) + "\r\n"));
  advance(10ms);
  EXPECT_EQ(client.read_response().body, "the body the field/later");
}

TEST_F(Coroutines, SeeABodyThatArrivedInPieces) {
  Client client = connect();
  const std::string bytes = post("/later", pattern(5000));
  tell(client, std::string_view(bytes).substr(0, 2000));
  tell(client, std::string_view(bytes).substr(2000));
  advance(10ms);
  EXPECT_EQ(client.read_response().body, pattern(5000) + "/later");
}

TEST_F(Coroutines, ThatThrowAreAnswered500AndNamed) {
  Client client = connect();
  ssx::test::CapturedLog log;
  EXPECT_EQ(ask(client, get("/throw/now")).status, 500);
  client.send(get("/throw/later"));
  idle();
  advance(10ms);
  EXPECT_EQ(client.read_response().status, 500);
  EXPECT_EQ(counters().handler_errors.value(), 2u);
  EXPECT_THAT(log.lines(),
              testing::Contains(HasSubstr("/throw/{when}: the handler threw: no luck")));
  EXPECT_EQ(ask(client, get("/")).body, "plain");
}

TEST_F(Coroutines, AndFunctionsAreNamedWhenTheyHoldUpTheLoop) {
  on(Method::kGet, "/function", [this](const Request&) {
    clock.advance(1s);
    return "slow";
  });
  on(Method::kGet, "/coroutine", [this](const Request&) -> Task<Response> {
    co_await net::sleep_for(10ms);
    clock.advance(2s);
    co_return "slower";
  });
  Client client = connect();
  const ssx::test::CapturedLog log;
  EXPECT_EQ(ask(client, get("/function")).body, "slow");
  client.send(get("/coroutine"));
  idle();
  advance(10ms);
  EXPECT_EQ(client.read_response().body, "slower");
  EXPECT_THAT(log.lines(), testing::Contains(HasSubstr("longest: /function, 1000 ms")));
  EXPECT_THAT(log.lines(), testing::Contains(HasSubstr("longest: /coroutine, 2000 ms")));
}

TEST_F(Coroutines, ThatAreTooLateAreAnswered503) {
  Client client = connect();
  ssx::test::CapturedLog log;
  client.send(get("/sleep/60000"));
  idle();
  advance(29s);
  EXPECT_EQ(alive, 1);
  advance(2s);
  EXPECT_EQ(alive, 0);
  const auto answer = client.read_response();
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.field("connection"), "close");
  EXPECT_EQ(refused(Errc::kHandlerTimedOut), 1u);
  EXPECT_THAT(log.lines(), testing::Contains(HasSubstr("/sleep/{ms}: no answer in time")));
  EXPECT_TRUE(is_gone(client));
}

TEST_F(Coroutines, HaveTheDeadlineOfTheirRoute) {
  RouteLimits limits = RouteLimits::from(options);
  limits.handler_timeout = 2s;
  on(
      Method::kGet, "/short",
      [](const Request&) -> Task<Response> {
        co_await net::sleep_for(1h);
        co_return Status::kOk;
      },
      limits);
  limits.handler_timeout = 0ms;
  on(
      Method::kGet, "/never",
      [](const Request&) -> Task<Response> {
        co_await net::sleep_for(1h);
        co_return "after an hour";
      },
      limits);
  Client client = connect();
  Client patient = connect();
  client.send(get("/short"));
  patient.send(get("/never"));
  idle();
  advance(1900ms);
  EXPECT_EQ(client.read_available(), "");
  advance(300ms);
  EXPECT_EQ(client.read_response().status, 503);
  advance(1h);
  EXPECT_EQ(patient.read_response().body, "after an hour");
}

TEST_F(Coroutines, AreCancelledWhenTheClientHasGone) {
  {
    Client client = connect();
    client.send(get("/sleep/100"));
    idle();
    EXPECT_EQ(alive, 1);
  }
  idle();
  EXPECT_EQ(alive, 0);
  EXPECT_EQ(counters().cancelled.value(), 1u);
  advance(1s);
  EXPECT_EQ(table->size(), 0u);
}

TEST_F(Coroutines, MayOutliveTheClientsEndWhereThatIsAllowed) {
  options.ignore_client_abort = true;
  Client client = connect();
  client.send(get("/sleep/100"));
  client.half_close();
  idle();
  EXPECT_EQ(alive, 1);
  advance(100ms);
  EXPECT_EQ(client.read_response().body, "100");
  EXPECT_TRUE(is_gone(client));
}

TEST_F(Coroutines, AreCancelledWithTheServer) {
  Client client = connect();
  client.send(get("/sleep/100"));
  idle();
  EXPECT_EQ(alive, 1);
  end_loop();
  table.reset();
  EXPECT_EQ(alive, 0);
}

TEST_F(Coroutines, HoldUpADrain) {
  Client client = connect();
  client.send(get("/sleep/100"));
  idle();
  table->drain(0ms);
  advance(99ms);
  EXPECT_EQ(alive, 1);
  advance(1ms);
  const auto answer = client.read_response();
  EXPECT_EQ(answer.body, "100");
  EXPECT_EQ(answer.field("connection"), "close");
}

// ---- bodies that are made while they are sent

class Streams : public Coroutines {
 protected:
  Streams() {
    on(Method::kGet, "/count/{to}", [this](const Request& r) {
      const int to = r.param_as<int>("to").value_or(0);
      return Response::stream([this, to, &r](BodyWriter& body) -> Task<> {
        const Alive here(alive);
        for (int i = 0; i < to; ++i) {
          if (i > 0) co_await net::sleep_for(10ms);
          const std::string text = std::to_string(i) + std::string(r.query());
          if (!co_await body.write(text)) co_return;
        }
      });
    });
    on(Method::kGet, "/length/{promised}/{given}", [this](const Request& r) {
      const auto promised = r.param_as<std::uint64_t>("promised").value_or(0);
      const auto given = r.param_as<std::size_t>("given").value_or(0);
      return Response::stream(promised, [this, given](BodyWriter& body) -> Task<> {
        for (std::size_t i = 0; i < given; ++i) overflow = !co_await body.write("x");
      });
    });
    on(Method::kGet, "/much", [this](const Request&) {
      return Response::stream([this](BodyWriter& body) -> Task<> {
        const Alive here(alive);
        const std::string piece = pattern(10'000);
        for (int i = 0; i < 2000; ++i) {
          if (!co_await body.write(piece)) co_return;
          written = body.written();
        }
      });
    });
    on(Method::kGet, "/trailer", [this](const Request&) {
      return Response::stream([this](BodyWriter& body) -> Task<> {
        co_await body.write("text");
        trailer_ok = body.trailer("X-Checksum", "1234").has_value();
        bad_trailer_ok = body.trailer("Content-Length", "3").has_value() ||
                         body.trailer("X-Split", "a\r\nb").has_value();
      });
    });
    on(Method::kGet, "/break", [](const Request&) {
      return Response::stream([](BodyWriter& body) -> Task<> {
        co_await body.write("the beginning");
        co_await net::sleep_for(10ms);
        throw std::runtime_error("no more");
      });
    });
  }
  bool overflow = false;
  bool trailer_ok = false;
  bool bad_trailer_ok = false;
  std::uint64_t written = 0;
};

TEST_F(Streams, AreChunked) {
  Client client = connect();
  client.send(get("/count/3?q"));
  idle();
  advance(10ms);
  advance(10ms);
  const std::string all = client.read_available();
  EXPECT_THAT(all, HasSubstr("Transfer-Encoding: chunked\r\n"));
  EXPECT_THAT(all, HasSubstr("\r\n\r\n2\r\n0q\r\n2\r\n1q\r\n2\r\n2q\r\n0\r\n\r\n"));
  EXPECT_EQ(alive, 0);
  EXPECT_EQ(ask(client, get("/")).body, "plain");
}

TEST_F(Streams, ArriveWhileTheyAreMade) {
  Client client = connect();
  client.send(get("/count/2"));
  idle();
  EXPECT_THAT(client.read_available(), HasSubstr("\r\n\r\n1\r\n0\r\n"));
  advance(10ms);
  EXPECT_EQ(client.read_available(), "1\r\n1\r\n0\r\n\r\n");
}

TEST_F(Streams, EndWithTheConnectionInHttp10) {
  Client client = connect();
  client.send("GET /count/2 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  idle();
  advance(10ms);
  const std::string all = client.read_available();
  EXPECT_THAT(all, HasSubstr("Connection: close\r\n\r\n01"));
  EXPECT_EQ(all.find("Transfer-Encoding"), std::string::npos);
  EXPECT_TRUE(is_gone(client));
}

TEST_F(Streams, SendOnlyTheHeadToHead) {
  Client client = connect();
  const auto answer = ask(client, head("/count/3"));
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.field("transfer-encoding"), "chunked");
  EXPECT_EQ(alive, 0);
  EXPECT_EQ(ask(client, get("/")).body, "plain");
}

TEST_F(Streams, MayBeEmpty) {
  Client client = connect();
  EXPECT_EQ(ask(client, get("/count/0")).body, "");
  EXPECT_EQ(ask(client, get("/")).body, "plain");
}

TEST_F(Streams, KeepAPromisedLength) {
  Client client = connect();
  auto answer = ask(client, get("/length/5/5"));
  EXPECT_EQ(answer.body, "xxxxx");
  EXPECT_EQ(answer.field("content-length"), "5");
  EXPECT_FALSE(overflow);
  answer = ask(client, get("/length/5/6"));
  EXPECT_EQ(answer.body, "xxxxx");
  EXPECT_TRUE(overflow);
  EXPECT_EQ(ask(client, get("/")).body, "plain");
}

TEST_F(Streams, ShorterThanPromisedCutTheConnection) {
  Client client = connect();
  ssx::test::CapturedLog log;
  client.send(get("/length/5/4"));
  idle();
  EXPECT_EQ(counters().cut_answers.value(), 1u);
  EXPECT_TRUE(client.read_to_end().find("xxxxx") == std::string::npos);
  EXPECT_THAT(log.lines(), testing::Contains(HasSubstr("shorter than was promised")));
}

TEST_F(Streams, ThatThrowCutTheConnection) {
  Client client = connect();
  ssx::test::CapturedLog log;
  client.send(get("/break"));
  idle();
  advance(10ms);
  EXPECT_EQ(counters().cut_answers.value(), 1u);
  EXPECT_EQ(client.read_to_end().find("0\r\n\r\n"), std::string::npos);
}

TEST_F(Streams, HaveTrailers) {
  Client client = connect();
  client.send(get("/trailer"));
  idle();
  EXPECT_THAT(client.read_available(),
              testing::EndsWith("4\r\ntext\r\n0\r\nX-Checksum: 1234\r\n\r\n"));
  EXPECT_TRUE(trailer_ok);
  EXPECT_FALSE(bad_trailer_ok);
}

TEST_F(Streams, WaitForAClientThatReadsSlowly) {
  Client client = connect();
  client.send(get("/much"));
  idle();
  EXPECT_EQ(alive, 1);
  const std::uint64_t high = connection_options.output_high;
  EXPECT_LT(written, high + (4 << 20));  // what the system takes comes on top
  EXPECT_LE(connection->unsent_bytes(), high + 20'000);
  const std::string all = hear(client);
  EXPECT_EQ(alive, 0);
  EXPECT_EQ(written, 20'000'000u);
  EXPECT_THAT(all, testing::EndsWith("\r\n0\r\n\r\n"));
}

TEST_F(Streams, AreCancelledWhenTheClientHasGone) {
  {
    Client client = connect();
    client.send(get("/count/1000"));
    idle();
    EXPECT_EQ(alive, 1);
  }
  idle();
  EXPECT_EQ(alive, 0);
  EXPECT_EQ(counters().cancelled.value(), 1u);
}

TEST_F(Streams, AreResetWhenTheClientTakesNothing) {
  Client client = connect();
  client.send(get("/much"));
  idle();
  advance(61s);
  EXPECT_EQ(alive, 0);
  EXPECT_EQ(counters().write_timeouts.value(), 1u);
}

TEST_F(Streams, MayBeQuietForLong) {
  on(Method::kGet, "/quiet", [](const Request&) {
    return Response::stream([](BodyWriter& body) -> Task<> {
      co_await body.write("before");
      co_await net::sleep_for(10min);
      co_await body.write("after");
    });
  });
  Client client = connect();
  client.send(get("/quiet"));
  idle();
  for (int i = 0; i < 10; ++i) advance(1min);
  EXPECT_THAT(client.read_available(), testing::EndsWith("after\r\n0\r\n\r\n"));
}

TEST_F(Streams, AreNamedWhenTheyHoldUpTheLoop) {
  on(Method::kGet, "/hold", [this](const Request&) {
    return Response::stream([this](BodyWriter& body) -> Task<> {
      co_await body.write(pattern(connection_options.output_high + 1));  // which has to wait
      clock.advance(1s);
    });
  });
  Client client = connect();
  ssx::test::CapturedLog log;
  client.send(get("/hold"));
  idle();
  hear(client);
  EXPECT_THAT(log.lines(), testing::Contains(HasSubstr("longest: /hold, 1000 ms")));
}

TEST_F(Streams, KeepTheOrderOfRequests) {
  Client client = connect();
  client.send(get("/count/2") + get("/"));
  idle();
  EXPECT_EQ(client.read_available().find("\r\n\r\nplain"), std::string::npos);
  advance(10ms);
  EXPECT_THAT(client.read_available(), HasSubstr("\r\n\r\nplain"));
}

TEST_F(Streams, MayBeMadeByACoroutine) {
  on(Method::kGet, "/both", [](const Request& r) -> Task<Response> {
    co_await net::sleep_for(5ms);
    co_return Response::stream([&r](BodyWriter& body) -> Task<> {
      co_await net::sleep_for(5ms);
      co_await body.write(r.path());
    });
  });
  Client client = connect();
  client.send(get("/both"));
  idle();
  advance(5ms);
  EXPECT_THAT(client.read_available(), HasSubstr("200 OK"));
  advance(5ms);
  EXPECT_EQ(client.read_available(), "5\r\n/both\r\n0\r\n\r\n");
}

}  // namespace
}  // namespace ssx::http::test
