#include "http/origin.h"

#include <gtest/gtest.h>

#include <string_view>

#include "tests/support/guard_page.h"

namespace ssx::http {
namespace {

TEST(Origin, IsSchemeHostAndPort) {
  const struct {
    std::string_view text;
    Origin expected;
  } rows[] = {{"http://a.example", {"http", "a.example", 80}},
              {"https://a.example", {"https", "a.example", 443}},
              {"HTTPS://A.Example", {"https", "a.example", 443}},
              {"https://a.example:443", {"https", "a.example", 443}},
              {"http://a.example:8080", {"http", "a.example", 8080}},
              {"http://[::1]:81", {"http", "[::1]", 81}},
              {"http://127.0.0.1", {"http", "127.0.0.1", 80}},
              {"ws://a.example", {"ws", "a.example", 80}},
              {"wss://a.example", {"wss", "a.example", 443}},
              {"moz-extension://1b2c-3d", {"moz-extension", "1b2c-3d", 0}},
              {"a+b.c-1://x:1", {"a+b.c-1", "x", 1}}};
  for (const auto& row : rows) {
    const ssx::test::GuardedBytes guarded(row.text);
    const auto origin = Origin::parse(guarded.text());
    ASSERT_TRUE(origin) << row.text;
    EXPECT_TRUE(*origin == row.expected) << row.text;
  }
}

TEST(Origin, IsNothingElse) {
  for (const std::string_view text : {"",
                                      "null",
                                      "NULL",
                                      "http",
                                      "http:",
                                      "http:/",
                                      "http://",
                                      "http:a.example",
                                      "a.example",
                                      "//a.example",
                                      "://a.example",
                                      "http://a.example/",
                                      "http://a.example/x",
                                      "http://a.example?",
                                      "http://a.example#",
                                      "http://u@a.example",
                                      "http://a.example ",
                                      " http://a.example",
                                      "http://a.example http://b.example",
                                      "http://a.example,http://b",
                                      "http://a.example:0",
                                      "http://a.example:65536",
                                      "http://a.example:x",
                                      "http://[::1",
                                      "1http://a.example",
                                      "ht tp://a.example",
                                      "http://a\\b",
                                      "http://a.example\x80"}) {
    EXPECT_FALSE(Origin::parse(text)) << text;
  }
}

bool are_equal(std::string_view left, std::string_view right) {
  return *Origin::parse(left) == *Origin::parse(right);
}

TEST(Origin, EqualsOneOfTheSameThree) {
  EXPECT_TRUE(are_equal("https://a.example", "HTTPS://A.EXAMPLE:443"));
  EXPECT_TRUE(are_equal("app://x", "APP://X"));
  EXPECT_FALSE(are_equal("https://a.example", "http://a.example"));
  EXPECT_FALSE(are_equal("https://a.example:80", "http://a.example"));
  EXPECT_FALSE(are_equal("https://a.example", "https://a.example:8443"));
  EXPECT_FALSE(are_equal("https://a.example", "https://b.example"));
  EXPECT_FALSE(are_equal("https://a.example", "https://a.example.evil.example"));
}

bool is_same(std::string_view origin, std::string_view host, bool secure = false) {
  return is_origin_of(*Origin::parse(origin), host, secure);
}

TEST(Origin, IsThatOfTheHostThatServedThePage) {
  EXPECT_TRUE(is_same("http://a.example", "a.example"));
  EXPECT_TRUE(is_same("http://a.example", "A.EXAMPLE:80"));
  EXPECT_TRUE(is_same("http://a.example:80", "a.example"));
  EXPECT_TRUE(is_same("http://a.example:8080", "a.example:8080"));
  EXPECT_TRUE(is_same("http://[::1]:81", "[::1]:81"));
  EXPECT_FALSE(is_same("http://a.example", "a.example:8080"));
  EXPECT_FALSE(is_same("http://a.example:8080", "a.example"));
  EXPECT_FALSE(is_same("http://a.example", "b.example"));
  EXPECT_FALSE(is_same("http://a.example", ""));
  EXPECT_FALSE(is_same("http://a.example", "a.example, b.example"));
  EXPECT_FALSE(is_same("ftp://a.example:80", "a.example:80"));
}

TEST(Origin, IsHttpsOverTlsAndPerhapsBehindAProxy) {
  EXPECT_TRUE(is_same("https://a.example", "a.example", true));
  EXPECT_TRUE(is_same("https://a.example", "a.example:443", true));
  EXPECT_FALSE(is_same("http://a.example", "a.example", true));
  EXPECT_FALSE(is_same("http://a.example:443", "a.example:443", true));
  EXPECT_TRUE(is_same("https://a.example", "a.example"));
  EXPECT_FALSE(is_same("https://a.example", "a.example:80"));
}

}  // namespace
}  // namespace ssx::http
