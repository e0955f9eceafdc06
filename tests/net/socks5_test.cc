#include "ssxrver/net/socks5.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <string>
#include <string_view>

#include "tests/support/feed_every_split.h"

namespace ssx::net {
namespace {

using namespace std::literals;  // NOLINT(google-build-using-namespace): literals only
using Progress = TunnelStep::Progress;

Socks5 machine(std::string_view host = "a.example", std::string_view user = "",
               std::string_view password = "") {
  return *Socks5::create(host, 0x1F90, user, password);
}

/// What a machine has made of the bytes of a proxy.
struct Outcome {
  Progress progress = Progress::kNeedMore;
  std::string said;
  std::string left;
  Error error{Errc::kOk, ""};
  std::size_t kept_most = 0;  ///< bytes that had to be shown again
};

Outcome feed(Socks5 socks, const ssx::test::Pieces& pieces) {
  Outcome outcome;
  socks.begin(outcome.said);
  for (const std::string_view piece : pieces) {
    outcome.left += piece;
    if (outcome.progress == Progress::kDone) continue;
    const TunnelStep step = socks.feed(outcome.left, outcome.said);
    outcome.left.erase(0, step.consumed);
    outcome.kept_most = std::max(outcome.kept_most, outcome.left.size());
    outcome.progress = step.progress;
    outcome.error = step.error;
    if (step.progress == Progress::kFailed) break;
  }
  return outcome;
}

void expect_error(std::string_view bytes, const std::error_code& error,
                  std::string_view user = "") {
  ssx::test::feed_every_split(bytes, [&](const ssx::test::Pieces& pieces) {
    const Outcome outcome = feed(machine("a.example", user, user), pieces);
    EXPECT_EQ(outcome.progress, Progress::kFailed);
    EXPECT_EQ(outcome.error, error) << outcome.error.message();
  });
}

TEST(Socks5, AsksForAName) {
  constexpr auto kAnswer = "\5\0\5\0\0\1\x7f\0\0\1\0\0HTTP"sv;
  ssx::test::feed_every_split(kAnswer, [](const ssx::test::Pieces& pieces) {
    const Outcome outcome = feed(machine(), pieces);
    EXPECT_EQ(outcome.progress, Progress::kDone);
    EXPECT_EQ(outcome.said, "\5\1\0\5\1\0\3\11a.example\x1f\x90"sv);
    EXPECT_EQ(outcome.left, "HTTP") << "what follows is not its own";
  });
}

TEST(Socks5, AsksForAnAddress) {
  EXPECT_EQ(feed(machine("10.0.0.1"), {"\5\0"sv}).said, "\5\1\0\5\1\0\1\12\0\0\1\x1f\x90"sv);
  EXPECT_EQ(feed(machine("::1"), {"\5\0"sv}).said,
            "\5\1\0\5\1\0\4\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\x1f\x90"sv);
}

TEST(Socks5, TakesEachFormOfAnAnswer) {
  const std::string name = "\5\0\5\0\0\3\377"s + std::string(255, 'x') + "\0\0"s;
  for (const std::string& answer : {"\5\0\5\0\0\1abcdef"s, "\5\0\5\0\0\4abcdefghijklmnopqr"s,
                                    "\5\0\5\0\0\3\0\0\0"s, "\5\0\5\0\0\3\1x\0\0"s, name}) {
    const Outcome outcome = feed(machine(), {answer});
    EXPECT_EQ(outcome.progress, Progress::kDone);
    EXPECT_EQ(outcome.left, "");
    EXPECT_EQ(feed(machine(), {std::string_view(answer).substr(0, answer.size() - 1)}).progress,
              Progress::kNeedMore);
  }
  EXPECT_EQ(name.size() - 2, Socks5::kAnswerMax);
}

TEST(Socks5, LogsInWhenItIsAsked) {
  constexpr auto kAnswer = "\5\2\1\0\5\0\0\1abcdef"sv;
  ssx::test::feed_every_split(kAnswer, [](const ssx::test::Pieces& pieces) {
    const Outcome outcome = feed(machine("a", "me", "secret"), pieces);
    EXPECT_EQ(outcome.progress, Progress::kDone);
    EXPECT_EQ(outcome.said, "\5\2\0\2\1\2me\6secret\5\1\0\3\1a\x1f\x90"sv);
  });
  EXPECT_EQ(feed(machine("a", "me", "secret"), {"\5\0"sv}).said, "\5\2\0\2\5\1\0\3\1a\x1f\x90"sv)
      << "a proxy that wants no password is not told one";
}

TEST(Socks5, SaysWhyThereIsNoWay) {
  const auto login = make_error_code(Errc::kProxyLogin);
  const auto bad = make_error_code(Errc::kBadProxyAnswer);
  expect_error("\5\xff"sv, login);
  expect_error("\5\2"sv, login);  // a password is wanted, and there is none
  expect_error("\5\1"sv, login, "me");
  expect_error("\5\2\1\1"sv, login, "me");
  expect_error("\5\2\5\0"sv, bad, "me");
  expect_error("\4\0"sv, bad);
  expect_error("HTTP/1.1 400 Bad Request\r\n\r\n"sv, bad);
  expect_error("\5\0\4\0"sv, bad);
  expect_error("\5\0\5\0\0\2abcdef"sv, bad);
  const auto refused = make_error_code(Errc::kProxyRefused);
  const auto system = [](int number) { return std::error_code(number, std::system_category()); };
  expect_error("\5\0\5\1\0\1abcdef"sv, refused);
  expect_error("\5\0\5\2"sv, refused);
  expect_error("\5\0\5\3"sv, system(ENETUNREACH));
  expect_error("\5\0\5\4"sv, system(EHOSTUNREACH));
  expect_error("\5\0\5\5"sv, system(ECONNREFUSED));
  expect_error("\5\0\5\6"sv, system(ETIMEDOUT));
  expect_error("\5\0\5\7"sv, refused);
  expect_error("\5\0\5\10"sv, refused);
  expect_error("\5\0\5\xff"sv, refused);
}

TEST(Socks5, TakesNamesOfSoManyBytes) {
  for (const std::size_t size : {0U, 1U, 254U, 255U, 256U}) {
    const std::string text(size, 'x');
    const bool is_good = size >= 1 && size <= 255;
    EXPECT_EQ(Socks5::create(text, 1, "", "").has_value(), is_good) << size;
    EXPECT_EQ(Socks5::create("a", 1, "u", text).has_value(), is_good) << size;
    EXPECT_EQ(Socks5::create("a", 1, text, "p").has_value(), is_good || size == 0) << size;
  }
}

}  // namespace
}  // namespace ssx::net
