#include "http/client/http_connect.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "ssxrver/net/error.h"
#include "tests/support/feed_every_split.h"

namespace ssx::http {
namespace {

using Step = net::TunnelStep::Progress;

struct Outcome {
  Step progress = Step::kNeedMore;
  std::string said;
  std::string left;
  Error error{net::Errc::kOk, ""};
  int status = 0;
};

Outcome feed(const ssx::test::Pieces& pieces) {
  auto connect = *HttpConnect::create("a.example", 80, "", "");
  Outcome outcome;
  for (const std::string_view piece : pieces) {
    outcome.left += piece;
    if (outcome.progress == Step::kDone) continue;
    const auto step = connect.feed(outcome.left, outcome.said);
    outcome.left.erase(0, step.consumed);
    outcome.progress = step.progress;
    outcome.error = step.error;
    outcome.status = connect.status();
    if (step.progress == Step::kFailed) break;
  }
  return outcome;
}

std::string asked(std::string_view host, std::string_view user = "",
                  std::string_view password = "") {
  std::string out;
  HttpConnect::create(host, 8080, user, password)->begin(out);
  return out;
}
std::error_code error_of(std::string_view host, std::string_view user = "",
                         std::string_view password = "") {
  const auto made = HttpConnect::create(host, 8080, user, password);
  return made ? std::error_code() : made.error().code();
}

TEST(HttpConnect, AsksForAnAuthority) {
  EXPECT_EQ(asked("a.example"), "CONNECT a.example:8080 HTTP/1.1\r\nHost: a.example:8080\r\n\r\n");
  EXPECT_TRUE(asked("10.0.0.1").starts_with("CONNECT 10.0.0.1:8080 "));
  EXPECT_TRUE(asked("::1").starts_with("CONNECT [::1]:8080 HTTP/1.1\r\nHost: [::1]:8080\r\n"));
  EXPECT_EQ(asked("a", "Aladdin", "open sesame"),
            "CONNECT a:8080 HTTP/1.1\r\nHost: a:8080\r\n"
            "Proxy-Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\r\n\r\n");
}

TEST(HttpConnect, LetsNothingBreakTheRequest) {
  for (const char* host : {"", "a b", "a\r\nX: y", "a/b", "a@b", "a?b"}) {
    EXPECT_EQ(error_of(host), make_error_code(net::Errc::kBadAddress)) << host;
  }
  EXPECT_EQ(error_of("a", "b:c", "d"), make_error_code(ssx::Errc::kInvalidArgument));
  EXPECT_EQ(error_of("a", "b\r\n", "d"), make_error_code(ssx::Errc::kInvalidArgument));
  EXPECT_EQ(error_of("a", "b", "d\n"), make_error_code(ssx::Errc::kInvalidArgument));
  EXPECT_EQ(error_of("a", "b", "d:e"), std::error_code());
}

TEST(HttpConnect, IsThroughBehindTheHeadOfA2xx) {
  // What 2xx says of a body does not count (RFC 9110 9.3.6).
  constexpr std::string_view kAnswer =
      "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 Connection established\r\nContent-Length: 5\r\n"
      "Via: x\r\n\r\nHTTP/1.1 101";
  ssx::test::feed_every_split(kAnswer, [](const ssx::test::Pieces& pieces) {
    const Outcome outcome = feed(pieces);
    EXPECT_EQ(outcome.progress, Step::kDone);
    EXPECT_EQ(outcome.status, 200);
    EXPECT_EQ(outcome.left, "HTTP/1.1 101");
    EXPECT_EQ(outcome.said, "");
  });
}

TEST(HttpConnect, SaysWhyThereIsNoWay) {
  const struct {
    std::string_view answer;
    std::error_code error;
  } rows[] = {
      {"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n",
       make_error_code(net::Errc::kProxyLogin)},
      {"HTTP/1.1 403 Forbidden\r\n\r\n", make_error_code(net::Errc::kProxyRefused)},
      {"HTTP/1.1 302 Found\r\nLocation: /\r\n\r\n", make_error_code(net::Errc::kProxyRefused)},
      {"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
       make_error_code(net::Errc::kProxyRefused)},
      {"HTTP/1.1 200 OK\n\n", make_error_code(Errc::kBadLineEnd)},
      {"\5\0", make_error_code(Errc::kBadVersion)},
  };
  for (const auto& row : rows) {
    ssx::test::feed_every_split(row.answer, [&row](const ssx::test::Pieces& pieces) {
      const Outcome outcome = feed(pieces);
      EXPECT_EQ(outcome.progress, Step::kFailed);
      EXPECT_EQ(outcome.error, row.error) << outcome.error.message();
    });
  }
}

TEST(HttpConnect, ReadsSoMuch) {
  for (const std::size_t count : {7U, 8U, 9U}) {
    std::string answer;
    for (std::size_t i = 0; i < count; ++i) answer += "HTTP/1.1 100 Continue\r\n\r\n";
    const Outcome outcome = feed({answer, "HTTP/1.1 200 OK\r\n\r\n"});
    EXPECT_EQ(outcome.progress == Step::kDone, count <= 8) << count;
    if (count > 8) {
      EXPECT_EQ(outcome.error, make_error_code(Errc::kTooManyInterim));
    }
  }
  const std::size_t most = HttpConnect::kLimits.head_max;
  for (const int more : {-1, 0, 1}) {
    std::string answer = "HTTP/1.1 200 OK\r\n";
    const std::size_t size = most + static_cast<std::size_t>(more + 1) - 1;
    while (answer.size() + 1002 < size) answer += "X: " + std::string(500, 'x') + "\r\n";
    answer += "X: " + std::string(size - answer.size() - 7, 'x') + "\r\n\r\n";
    ASSERT_EQ(answer.size(), size);
    const Outcome outcome = feed({answer});
    EXPECT_EQ(outcome.progress == Step::kDone, more <= 0) << more;
    if (more > 0) {
      EXPECT_EQ(outcome.error, make_error_code(Errc::kHeadTooLong));
    }
  }
}

}  // namespace
}  // namespace ssx::http
