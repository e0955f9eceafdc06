#include "http/cookie.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/options.h"
#include "tests/http/pair_limit.h"
#include "tests/support/guard_page.h"

namespace ssx::http {
namespace {

using namespace std::string_literals;
using Pairs = std::vector<std::pair<std::string, std::string>>;

Pairs pairs(std::string_view text) {
  const test::GuardedBytes guarded(text);
  Pairs all;
  const Cookies cookies = Cookies::parse(guarded.text(), 100).value();
  for (const Cookies::Pair& pair : cookies) all.emplace_back(pair.name, pair.value);
  return all;
}

TEST(Cookies, HaveThePairsAsTheyWereSent) {
  const struct {
    std::string_view text;
    Pairs expected;
  } rows[] = {{"", {}},
              {"a=b", {{"a", "b"}}},
              {"a=b; c=d", {{"a", "b"}, {"c", "d"}}},
              {"a=b;c=d;", {{"a", "b"}, {"c", "d"}}},
              {" a = b ;\tc=d ", {{"a", "b"}, {"c", "d"}}},
              {"a=", {{"a", ""}}},
              {"a=b=c", {{"a", "b=c"}}},
              {"a=\"b c\"", {{"a", "\"b c\""}}},
              {"a=%41+", {{"a", "%41+"}}},
              {"a[0]=1", {{"a[0]", "1"}}},
              {"alone; a=b", {{"a", "b"}}},
              {"=__Host-a=b; c=d", {{"c", "d"}}},
              {";;;", {}},
              {"=", {}}};
  for (const auto& row : rows) EXPECT_EQ(pairs(row.text), row.expected) << row.text;
}

TEST(Cookies, AreFoundByName) {
  const Cookies cookies = Cookies::parse("id=1; ID=2; id=3", 3).value();
  EXPECT_EQ(cookies.find("id"), "1");
  EXPECT_EQ(cookies.find("ID"), "2");
  EXPECT_EQ(cookies.find("x"), std::nullopt);
  EXPECT_EQ(Cookies().find("id"), std::nullopt);
}

// A19
TEST(Cookies, HaveAMostOfPairs) {
  const std::size_t limit = HttpOptions().cookie_pairs_max;
  EXPECT_EQ(limit, 128U);
  test::expect_limit_of_pairs(
      limit, "=x; ", Errc::kTooManyCookies,
      [limit](const std::string& text) { return Cookies::parse(text, limit); });
}

TEST(SetCookie, SaysWhatWasAskedFor) {
  EXPECT_EQ(SetCookie({.name = "a", .value = "b"}).text().value(),
            "a=b; Path=/; HttpOnly; SameSite=Lax");
  SetCookie cookie{.name = "__Secure-id",
                   .value = "x1",
                   .path = "/app",
                   .domain = "a.example",
                   .max_age = std::chrono::hours(1),
                   .expires = WallTime(std::chrono::seconds(784111777)),
                   .secure = true,
                   .http_only = false,
                   .same_site = SameSite::kNone,
                   .partitioned = true};
  EXPECT_EQ(cookie.text().value(),
            "__Secure-id=x1; Path=/app; Domain=a.example; Max-Age=3600; "
            "Expires=Sun, 06 Nov 1994 08:49:37 GMT; Secure; SameSite=None; Partitioned");
  const SetCookie bare{.name = "a", .path = "", .http_only = false, .same_site = SameSite::kUnset};
  EXPECT_EQ(bare.text().value(), "a=");
  const SetCookie gone{
      .name = "a", .max_age = std::chrono::seconds(0), .same_site = SameSite::kStrict};
  EXPECT_EQ(gone.text().value(), "a=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict");
}

// Which bytes, alone between two others, a member of a cookie takes.
template <class Set>
std::string taken(Set&& set) {
  std::string kept;
  for (int value = 0; value < 256; ++value) {
    SetCookie cookie{.name = "a"};
    set(cookie, static_cast<char>(value));
    const auto text = cookie.text();
    EXPECT_TRUE(text || text.error() == make_error_code(Errc::kBadCookie)) << value;
    if (text) kept += static_cast<char>(value);
  }
  return kept;
}

TEST(SetCookie, ChecksEveryByte) {
  const std::string lower = "abcdefghijklmnopqrstuvwxyz", upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  EXPECT_EQ(taken([](SetCookie& cookie, char byte) { cookie.name = "a"s + byte + "b"; }),
            "!#$%&'*+-.0123456789" + upper + "^_`" + lower + "|~");
  EXPECT_EQ(taken([](SetCookie& cookie, char byte) { cookie.value = "a"s + byte + "b"; }),
            "!#$%&'()*+-./0123456789:<=>?@" + upper + "[]^_`" + lower + "{|}~");
  EXPECT_EQ(taken([](SetCookie& cookie, char byte) { cookie.path = "/a"s + byte + "b"; }),
            " !\"#$%&'()*+,-./0123456789:<=>?@" + upper + "[\\]^_`" + lower + "{|}~");
  EXPECT_EQ(taken([](SetCookie& cookie, char byte) { cookie.domain = "a"s + byte + "b"; }),
            "-.0123456789" + upper + "_" + lower + "~");
}

TEST(SetCookie, RefusesWhatABrowserWouldNotKeep) {
  const SetCookie good{.name = "a", .value = "b", .domain = "a.example", .secure = true};
  ASSERT_TRUE(good.text());
  const auto is_refused = [&good](auto change) {
    SetCookie cookie = good;
    change(cookie);
    return !cookie.text();
  };
  EXPECT_TRUE(is_refused([](SetCookie& cookie) { cookie.name = ""; }));
  EXPECT_TRUE(is_refused([](SetCookie& cookie) { cookie.path = "app"; }));
  EXPECT_TRUE(is_refused([](SetCookie& cookie) { cookie.domain = ".a.example"; }));
  EXPECT_TRUE(is_refused([](SetCookie& cookie) { cookie.domain = "a.example:80"; }));
  EXPECT_TRUE(is_refused([](SetCookie& cookie) { cookie.domain = "a..example"; }));
  const auto insecure = [](SetCookie& cookie) { cookie.secure = false; };
  EXPECT_FALSE(is_refused(insecure));
  EXPECT_TRUE(is_refused(
      [](SetCookie& cookie) { cookie.secure = false, cookie.same_site = SameSite::kNone; }));
  EXPECT_TRUE(
      is_refused([](SetCookie& cookie) { cookie.secure = false, cookie.partitioned = true; }));
}

// RFC 6265bis 4.1.3; browsers match the prefixes whatever their case.
TEST(SetCookie, KeepsTheRulesOfThePrefixes) {
  for (const std::string_view prefix : {"__Secure-", "__secure-", "__SECURE-"}) {
    SetCookie cookie{
        .name = std::string(prefix) + "a", .path = "/x", .domain = "d", .secure = true};
    EXPECT_TRUE(cookie.text()) << prefix;
    cookie.secure = false;
    EXPECT_FALSE(cookie.text()) << prefix;
  }
  for (const std::string_view prefix : {"__Host-", "__host-"}) {
    const SetCookie good{.name = std::string(prefix) + "a", .secure = true};
    EXPECT_TRUE(good.text()) << prefix;
    SetCookie cookie = good;
    cookie.secure = false;
    EXPECT_FALSE(cookie.text()) << prefix;
    cookie = good, cookie.path = "/x";
    EXPECT_FALSE(cookie.text()) << prefix;
    cookie = good, cookie.path = "";
    EXPECT_FALSE(cookie.text()) << prefix;
    cookie = good, cookie.domain = "d";
    EXPECT_FALSE(cookie.text()) << prefix;
  }
}

TEST(SetCookie, HasLongestParts) {
  const auto pair = [](std::size_t size) {
    return SetCookie({.name = "ab", .value = std::string(size - 2, 'x')}).text().has_value();
  };
  EXPECT_TRUE(pair(SetCookie::kPairMax - 1));
  EXPECT_TRUE(pair(SetCookie::kPairMax));
  EXPECT_FALSE(pair(SetCookie::kPairMax + 1));
  const auto path = [](std::size_t size) {
    return SetCookie({.name = "a", .path = "/" + std::string(size - 1, 'x')}).text().has_value();
  };
  EXPECT_TRUE(path(SetCookie::kAttributeMax - 1));
  EXPECT_TRUE(path(SetCookie::kAttributeMax));
  EXPECT_FALSE(path(SetCookie::kAttributeMax + 1));
  const auto domain = [](std::size_t size) {
    return SetCookie({.name = "a", .domain = std::string(size, 'x')}).text().has_value();
  };
  EXPECT_TRUE(domain(SetCookie::kAttributeMax));
  EXPECT_FALSE(domain(SetCookie::kAttributeMax + 1));
}

TEST(SetCookie, ComesBackAsACookie) {
  const std::string text = SetCookie({.name = "id", .value = "a=b/c+d"}).text().value();
  const std::string pair = text.substr(0, text.find(';'));
  const Cookies cookies = Cookies::parse(pair, 1).value();
  EXPECT_EQ(cookies.find("id"), "a=b/c+d");
}

}  // namespace
}  // namespace ssx::http
