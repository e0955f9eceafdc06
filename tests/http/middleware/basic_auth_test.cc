#include "http/middleware/basic_auth.h"

#include "ssxrver/base/base64.h"
#include "ssxrver/base/bytes.h"
#include "tests/http/middleware/middleware_fixture.h"

namespace ssx::http::test {
namespace {

using ssx::make_error_code;

class BasicAuth : public MiddlewareTest {
 protected:
  void build(const BasicAuthOptions& options_) {
    auto made = basic_auth(options_);
    ASSERT_TRUE(made.has_value());
    surround(*made);
    add(Method::kGet, "/",
        [](const Request& r) { return std::string(r.attribute("user").value_or("nobody")); });
  }
  static std::string as(std::string_view pair) {
    return "Authorization: Basic " + base64_encode(as_bytes(pair), Base64::kStandard) + "\r\n";
  }
  Answer enter(std::string_view pair) { return ask(get("/", as(pair))); }

  const BasicAuthOptions users{
      .realm = "the \"realm\"",
      .users = {
          {"ann", "secret:with colon"},
          {"bob", ""},
          // "test", as RFC 7617's examples would have it
          {"test", "{sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0F00A08}"}}};
};

TEST_F(BasicAuth, LetsUsersIn) {
  build(users);
  EXPECT_EQ(enter("ann:secret:with colon").body, "ann");  // RFC 7617 2: the first colon
  EXPECT_EQ(enter("bob:").body, "bob");
  EXPECT_EQ(enter("test:test").body, "test");
}

TEST_F(BasicAuth, AsksOthersForTheirNames) {
  build(users);
  for (const char* pair : {"ann:secret", "ann:", "Ann:secret:with colon", "bob:secret:with colon",
                           "nobody:", "ann", "", ":", "test:9f86"}) {
    const Answer answer = enter(pair);
    EXPECT_EQ(answer.status, 401) << pair;
    EXPECT_EQ(answer.field("WWW-Authenticate"),
              "Basic realm=\"the \\\"realm\\\"\", charset=\"UTF-8\"");
  }
  EXPECT_EQ(ask(get("/")).status, 401);
  EXPECT_EQ(ask(get("/", "Authorization: Basic YW5u\r\nAuthorization: Basic YW5u\r\n")).status,
            401);
  EXPECT_EQ(ask(get("/", "Authorization: Basic dGVzdDp0ZXN0x\r\n")).status, 401);
  EXPECT_EQ(ask(get("/", "Authorization: Bearer dGVzdDp0ZXN0\r\n")).status, 401);
  EXPECT_EQ(ask(get("/", "authorization: bASIC dGVzdDp0ZXN0\r\n")).body, "test");
}

TEST_F(BasicAuth, IsForEveryMethod) {
  build(users);
  EXPECT_EQ(ask(request("OPTIONS", "/")).status, 401);
  EXPECT_EQ(ask(request("POST", "/")).status, 401);
  EXPECT_EQ(ask(request("POST", "/", as("test:test"))).status, 405);
}

TEST(BasicAuthOptions, AreChecked) {
  const auto refusal = [](const BasicAuthOptions& options) {
    const auto made = basic_auth(options);
    return !made && made.error() == make_error_code(ssx::Errc::kInvalidArgument);
  };
  EXPECT_FALSE(refusal({}));  // nobody gets in
  EXPECT_TRUE(refusal({.users = {{"", "x"}}}));
  EXPECT_TRUE(refusal({.users = {{"a:b", "x"}}}));
  EXPECT_TRUE(refusal({.users = {{"a\n", "x"}}}));
  EXPECT_TRUE(refusal({.realm = "a\nb"}));
  EXPECT_TRUE(refusal({.users = {{"a", "{sha256:9f86}"}}}));
  EXPECT_TRUE(refusal({.users = {{"a", "{sha256:" + std::string(64, 'g') + "}"}}}));
  EXPECT_TRUE(refusal({.users = {{"a", "{sha256:" + std::string(64, '0')}}}));
  EXPECT_FALSE(refusal({.users = {{"a", "{sha256:" + std::string(64, '0') + "}"}}}));
}

TEST(BasicAuthOptions, HaveABound) {
  BasicAuthOptions options;
  while (options.users.size() < BasicAuthOptions::kUsersMax)
    options.users.emplace("user" + std::to_string(options.users.size()), "x");
  EXPECT_TRUE(basic_auth(options).has_value());
  options.users.emplace("one more", "x");
  EXPECT_FALSE(basic_auth(options).has_value());
}

}  // namespace
}  // namespace ssx::http::test
