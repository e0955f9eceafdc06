#include "http/middleware/bearer_token.h"

#include "ssxrver/net/awaitables.h"
#include "tests/http/middleware/middleware_fixture.h"

namespace ssx::http::test {
namespace {

// The sections are those of RFC 6750.
class BearerToken : public MiddlewareTest {
 protected:
  void add_handler() {
    add(Method::kGet, "/", [](const Request& r) {
      return std::string(r.attribute("token").value_or("none")) + " " +
             std::string(r.attribute("owner").value_or("none"));
    });
  }
  static std::string with(std::string_view token) {
    return get("/", std::string("Authorization: Bearer ").append(token).append("\r\n"));
  }
  static bool check(const Request& request, std::string_view token) {
    request.set_attribute("owner", "ann");
    return token == "good";
  }
};

TEST_F(BearerToken, IsChecked) {
  surround(bearer_token(check, {.realm = "r", .scope = "read write"}));
  add_handler();
  EXPECT_EQ(ask(with("good")).body, "good ann");
  const Answer bad = ask(with("bad"));  // 3.1
  EXPECT_EQ(bad.status, 401);
  EXPECT_EQ(bad.field("WWW-Authenticate"),
            "Bearer realm=\"r\", scope=\"read write\", error=\"invalid_token\"");
  const Answer none = ask(get("/"));  // 3.1: no error code without authentication
  EXPECT_EQ(none.status, 401);
  EXPECT_EQ(none.field("WWW-Authenticate"), "Bearer realm=\"r\", scope=\"read write\"");
}

TEST_F(BearerToken, IsRefusedWhenItIsMalformed) {
  surround(bearer_token(check));
  add_handler();
  const Answer answer = ask(with("a b"));
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(answer.field("WWW-Authenticate"), "Bearer error=\"invalid_request\"");
  EXPECT_EQ(ask(get("/?access_token=good")).status, 401);  // 2.3: not here
  EXPECT_EQ(ask(get("/")).field("WWW-Authenticate"), "Bearer");
}

TEST_F(BearerToken, MayBeCheckedByACoroutine) {
  surround(bearer_token([](const Request& request, std::string_view token) -> Task<bool> {
    co_await net::sleep_for(10ms);
    co_return check(request, token);
  }));
  add_handler();
  Client client = connect();
  client.send(with("good"));
  idle();
  EXPECT_EQ(client.read_available(), "");
  advance(10ms);
  EXPECT_EQ(client.read_response().body, "good ann");
  client.send(with("bad"));
  idle();
  advance(10ms);
  EXPECT_EQ(client.read_response().status, 401);
  EXPECT_EQ(SessionTest::ask(client, get("/")).status, 401);
}

TEST_F(BearerToken, MayBeOneOfAList) {
  surround(bearer_token(std::vector<std::string>{"one", "two"}));
  add_handler();
  EXPECT_EQ(ask(with("one")).body, "one none");
  EXPECT_EQ(ask(with("two")).body, "two none");
  for (const char* token : {"three", "on", "onee", "One"})
    EXPECT_EQ(ask(with(token)).status, 401) << token;
}

}  // namespace
}  // namespace ssx::http::test
