#include "http/client/client_exchange.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "tests/http/client/client_fixture.h"

namespace ssx::http::test {
namespace {

class ClientExchangeTest : public ClientTest {
 protected:
  /// Reads to the end, or to an error.
  static Task<> read_all(ClientResponse& response, std::string& text, std::optional<Error>& error) {
    for (;;) {
      const auto piece = co_await response.read();
      if (!piece) {
        error = piece.error();
        co_return;
      }
      if (piece->empty()) co_return;
      text += *piece;
    }
  }
};

// --- limits: one below, exactly, one above ---

TEST_F(ClientExchangeTest, KeepsABodyUpToItsBound) {
  make_client({.body_max = 100});
  for (const std::size_t size : {99U, 100U, 101U}) {
    const std::string body(size, 'x');
    const std::string chunk = size == 99 ? "63" : size == 100 ? "64" : "65";
    const std::string ways[] = {ok(body),
                                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk +
                                    "\r\n" + body + "\r\n0\r\n\r\n",
                                "HTTP/1.1 200 OK\r\n\r\n" + body};
    for (const std::string& way : ways) {
      answer.reset();
      fetch(kUrl);
      reply(way);
      if (!answer) end();
      ASSERT_TRUE(answer);
      if (size <= 100) {
        ASSERT_TRUE(*answer) << way;
        EXPECT_EQ((*answer)->body(), body);
      } else {
        EXPECT_EQ(error(), make_error_code(Errc::kResponseTooLarge)) << way;
        EXPECT_TRUE(is_closed());
      }
    }
  }
  EXPECT_EQ(failures(Errc::kResponseTooLarge), 3U);
}

TEST_F(ClientExchangeTest, PassesSoManyInterimResponsesAndNoMore) {
  make_client({.interim_max = 3});
  for (const std::size_t count : {2U, 3U, 4U}) {
    answer.reset();
    fetch(kUrl);
    for (std::size_t i = 0; i < count; ++i) reply("HTTP/1.1 103 Early\r\nLink: </a>\r\n\r\n");
    if (count <= 3) {
      reply(ok("x"));
      ASSERT_TRUE(answer && *answer);
      EXPECT_EQ((*answer)->field("link"), "");
    } else {
      EXPECT_EQ(error(), make_error_code(Errc::kTooManyInterim));
    }
  }
  EXPECT_EQ(failures(Errc::kTooManyInterim), 1U);
}

TEST_F(ClientExchangeTest, ReadsAHeadUpToItsBound) {
  ClientOptions options;
  options.parser.head_max = 300;
  make_client(options);
  const std::string rest = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX: \r\n\r\n";
  for (const std::size_t size : {299U, 300U, 301U}) {
    answer.reset();
    fetch(kUrl);
    reply("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX: " + std::string(size - rest.size(), 'x') +
          "\r\n\r\n");
    if (size <= 300) {
      EXPECT_TRUE(answer && *answer) << size;
    } else {
      EXPECT_EQ(error(), make_error_code(Errc::kHeadTooLong));
    }
  }
}

// --- time ---

TEST_F(ClientExchangeTest, WaitsSoLongForAHead) {
  fetch(kUrl);
  reply("HTTP/1.1 200 OK\r\n");
  advance(30s - 1ns);
  EXPECT_FALSE(answer);
  advance(kTick);
  EXPECT_EQ(error(), make_error_code(Errc::kResponseHeadTimedOut));
  std::ignore = received();
  EXPECT_TRUE(is_closed());
}

// A server that sends a byte now and then gains nothing by it.
TEST_F(ClientExchangeTest, AHeadThatDripsIsNotWaitedForLonger) {
  fetch(kUrl);
  for (int i = 0; i < 29; ++i) {
    reply(
        std::string_view("HTTP/1.1 200 OK, and so on for ever").substr(static_cast<size_t>(i), 1));
    advance(1s);
  }
  EXPECT_FALSE(answer);
  advance(1s + kTick);
  EXPECT_EQ(error(), make_error_code(Errc::kResponseHeadTimedOut));
}

TEST_F(ClientExchangeTest, WaitsSoLongBetweenTwoPiecesOfABody) {
  fetch(kUrl);
  reply("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n");
  for (const char* const piece : {"h", "e"}) {
    advance(30s - 1ns);
    reply(piece);
  }
  EXPECT_FALSE(answer);
  advance(30s - 1ns);
  EXPECT_FALSE(answer);
  advance(kTick);
  EXPECT_EQ(error(), make_error_code(Errc::kResponseBodyTimedOut));
}

TEST_F(ClientExchangeTest, EndsWithItsWholeTime) {
  ClientRequest asked = request(kUrl);
  asked.total = 60s;
  fetch(asked, answer);
  reply("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n");
  for (int i = 0; i < 5; ++i) {
    advance(10s);
    reply("x");
  }
  advance(10s - 1ns);
  EXPECT_FALSE(answer);
  advance(kTick);
  EXPECT_EQ(error(), make_error_code(Errc::kExchangeTimedOut));
  EXPECT_EQ(failures(Errc::kExchangeTimedOut), 1U);
}

TEST_F(ClientExchangeTest, WaitsForAServerThatTakesNothingButNotForEver) {
  fetch(request("POST", kUrl, std::string(8 << 20, 'x')), answer);
  for (int i = 0; i < 40; ++i) {  // it takes a little every second: that is progress
    advance(1s);
    EXPECT_FALSE(stack.servers.back().receive(150'000).empty());
    idle();
  }
  ASSERT_FALSE(answer);
  for (int i = 0; i < 28; ++i) advance(1s);
  EXPECT_FALSE(answer);
  for (int i = 0; i < 6; ++i) advance(1s);  // looks are a second apart, and a tick late
  EXPECT_EQ(error(), make_error_code(Errc::kUploadTimedOut));
}

// --- reading piece by piece ---

TEST_F(ClientExchangeTest, GivesABodyAsItComes) {
  std::optional<Answer> opened;
  open(request(kUrl), opened);
  reply("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab");
  ASSERT_TRUE(opened && *opened);
  std::string text;
  std::optional<Error> failed;
  start(read_all(**opened, text, failed));
  EXPECT_EQ(text, "ab");
  reply("c\r\n2\r\nde\r\n0\r\nSum: 5 \r\nX:y\r\n");
  EXPECT_EQ(text, "abcde");
  EXPECT_EQ(client->idle_connections(), 0U);
  reply("\r\n");
  EXPECT_EQ(client->idle_connections(), 1U) << "at its end, not with the response";
  const std::vector<ClientField> trailers = {{.name = "Sum", .value = "5"},
                                             {.name = "X", .value = "y"}};
  EXPECT_EQ((*opened)->trailers(), trailers);
  EXPECT_FALSE(failed);
}

TEST_F(ClientExchangeTest, TellsAnErrorInTheMiddleAndAgain) {
  std::optional<Answer> opened;
  open(request(kUrl), opened);
  reply("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab");
  end();
  for (int i = 0; i < 2; ++i) {
    std::string text;
    std::optional<Error> failed;
    start(read_all(**opened, text, failed));
    ASSERT_TRUE(failed);
    EXPECT_EQ(*failed, make_error_code(Errc::kResponseCutShort));
    EXPECT_EQ(text, i == 0 ? "ab" : "");
  }
  EXPECT_EQ(failures(Errc::kResponseCutShort), 1U);
}

TEST_F(ClientExchangeTest, HoldsTheServerBackWhileNobodyReads) {
  std::optional<Answer> opened;
  open(request(kUrl), opened);
  reply("HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n");
  std::size_t sent = 0;
  const std::string block(64 << 10, 'x');
  for (int i = 0; i < 1000; ++i) {
    sent += stack.servers.back().send(block);
    idle();
  }
  EXPECT_LT(sent, std::size_t{2} << 20) << "its socket, and what one connection holds";
  std::string text;
  std::optional<Error> failed;
  start(read_all(**opened, text, failed));
  for (int i = 0; i < 10; ++i) {
    sent += stack.servers.back().send(block);
    idle();
  }
  EXPECT_EQ(text.size(), sent);
}

// --- streaming a body up ---

TEST_F(ClientExchangeTest, SendsAStreamedBodyInChunks) {
  const auto stream = [](UploadWriter& writer) -> Task<Result<void>> {
    for (const std::string_view piece : {"hello", "", "0123456789abcdef0"}) {
      const auto written = co_await writer.write(piece);
      if (!written) co_return written;
      co_await net::sleep_for(1s);
    }
    co_return Result<void>();
  };
  fetch(request("POST", kUrl, RequestBody::streamed(stream)), answer);
  EXPECT_TRUE(received().ends_with("Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"));
  advance(1s);
  advance(1s);
  EXPECT_EQ(received(), "11\r\n0123456789abcdef0\r\n");
  advance(1s);
  EXPECT_EQ(received(), "0\r\n\r\n");
  reply(ok("thanks"));
  ASSERT_TRUE(answer && *answer);
  EXPECT_EQ(client->idle_connections(), 1U);
}

RequestBody repeated(std::size_t size, std::size_t count, std::optional<std::uint64_t> length,
                     std::size_t* written = nullptr) {
  const auto stream = [size, count, written](UploadWriter& writer) -> Task<Result<void>> {
    const std::string piece(size, 'x');
    for (std::size_t i = 0; i < count; ++i) {
      const auto done = co_await writer.write(piece);
      if (!done) co_return done;
      if (written != nullptr) *written += size;
    }
    co_return Result<void>();
  };
  return RequestBody::streamed(stream, length);
}

TEST_F(ClientExchangeTest, HoldsTheWriterBackWhileTheServerReadsNothing) {
  std::size_t written = 0;
  fetch(request("PUT", kUrl, repeated(10'000, 10'000, 100'000'000, &written)), answer);
  EXPECT_LT(written, std::size_t{3} << 20);
  std::size_t got = 0;
  while (got < 100'000'000) {
    const std::size_t some = received().size();
    ASSERT_GT(some, 0U);
    got += some;
  }
  EXPECT_EQ(written, 100'000'000U);
  reply(ok(""));
  EXPECT_TRUE(answer && *answer);
}

TEST_F(ClientExchangeTest, ABodyIsAsLongAsAnnounced) {
  for (const std::uint64_t length : {99U, 100U, 101U}) {
    answer.reset();
    fetch(request("PUT", kUrl, repeated(10, 10, length)), answer);
    std::ignore = received();
    if (length == 100) {
      reply(ok(""));
      EXPECT_TRUE(answer && *answer);
    } else {
      EXPECT_EQ(error(), make_error_code(Errc::kBodyNotAsAnnounced)) << length;
      EXPECT_TRUE(is_closed());
    }
  }
}

TEST_F(ClientExchangeTest, AWriterThatThrowsEndsTheExchange) {
  const auto stream = [](UploadWriter& writer) -> Task<Result<void>> {
    std::ignore = co_await writer.write("x");
    throw std::runtime_error("no more");
  };
  fetch(request("PUT", kUrl, RequestBody::streamed(stream)), answer);
  EXPECT_EQ(error(), make_error_code(Errc::kBodyWriterFailed));
}

TEST_F(ClientExchangeTest, ARefusalStopsTheUpload) {
  std::size_t written = 0;
  fetch(request("PUT", kUrl, repeated(10'000, 100'000, std::nullopt, &written)), answer);
  reply("HTTP/1.1 413 Too much\r\nContent-Length: 2\r\n\r\nno");
  ASSERT_TRUE(answer && *answer);
  EXPECT_EQ((*answer)->status(), 413);
  EXPECT_EQ((*answer)->body(), "no");
  const std::size_t then = written;
  std::ignore = received();
  EXPECT_EQ(written, then);
  EXPECT_EQ(client->idle_connections(), 0U);
}

TEST_F(ClientExchangeTest, AnAnswerThatBeginsEarlyDoesNotStopTheUpload) {
  std::size_t written = 0;
  std::optional<Answer> opened;
  open(request("POST", kUrl, repeated(10'000, 1000, std::nullopt, &written)), opened);
  reply("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n");
  ASSERT_TRUE(opened && *opened);
  std::string text;
  std::optional<Error> failed;
  start(read_all(**opened, text, failed));
  std::string all;
  while (!all.ends_with("\r\n0\r\n\r\n")) all += received();
  EXPECT_EQ(written, 10'000'000U);
  reply("1\r\nb\r\n0\r\n\r\n");
  EXPECT_EQ(text, "ab");
  EXPECT_EQ(client->idle_connections(), 1U);
}

TEST_F(ClientExchangeTest, AStreamedBodyIsNotSentTwice) {
  fetch(request("PUT", kUrl, repeated(1, 1, 1)), answer);
  reply("HTTP/1.1 307 There\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n");
  EXPECT_EQ(error(), make_error_code(Errc::kBodyNotRepeatable));
}

// --- Expect: 100-continue ---

class ExpectTest : public ClientExchangeTest {
 protected:
  void ask(RequestBody body = "payload") {
    ClientRequest asked = request("POST", kUrl, std::move(body));
    asked.expect_continue = true;
    answer.reset();
    fetch(asked, answer);
    EXPECT_TRUE(received().ends_with("Expect: 100-continue\r\n\r\n"));
  }
};

TEST_F(ExpectTest, TheBodyWaitsForTheWord) {
  ask();
  reply("HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_EQ(received(), "payload");
  reply(ok("x"));
  EXPECT_TRUE(answer && *answer);
  EXPECT_EQ(client->idle_connections(), 1U);
}

TEST_F(ExpectTest, TheBodyGoesWhenNoWordComes) {
  ask();
  advance(1s - 1ns);
  EXPECT_EQ(received(), "");
  advance(kTick);
  EXPECT_EQ(received(), "payload");
  reply("HTTP/1.1 100 Continue\r\n\r\n" + ok("x"));
  EXPECT_TRUE(answer && *answer);
}

TEST_F(ExpectTest, ARefusalKeepsTheBodyHere) {
  ask();
  reply("HTTP/1.1 401 Who\r\nContent-Length: 0\r\n\r\n");
  ASSERT_TRUE(answer && *answer);
  EXPECT_EQ((*answer)->status(), 401);
  EXPECT_EQ(client->idle_connections(), 0U) << "the server waits for a body";
  EXPECT_TRUE(is_closed());
}

// RFC 9110 10.1.1.
TEST_F(ExpectTest, AServerThatKnowsNoExpectationIsAskedAgainWithout) {
  ask();
  reply("HTTP/1.1 417 What\r\nContent-Length: 0\r\n\r\n");
  const std::string again = received();
  EXPECT_EQ(again.find("Expect"), std::string::npos);
  EXPECT_TRUE(again.ends_with("\r\n\r\npayload"));
  reply(ok("x"));
  EXPECT_TRUE(answer && *answer);
}

TEST_F(ExpectTest, ARedirectBeforeTheBodyMayTakeItAlong) {
  ask(repeated(4, 1, 4));
  reply("HTTP/1.1 307 There\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n");
  EXPECT_TRUE(received().starts_with("POST /there "));
  reply("HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_EQ(received(), "xxxx");
}

// --- giving up ---

class CancelTest : public ClientExchangeTest {
 protected:
  class Never final : public Continuation {
   public:
    Never() : Continuation([](Continuation&) noexcept { ADD_FAILURE(); }) {}
  };
  /// Destroys the Task when `before` has been sent by the server.
  void cancel_after(ClientRequest asked, std::string_view before) {
    Never never;
    auto task = client->fetch(std::move(asked));
    loop->post([&] { EXPECT_FALSE(task.start(never)); });
    idle();
    if (!before.empty()) reply(before);
    loop->post([&] { task.reset(); });
    idle();
  }
};

TEST_F(CancelTest, EndsTheConnectionWhereverItIs) {
  for (const std::string_view before : {"", "HTTP/1.1 20", "HTTP/1.1 100 \r\n\r\n",
                                        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe"}) {
    cancel_after(request(kUrl), before);
    std::ignore = received();
    EXPECT_TRUE(is_closed()) << before;
    cancel_after(request("PUT", kUrl, repeated(10'000, 10'000, std::nullopt)), before);
    std::ignore = received();
    EXPECT_TRUE(is_closed()) << before;
  }
  EXPECT_TRUE(table->empty());
  exchange(kUrl, ok("and works on"));
}

TEST_F(CancelTest, AConnectionUnderWayIsClosedWhenItComes) {
  Never never;
  auto task = client->fetch(request(kUrl));
  loop->post([&] {
    EXPECT_FALSE(task.start(never));
    task.reset();
  });
  idle();
  EXPECT_TRUE(is_closed());
  EXPECT_TRUE(table->empty());
}

TEST_F(CancelTest, AResponseThatIsDroppedEndsItsConnection) {
  open(request(kUrl), answer);
  reply("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe");
  ASSERT_TRUE(answer && *answer);
  loop->post([this] { answer.reset(); });
  std::ignore = received();
  EXPECT_TRUE(is_closed());
}

TEST_F(CancelTest, AResponseMayOutliveTheClient) {
  open(request(kUrl), answer);
  reply("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe");
  loop->post([this] { client.reset(); });
  idle();
  std::string text;
  std::optional<Error> failed;
  start(read_all(**answer, text, failed));
  reply("llo");
  EXPECT_EQ(text, "hello");
  EXPECT_FALSE(failed);
  loop->post([this] { answer.reset(); });
  std::ignore = received();
  EXPECT_TRUE(is_closed()) << "there is no pool to go back to";
}

}  // namespace
}  // namespace ssx::http::test
