#include "http/fallback.h"

#include <gtest/gtest.h>

#include "http/middleware.h"
#include "tests/http/session_fixture.h"

namespace ssx::http::test {
namespace {

class Fallback : public SessionTest {
 protected:
  Fallback() {
    on(Method::kGet, "/get", [](const Request&) { return "got"; });
  }
};

TEST_F(Fallback, SaysWhatIsThere) {
  Client client = connect();
  EXPECT_EQ(ask(client, get("/nothing")).status, 404);
  const auto refused = ask(client, request("DELETE", "/get"));
  EXPECT_EQ(refused.status, 405);
  EXPECT_EQ(refused.field("allow"), "GET, HEAD, OPTIONS");
  const auto told = ask(client, request("OPTIONS", "/get"));
  EXPECT_EQ(told.status, 204);
  EXPECT_EQ(told.field("allow"), "GET, HEAD, OPTIONS");
  EXPECT_EQ(ask(client, get("/get")).body, "got");
}

TEST_F(Fallback, EndsTheConnectionWhenABodyFollows) {
  Client client = connect();
  const auto answer = ask(client, post("/get", "nobody wants it"));
  EXPECT_EQ(answer.status, 405);
  EXPECT_EQ(answer.field("connection"), "close");
  Client other = connect();  // the exchange of the worker is as good as new
  EXPECT_EQ(ask(other, get("/get")).field("connection"), "");
  EXPECT_EQ(ask(other, get("/get")).body, "got");
}

TEST_F(Fallback, HasTheMiddlewareOfItsPath) {
  const auto mark = Middleware::hooks(
      nullptr, [](const Request&, Response& answer) { answer.set("X-Mark", "here"); });
  Route route{*compose({mark}, [](const Request&) { return "marked"; }), RouteLimits::from(options),
              "GET /marked"};
  route.fallback = *compose({mark}, Handler(&answer_without_route));
  ASSERT_TRUE(router.add("", {Method::kGet}, "/marked", std::move(route)));
  Client client = connect();
  EXPECT_EQ(ask(client, get("/marked")).field("x-mark"), "here");
  const auto told = ask(client, request("OPTIONS", "/marked"));
  EXPECT_EQ(told.status, 204);
  EXPECT_EQ(told.field("x-mark"), "here");
  EXPECT_EQ(ask(client, request("OPTIONS", "/get")).field("x-mark"), "");
  EXPECT_EQ(ask(client, get("/nothing")).field("x-mark"), "");
}

TEST_F(Fallback, MayBeACoroutine) {
  table = std::make_unique<net::Connections>(*loop, connection_options);
  service = std::make_unique<Service>(
      std::move(router), options, 1,
      Handler([](const Request& r) -> Task<Response> { co_return answer_without_route(r); }));
  Client client = connect();
  EXPECT_EQ(ask(client, get("/nothing")).status, 404);
  EXPECT_EQ(ask(client, post("/nothing", "a body")).status, 404);
  Client other = connect();
  EXPECT_EQ(ask(other, get("/get")).body, "got");
}

TEST(EndlessRewrite, IsTheServersFault) {
  Head head;
  const Params params;
  const Body body;
  const net::SocketAddress peer;
  const Request request(head, "/", params, body, peer, 0);
  EXPECT_EQ(answer_endless_rewrite(request).status(), Status::kInternalServerError);
}

}  // namespace
}  // namespace ssx::http::test
