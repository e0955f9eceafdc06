#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/websocket/parsed_request.h"
#include "websocket/handshake.h"

namespace ssx::websocket {
namespace {

constexpr std::string_view kAbsent = "-";

using Origins = std::vector<std::string>;

Options with_origins(Origins allowed) {
  Options options;
  options.allowed_origins = std::move(allowed);
  return options;
}

bool is_let_in(std::string_view origin, const Origins& allowed, std::string_view host = "a.example",
               bool secure = false) {
  std::string text = "GET / HTTP/1.1\r\nHost: " + std::string(host) + "\r\n";
  if (origin != kAbsent) text.append("Origin: ").append(origin).append("\r\n");
  const test::ParsedRequest request(text + "\r\n");
  return is_allowed_origin(*request, with_origins(allowed), secure);
}

TEST(OriginPolicy, B04TheSameIsThatOfTheHost) {
  const struct {
    std::string_view origin;
    std::string_view host;
    bool expected;
  } rows[] = {{kAbsent, "a.example", true},
              {"http://a.example", "a.example", true},
              {"http://A.EXAMPLE", "a.example", true},
              {"http://a.example", "A.Example", true},
              {"http://a.example:80", "a.example", true},
              {"http://a.example", "a.example:80", true},
              {"https://a.example", "a.example", true},
              {"https://a.example", "a.example:443", true},
              {"https://a.example:443", "a.example", true},
              {"http://a.example:8080", "a.example:8080", true},
              {"http://[::1]:8080", "[::1]:8080", true},
              {"http://[2001:DB8::1]", "[2001:db8::1]", true},
              {"http://127.0.0.1:1", "127.0.0.1:1", true},
              {"null", "a.example", false},
              {"", "a.example", false},
              {"http://a.example:8080", "a.example", false},
              {"http://a.example", "a.example:8080", false},
              {"https://a.example", "a.example:80", false},
              {"http://a.example:443", "a.example", false},
              {"http://b.example", "a.example", false},
              {"http://a.example.evil.example", "a.example", false},
              {"http://evila.example", "a.example", false},
              {"http://a.example@evil.example", "a.example", false},
              {"http://evil.example/a.example", "a.example", false},
              {"http://evil.example#a.example", "a.example", false},
              {"http://a.example.", "a.example", false},
              {"http://a.example/", "a.example", false},
              {"http://a.example http://evil.example", "a.example", false},
              {"a.example", "a.example", false},
              {"file://a.example", "a.example", false},
              {"chrome-extension://a.example", "a.example", false},
              {"http://[::1]", "[::2]", false},
              {"http://[::1]:81", "[::1]", false}};
  for (const auto& row : rows) {
    EXPECT_EQ(is_let_in(row.origin, {"same"}, row.host), row.expected)
        << row.origin << " at " << row.host;
  }
}

TEST(OriginPolicy, B04OverTlsTheSameIsHttps) {
  EXPECT_TRUE(is_let_in("https://a.example", {"same"}, "a.example", true));
  EXPECT_FALSE(is_let_in("http://a.example", {"same"}, "a.example", true));
  EXPECT_TRUE(is_let_in(kAbsent, {"same"}, "a.example", true));
}

TEST(OriginPolicy, LetsInOnlyPagesOfTheHostWhenItSaysSo) {
  EXPECT_TRUE(is_let_in("https://a.example", {"page"}, "a.example"));
  EXPECT_FALSE(is_let_in("https://b.example", {"page"}, "a.example"));
  EXPECT_FALSE(is_let_in(kAbsent, {"page"}, "a.example"));
  EXPECT_TRUE(is_let_in(kAbsent, {"page", "same"}, "a.example"));
}

TEST(OriginPolicy, B04AListLetsInWhatItNames) {
  const Origins list = {"https://app.example", "http://[::1]:3000"};
  EXPECT_TRUE(is_let_in("https://app.example", list));
  EXPECT_TRUE(is_let_in("HTTPS://App.Example:443", list));
  EXPECT_TRUE(is_let_in("http://[::1]:3000", list));
  for (const std::string_view origin :
       {std::string_view("http://a.example"), kAbsent, std::string_view("null"),
        std::string_view("http://app.example"), std::string_view("https://app.example:8443"),
        std::string_view("https://app.example.evil.example"),
        std::string_view("https://x.app.example"), std::string_view("http://[::1]")}) {
    EXPECT_FALSE(is_let_in(origin, list)) << origin;
  }
  const Origins both = {"same", "https://app.example"};
  EXPECT_TRUE(is_let_in(kAbsent, both));
  EXPECT_TRUE(is_let_in("http://a.example", both));
  EXPECT_TRUE(is_let_in("https://app.example", both));
  EXPECT_FALSE(is_let_in("https://b.example", both));
}

TEST(OriginPolicy, B04AnyLetsInAllAndNothingNobody) {
  for (const std::string_view origin :
       {std::string_view("http://b.example"), std::string_view("null"), kAbsent,
        std::string_view("rubbish")}) {
    EXPECT_TRUE(is_let_in(origin, {"any"})) << origin;
    EXPECT_FALSE(is_let_in(origin, {})) << origin;
  }
}

TEST(OriginPolicy, B04TwoOriginsAreNone) {
  const test::ParsedRequest request(
      "GET / HTTP/1.1\r\nHost: a.example\r\nOrigin: http://a.example\r\n"
      "Origin: http://a.example\r\n\r\n");
  EXPECT_FALSE(is_allowed_origin(*request, with_origins({"same"}), false));
  EXPECT_FALSE(is_allowed_origin(*request, with_origins({"http://a.example"}), false));
  EXPECT_TRUE(is_allowed_origin(*request, with_origins({"any"}), false));
}

}  // namespace
}  // namespace ssx::websocket
