#include "http/middleware/basic_login.h"

#include "ssxrver/base/bytes.h"
#include "tests/http/middleware/middleware_fixture.h"

namespace ssx::http::test {
namespace {

class BasicLoginTest : public MiddlewareTest {
 protected:
  BasicLoginTest() {
    add(Method::kGet, "/", [](const Request& request) {
      const auto login = BasicLogin::of(request);
      return login ? "[" + login->name + "][" + login->password + "]" : std::string("none");
    });
  }
  std::string login(std::string_view lines) { return ask(get("/", lines)).body; }
};

TEST_F(BasicLoginTest, IsWhatStandsBeforeAndBehindTheFirstColon) {
  EXPECT_EQ(login("Authorization: Basic YW5uOnNlYzpyZXQ=\r\n"), "[ann][sec:ret]");
  EXPECT_EQ(login("Authorization: basic Og==\r\n"), "[][]");
  EXPECT_EQ(login("Authorization: Basic YW5u\r\n"), "none");
  EXPECT_EQ(login("Authorization: Basic YW5uOg\r\n"), "none");
  EXPECT_EQ(login("Authorization: Bearer YW5uOg==\r\n"), "none");
  EXPECT_EQ(login(""), "none");
}

TEST_F(BasicLoginTest, IsAskedForWithARealm) {
  const std::string challenge = BasicLogin::challenge("a \"b\"");
  EXPECT_EQ(challenge, "Basic realm=\"a \\\"b\\\"\", charset=\"UTF-8\"");
  const Response refusal = BasicLogin::refusal(challenge);
  EXPECT_EQ(refusal.status(), Status::kUnauthorized);
}

TEST(BasicLoginNames, AreNotEmptyAndHoldNoColonAndNoControl) {
  for (const char* name : {"ann", "a b", "\xc3\xa4"}) EXPECT_TRUE(is_login_name(name)) << name;
  for (const char* name : {"", "a:b", "a\tb", "a\x7f"}) EXPECT_FALSE(is_login_name(name)) << name;
}

TEST(BasicLoginWords, ArePasswordsOrHashes) {
  const std::string hash = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0F00A08";
  EXPECT_EQ(hash_of_word("test"), Sha256::of(as_bytes("test")));
  EXPECT_EQ(hash_of_word("{sha256:" + hash + "}"), Sha256::of(as_bytes("test")));
  EXPECT_FALSE(hash_of_word("{sha256:" + hash));
  EXPECT_FALSE(hash_of_word("{sha256:" + hash + "0}"));
  EXPECT_FALSE(hash_of_word("{sha256:g" + hash.substr(1) + "}"));
}

}  // namespace
}  // namespace ssx::http::test
