#include "http/middleware/request_id.h"

#include "tests/http/middleware/middleware_fixture.h"

namespace ssx::http::test {
namespace {

using testing::MatchesRegex;

class RequestIds : public MiddlewareTest {
 protected:
  void build(const RequestIdOptions& options_) {
    surround(request_id(options_));
    add(Method::kGet, "/",
        [](const Request& r) { return std::string(r.attribute("request_id").value_or("none")); });
    add(Method::kGet, "/own",
        [](const Request&) { return std::move(Response("own").set("X-Request-Id", "handler")); });
  }
};

TEST_F(RequestIds, AreMadeForEveryRequest) {
  build({});
  const Answer first = ask(get("/"));
  const Answer second = ask(get("/", "X-Request-Id: given\r\n"));
  EXPECT_THAT(first.body, MatchesRegex("[0-9a-f]{32}"));
  EXPECT_EQ(first.field("X-Request-Id"), first.body);
  EXPECT_THAT(second.body, MatchesRegex("[0-9a-f]{32}"));
  EXPECT_NE(second.body, first.body);
  EXPECT_THAT(ask(request("POST", "/")).field("X-Request-Id"), MatchesRegex("[0-9a-f]{32}"));
  EXPECT_EQ(ask(get("/own")).field("X-Request-Id"), "handler");
}

TEST_F(RequestIds, AreThoseOfTheRequestWhereItIsTrusted) {
  build({.trust_request = true});
  EXPECT_EQ(ask(get("/", "x-request-ID: aZ-9._~+/=\r\n")).body, "aZ-9._~+/=");
  for (const std::size_t size : {127, 128, 129}) {
    const std::string name(size, 'n');
    EXPECT_EQ(ask(get("/", "X-Request-Id: " + name + "\r\n")).body == name, size <= 128) << size;
  }
  for (const char* bad : {"", "a b", "a\"b", "a\xc3\xa4", "a,b", "<a>"}) {
    const Answer answer = ask(get("/", "X-Request-Id: " + std::string(bad) + "\r\n"));
    EXPECT_THAT(answer.field("X-Request-Id"), MatchesRegex("[0-9a-f]{32}")) << bad;
  }
}

TEST_F(RequestIds, HaveTheFieldTheyAreGiven) {
  build({.field = "X-Trace", .trust_request = true});
  const Answer answer = ask(get("/", "X-Trace: abc\r\n"));
  EXPECT_EQ(answer.field("X-Trace"), "abc");
  EXPECT_EQ(answer.count("X-Request-Id"), 0u);
}

}  // namespace
}  // namespace ssx::http::test
