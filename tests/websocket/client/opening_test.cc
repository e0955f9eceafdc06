#include "websocket/client/opening.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "tests/support/feed_every_split.h"
#include "tests/websocket/client/client_fixture.h"

namespace ssx::websocket::test {
namespace {

class OpeningTest : public ClientTest {
 protected:
  /// The failure that an answer makes.
  ConnectFailure failure_of(const std::function<std::string(const std::string&)>& make,
                            ClientOptions wanted = to(kUrl)) {
    opened.reset();
    make_client(std::move(wanted));
    open();
    reply(make(request()));
    EXPECT_TRUE(opened && !*opened);
    return opened && !*opened ? opened->error() : ConnectFailure{Error(Errc::kOk, "")};
  }
  std::error_code error_of(const std::string& bytes) {
    return failure_of([&bytes](const std::string&) { return bytes; }).error.code();
  }
  [[nodiscard]] std::uint64_t failures(Errc code) {
    return client->socket_counters().failed[static_cast<std::size_t>(code)].value();
  }
  /// That were no good, or too long.
  [[nodiscard]] std::uint64_t answers(http::Errc code) {
    return client->counters().failed[static_cast<std::size_t>(code)].value();
  }
};

TEST_F(OpeningTest, AsksWithAKeyOfItsOwnAndTakesTheAnswer) {
  std::set<std::string> keys;
  for (int i = 0; i < 3; ++i) {
    opened.reset();
    make_client(to("ws://10.0.0.1:81/chat?x=1"));
    open();
    const std::string asked = request();
    EXPECT_TRUE(asked.starts_with("GET /chat?x=1 HTTP/1.1\r\nHost: 10.0.0.1:81\r\n")) << asked;
    const std::size_t at = asked.find("Sec-WebSocket-Key: ");
    ASSERT_NE(at, std::string::npos);
    EXPECT_TRUE(is_key(asked.substr(at + 19, 24)));
    EXPECT_TRUE(keys.insert(asked.substr(at + 19, 24)).second) << "a key that was used before";
    EXPECT_FALSE(opened);
    reply(answer_to(asked, "X-Name: value\r\n"));
    ASSERT_TRUE(opened && *opened) << opened->error().message();
    EXPECT_EQ((*opened)->answer().status(), 101);
    EXPECT_EQ((*opened)->answer().field("x-name"), "value");
  }
  EXPECT_EQ(stack.asked.back(), "10.0.0.1:81");
}

TEST_F(OpeningTest, TakesTheAnswerHoweverItIsCut) {
  // The key differs each time, so the answer is cut where a like one would be.
  const std::string like = answer_to("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==") + said("hi");
  ssx::test::feed_every_split(like,
                              [this](const ssx::test::Pieces& pieces) {
                                opened.reset();
                                make_client(to(kUrl));
                                open();
                                const std::string bytes = answer_to(request()) + said("hi");
                                std::size_t at = 0;
                                for (const std::string_view piece : pieces) {
                                  reply(bytes.substr(at, piece.size()));
                                  at += piece.size();
                                }
                                ASSERT_TRUE(opened && *opened) << opened->error().message();
                                EXPECT_EQ(receive(**opened), "text hi");
                              },
                              {.random = 20});
}

TEST_F(OpeningTest, PassesOverSoManyInterimResponses) {
  for (const std::size_t count : {7U, 8U, 9U}) {
    std::string all;
    for (std::size_t i = 0; i < count; ++i) all += "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n";
    opened.reset();
    make_client(to(kUrl));
    open();
    const std::string asked = request();
    reply(all);
    if (!opened) reply(answer_to(asked));
    ASSERT_TRUE(opened);
    EXPECT_EQ(opened->has_value(), count <= 8) << count;
    if (count > 8) {
      EXPECT_EQ(failure_code(), make_error_code(http::Errc::kTooManyInterim));
      EXPECT_EQ(answers(http::Errc::kTooManyInterim), 1U);
      EXPECT_EQ(client->counters().failed_otherwise.value(), 0U);
    }
  }
}

TEST_F(OpeningTest, SaysWhatTheServerHasSaid) {
  const ConnectFailure forbidden = failure_of(
      [](const std::string&) { return "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"; });
  EXPECT_EQ(forbidden.error, make_error_code(Errc::kNotSwitched));
  EXPECT_EQ(forbidden.status, 403);
  EXPECT_EQ(failures(Errc::kNotSwitched), 1U);

  const ConnectFailure away = failure_of([](const std::string&) {
    return "HTTP/1.1 302 Found\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n";
  });
  EXPECT_EQ(away.error, make_error_code(Errc::kRedirected));
  EXPECT_EQ(away.status, 302);
  EXPECT_EQ(away.location, "ws://10.0.0.1/other");
  EXPECT_EQ(failures(Errc::kRedirected), 1U);
  EXPECT_TRUE(peer().read_available().empty() && peer().ended());
}

TEST_F(OpeningTest, RefusesWhatTheRfcRefuses) {
  const std::string good = answer_to("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==");
  EXPECT_EQ(error_of(good), make_error_code(Errc::kBadAccept)) << "that of another key";
  EXPECT_EQ(error_of("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n\r\n"),
            make_error_code(Errc::kNotSwitched));
  EXPECT_EQ(error_of("HTTP/1.1 101 X\nUpgrade: websocket\n\n"),
            make_error_code(http::Errc::kBadLineEnd));
  EXPECT_EQ(error_of("SSH-2.0-x\r\n"), make_error_code(http::Errc::kBadVersion));
  const auto with = [](const char* line) {
    return [line](const std::string& request) { return answer_to(request, line); };
  };
  EXPECT_EQ(failure_of(with("Sec-WebSocket-Protocol: a\r\n")).error,
            make_error_code(Errc::kUnaskedSubprotocol));
  EXPECT_EQ(failure_of(with("Sec-WebSocket-Extensions: permessage-deflate\r\n")).error,
            make_error_code(Errc::kUnaskedExtension));
}

TEST_F(OpeningTest, TakesAHeadOfSoManyBytes) {
  ClientOptions wanted = to(kUrl);
  for (const int more : {-1, 0, 1}) {
    const std::string plain = answer_to("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==");
    wanted.parser.head_max = 512;
    const std::size_t room = 512 - plain.size() - 5;  // "X: " and CRLF
    opened.reset();
    make_client(wanted);
    open();
    reply(answer_to(request(),
                    "X: " + std::string(room + static_cast<std::size_t>(more), 'x') + "\r\n"));
    ASSERT_TRUE(opened);
    EXPECT_EQ(opened->has_value(), more <= 0) << more;
    if (more > 0) {
      EXPECT_EQ(failure_code(), make_error_code(http::Errc::kHeadTooLong));
      EXPECT_EQ(answers(http::Errc::kHeadTooLong), 1U);
    }
  }
}

TEST_F(OpeningTest, TakesAStatusLineOfSoManyBytes) {
  ClientOptions wanted = to(kUrl);
  wanted.parser.request_line_max = 64;
  for (const std::size_t size : {63U, 64U, 65U}) {
    opened.reset();
    make_client(wanted);
    open();
    const std::string answer = answer_to(request());
    const std::string line = "HTTP/1.1 101 ";
    reply(line + std::string(size - line.size(), 'x') + answer.substr(answer.find("\r\n")));
    ASSERT_TRUE(opened);
    EXPECT_EQ(opened->has_value(), size <= 64) << size;
    if (size > 64) {
      EXPECT_EQ(failure_code(), make_error_code(http::Errc::kStatusLineTooLong));
      EXPECT_EQ(answers(http::Errc::kStatusLineTooLong), 1U);
    }
  }
}

TEST_F(OpeningTest, TakesSoManyExtensions) {
  for (const std::size_t count : {7U, 8U, 9U}) {
    std::string line = "Sec-WebSocket-Extensions: x";
    for (std::size_t i = 1; i < count; ++i) line += ", x";
    // None of them was asked for: what is told apart is whether they were looked at.
    const Errc error = count <= 8 ? Errc::kUnaskedExtension : Errc::kTooManyExtensions;
    const ConnectFailure failure = failure_of(
        [&line](const std::string& request) { return answer_to(request, line + "\r\n"); });
    EXPECT_EQ(failure.error, make_error_code(error)) << count;
    EXPECT_EQ(failures(error), 1U);
  }
}

TEST_F(OpeningTest, WaitsSoLongForTheAnswer) {
  make_client(to(kUrl));
  open();
  EXPECT_FALSE(request().empty());
  advance(10s - 1ms);
  EXPECT_FALSE(opened);
  advance(1ms + kTick);
  ASSERT_TRUE(opened);
  EXPECT_EQ(failure_code(), make_error_code(Errc::kHandshakeTimedOut));
  EXPECT_EQ(failures(Errc::kHandshakeTimedOut), 1U);
  EXPECT_TRUE(peer().read_available().empty() && peer().ended());
}

TEST_F(OpeningTest, HearsOfAServerThatGoes) {
  make_client(to(kUrl));
  open();
  EXPECT_FALSE(request().empty());
  peer().close();
  idle();
  EXPECT_EQ(failure_code(), make_error_code(http::Errc::kNoResponse));
  opened.reset();
  open();
  EXPECT_FALSE(request().empty());
  reply("HTTP/1.1 101 Switch");
  peer().close();
  idle();
  EXPECT_EQ(failure_code(), make_error_code(http::Errc::kResponseCutShort));
}

TEST_F(OpeningTest, EndsTheConnectionThatNobodyWaitsFor) {
  struct Nothing final : Continuation {
    Nothing() noexcept : Continuation([](Continuation&) noexcept {}) {}
  };
  make_client(to(kUrl));
  Nothing then;
  for (const bool is_connected : {false, true}) {
    auto task = client->open();
    EXPECT_FALSE(task.start(then));
    if (is_connected) {
      EXPECT_FALSE(request().empty());
    }
    task.reset();
    EXPECT_TRUE(peer().read_available().empty() && peer().ended()) << is_connected;
  }
}

}  // namespace
}  // namespace ssx::websocket::test
