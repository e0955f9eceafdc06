// Routes that ask again with another target.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "http/fallback.h"
#include "http/route_pattern.h"
#include "ssxrver/net/awaitables.h"
#include "tests/http/session_fixture.h"

namespace ssx::http {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only
using test::Answer;
using test::Client;
using test::get;
using test::post;

std::string describe(const Request& request) {
  return std::string(request.path()) + " ?" + std::string(request.query()) +
         " rest=" + std::string(request.param("rest")) + " of " + std::string(request.target()) +
         " at " + std::string(request.route());
}

class SessionRewrite : public test::SessionTest {
 protected:
  void rewrite(const std::vector<Method>& methods, std::string_view pattern, std::string_view to) {
    const auto parsed = RoutePattern::parse(pattern);
    ASSERT_TRUE(parsed);
    auto target = TargetTemplate::parse(to, parsed->names(), TargetTemplate::Kind::kPath);
    ASSERT_TRUE(target) << target.error().text();
    Route route{&answer_endless_rewrite, RouteLimits::from(options), std::string(pattern)};
    route.rewrite = std::make_shared<const TargetTemplate>(*std::move(target));
    ASSERT_TRUE(router.add("", methods, pattern, std::move(route)));
  }
  Answer ask_once(std::string_view bytes) {
    Client client = connect();
    return ask(client, bytes);
  }
};

TEST_F(SessionRewrite, AsksAgainWithAnotherTarget) {
  on(Method::kGet, "/new/*", describe);
  rewrite({}, "/old/{id}/*", "/new/{id}-x/{rest}");
  EXPECT_EQ(ask_once(get("/old/7/a%20b/c?q=1")).body,
            "/new/7-x/a b/c ?q=1 rest=7-x/a b/c of /old/7/a%20b/c?q=1 at /new/*");
  EXPECT_EQ(ask_once(get("/old/%257/")).body, "/new/%7-x/ ? rest=%7-x/ of /old/%257/ at /new/*");
}

TEST_F(SessionRewrite, HasAQueryOfItsOwn) {
  on(Method::kGet, "/new", describe);
  rewrite({}, "/a/{id}", "/new?id={id}");
  rewrite({}, "/b", "/new?");
  EXPECT_EQ(ask_once(get("/a/x%26y?q=1")).body, "/new ?id=x%26y rest= of /a/x%26y?q=1 at /new");
  EXPECT_EQ(ask_once(get("/b?q=1")).body, "/new ? rest= of /b?q=1 at /new");
}

TEST_F(SessionRewrite, HappensSoManyTimes) {
  on(Method::kGet, "/n/0", describe);
  for (unsigned i = 1; i <= Route::kRewritesMax + 1; ++i)
    rewrite({}, "/n/" + std::to_string(i), "/n/" + std::to_string(i - 1));
  Client client = connect();
  for (const unsigned count : {Route::kRewritesMax - 1, Route::kRewritesMax})
    EXPECT_EQ(ask(client, get("/n/" + std::to_string(count) + "?q")).status, 200) << count;
  EXPECT_EQ(counters().rewrites_hit.value(), 0U);
  EXPECT_EQ(ask(client, get("/n/" + std::to_string(Route::kRewritesMax + 1))).status, 500);
  EXPECT_EQ(counters().rewrites_hit.value(), 1U);
  EXPECT_EQ(ask(client, get("/n/1")).status, 200);  // the connection lives on
}

TEST_F(SessionRewrite, ALoopEnds) {
  rewrite({}, "/a", "/b");
  rewrite({}, "/b", "/a");
  rewrite({}, "/same", "/same");
  EXPECT_EQ(ask_once(get("/a")).status, 500);
  EXPECT_EQ(ask_once(get("/same")).status, 500);
  EXPECT_EQ(counters().rewrites_hit.value(), 2U);
}

TEST_F(SessionRewrite, ATargetThatGrowsTooLongIs414) {
  options.parser.target_max = 100;
  rewrite({}, "/g/*", "/g/{rest}/{rest}");
  EXPECT_EQ(ask_once(get("/g/abcdefghij")).status, 414);
  EXPECT_EQ(refused(Errc::kTargetTooLong), 1U);
}

TEST_F(SessionRewrite, APathThatGrowsTooLongIs414AndOneTooDeep400) {
  options.parser.path_max = 40;
  options.parser.segments_max = 6;
  on(Method::kGet, "/done/*", describe);
  rewrite({}, "/long/*", "/done/0123456789{rest}");
  rewrite({}, "/deep/*", "/done/x/{rest}");
  for (const std::size_t size : {23U, 24U})
    EXPECT_EQ(ask_once(get("/long/" + std::string(size, 'x'))).status, 200) << size;
  EXPECT_EQ(ask_once(get("/long/" + std::string(25, 'x'))).status, 414);
  EXPECT_EQ(refused(Errc::kPathTooLong), 1U);
  EXPECT_EQ(ask_once(get("/deep/a/b/c")).status, 200);
  EXPECT_EQ(ask_once(get("/deep/a/b/c/d")).status, 200);
  EXPECT_EQ(ask_once(get("/deep/a/b/c/d/e")).status, 400);
  EXPECT_EQ(refused(Errc::kTooManySegments), 1U);
}

TEST_F(SessionRewrite, ToNowhereIs404AndToAnotherMethod405) {
  on(Method::kGet, "/new", describe);
  rewrite({}, "/none", "/nowhere");
  rewrite({}, "/old", "/new");
  EXPECT_EQ(ask_once(get("/none")).status, 404);
  const Answer answer = ask_once(post("/old", ""));
  EXPECT_EQ(answer.status, 405);
  EXPECT_EQ(answer.field("Allow"), "GET, HEAD, OPTIONS");
}

TEST_F(SessionRewrite, IsForItsMethods) {
  on(Method::kGet, "/new", describe);
  on(Method::kPost, "/old", [](const Request&) { return "posted"; });
  rewrite({Method::kGet}, "/old", "/new");
  EXPECT_EQ(ask_once(post("/old", "x")).body, "posted");
  EXPECT_EQ(ask_once(get("/old")).body, "/new ? rest= of /old at /new");
}

TEST_F(SessionRewrite, TakesTheBodyAndTheLimitsAlong) {
  RouteLimits limits = RouteLimits::from(options);
  limits.body_max = 5;
  on(
      Method::kPost, "/new/{id}",
      [](const Request& r) { return std::string(r.param("id")) + std::string(r.body().text); },
      limits);
  rewrite({}, "/old/{id}", "/new/{id}");
  EXPECT_EQ(ask_once(post("/old/7", "12345")).body, "712345");
  EXPECT_EQ(ask_once(post("/old/7", "123456")).status, 413);
  // In pieces: head and body are kept aside, and what the head was rewritten to with them.
  Client client = connect();
  const std::string whole = post("/old/7", "12345");
  tell(client, whole.substr(0, whole.size() - 3));
  tell(client, whole.substr(whole.size() - 3));
  EXPECT_EQ(client.read_response().body, "712345");
}

TEST_F(SessionRewrite, OutlivesTheBytesOfTheHead) {
  on(Method::kGet, "/new/*", [](const Request& request) -> Task<Response> {
    co_await net::sleep_for(1s);
    co_return Response(describe(request));
  });
  rewrite({}, "/old/*", "/new/{rest}?kept={rest}");
  Client client = connect();
  tell(client, get("/old/abc") + get("/old/a-second-one"));
  advance(1s);
  EXPECT_EQ(client.read_response().body, "/new/abc ?kept=abc rest=abc of /old/abc at /new/*");
  advance(1s);
  EXPECT_EQ(client.read_response().body,
            "/new/a-second-one ?kept=a-second-one rest=a-second-one of /old/a-second-one at "
            "/new/*");
}

}  // namespace
}  // namespace ssx::http
