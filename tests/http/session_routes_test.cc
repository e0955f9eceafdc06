// A worker whose table of routes is replaced: what began with the old one ends with it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "ssxrver/net/awaitables.h"
#include "tests/http/session_fixture.h"

namespace ssx::http::test {
namespace {

using testing::ElementsAre;

class ReplacedRoutes : public SessionTest {
 protected:
  ReplacedRoutes() {
    router = Router(shared);
    fill("old");
    add({}, "/gone", [](const Request&) { return "still here"; });
    old_one = life;
  }

  void add(const std::vector<Method>& methods, std::string_view path, Handler handler,
           BodyMode mode = BodyMode::kWhole) {
    Route route{std::move(handler), limits, std::string(path) + " of " + version};
    route.body_mode = mode;
    ASSERT_TRUE(router.add("", methods, path, std::move(route)));
  }

  /// Routes whose answers name the version; `life` ends with them.
  void fill(const std::string& name) {
    version = name;
    life = std::make_shared<const std::string>(name);
    const auto own = life;
    add({Method::kGet}, "/{where}",
        [own](const Request& r) { return *own + " " + std::string(r.param("where")); });
    add({Method::kPost}, "/whole",
        [own](const Request& r) { return *own + " " + std::string(r.body().text); });
    add({Method::kGet}, "/slow", [own](const Request& r) -> Task<Response> {
      co_await net::sleep_for(1s);
      co_return *own + " " + std::string(r.route());
    });
    add({Method::kGet}, "/stream", [own](const Request&) {
      return Response::stream([own](BodyWriter& body) -> Task<> {
        co_await body.write("from ");
        co_await net::sleep_for(1s);
        co_await body.write(*own);
      });
    });
    add(
        {Method::kPost}, "/pieces",
        [own](const Request& r) -> Task<Response> {
          std::string all = *own + " ";
          while (true) {
            const auto piece = co_await r.body().read();
            if (!piece || piece->empty()) break;
            all += *piece;
          }
          co_return all;
        },
        BodyMode::kStream);
    add({Method::kGet}, "/big",
        [](const Request&) { return Response::text(std::string(8 << 20, 'x')); });
  }

  /// In a turn of its own, as a server does it.
  void replace() {
    router = Router(shared);
    fill("new");
    loop->post([this, table = std::make_shared<const Router>(std::move(router))] {
      service->worker(0).use(table);
    });
    idle();
  }
  [[nodiscard]] bool old_is_gone() const { return old_one.expired(); }

  RouteLimits limits = RouteLimits::from(options);
  std::shared_ptr<RouteRegister> shared = std::make_shared<RouteRegister>();
  std::string version;
  std::shared_ptr<const std::string> life;
  std::weak_ptr<const std::string> old_one;
};

TEST_F(ReplacedRoutes, AreFoundByTheNextRequestOfAConnection) {
  Client client = connect();
  EXPECT_EQ(ask(client, get("/a")).body, "old a");
  EXPECT_EQ(ask(client, get("/gone")).body, "still here");
  replace();
  EXPECT_TRUE(old_is_gone());
  EXPECT_EQ(ask(client, get("/a")).body, "new a");
  EXPECT_EQ(ask(client, post("/gone", "")).status, 405);  // of /{where}
}

TEST_F(ReplacedRoutes, AreFoundByPipelinedRequestsThatWaited) {
  Client client = connect();
  tell(client, get("/slow") + get("/b") + get("/c"));
  replace();
  EXPECT_FALSE(old_is_gone());
  advance(1s + net::TimerWheel::kTick);
  EXPECT_EQ(client.read_response().body, "old /slow of old");
  EXPECT_EQ(client.read_response().body, "new b");
  EXPECT_EQ(client.read_response().body, "new c");
  EXPECT_TRUE(old_is_gone());
}

// What an answer holds may be of its route, as the code of a plugin is.
TEST_F(ReplacedRoutes, EndBehindWhatTheirAnswersHold) {
  bool route_was_there = false;
  add({Method::kHead}, "/lent",
      [own = life, this, &route_was_there](const Request&) -> Task<Response> {
        std::shared_ptr<const void> held(
            own.get(), [this, &route_was_there](const void*) { route_was_there = !old_is_gone(); });
        co_await net::sleep_for(1s);
        co_return Response::stream([held](BodyWriter&) -> Task<> { co_return; });
      });
  Client client = connect();
  tell(client, head("/lent"));
  replace();
  advance(1s + net::TimerWheel::kTick);
  EXPECT_EQ(client.read_response(true).status, 200);
  EXPECT_TRUE(old_is_gone());
  EXPECT_TRUE(route_was_there);
}

TEST_F(ReplacedRoutes, AreFoundByAHeadThatWasNotComplete) {
  Client client = connect();
  tell(client, without_end(get("/a")));
  replace();
  EXPECT_TRUE(old_is_gone());
  EXPECT_EQ(ask(client, "\n").body, "new a");
}

TEST_F(ReplacedRoutes, AreNotThoseOfABodyThatWasArriving) {
  Client client = connect();
  tell(client, without_end(post("/whole", "body")));
  replace();
  EXPECT_FALSE(old_is_gone());
  EXPECT_EQ(ask(client, "y").body, "old body");
  EXPECT_TRUE(old_is_gone());
  EXPECT_EQ(ask(client, post("/whole", "body")).body, "new body");
}

TEST_F(ReplacedRoutes, AreNotThoseOfABodyThatACoroutineReads) {
  Client client = connect();
  tell(client, without_end(post("/pieces", "body")));
  replace();
  tell(client, "y");
  EXPECT_EQ(client.read_response().body, "old body");
  EXPECT_TRUE(old_is_gone());
}

TEST_F(ReplacedRoutes, AreNotThoseOfABodyThatIsBeingMade) {
  Client client = connect();
  tell(client, get("/stream"));
  replace();
  EXPECT_FALSE(old_is_gone());
  advance(1s + net::TimerWheel::kTick);
  EXPECT_EQ(client.read_response().body, "from old");
  EXPECT_TRUE(old_is_gone());
}

TEST_F(ReplacedRoutes, EndWithTheClientThatWaitedForThem) {
  Client client = connect();
  tell(client, get("/slow"));
  replace();
  EXPECT_FALSE(old_is_gone());
  client.close();
  idle();
  EXPECT_TRUE(old_is_gone());
}

// Three tables at once, and each goes when its own request has ended.
TEST_F(ReplacedRoutes, EndOneAfterTheOther) {
  Client first = connect();
  tell(first, get("/slow"));
  replace();
  const std::weak_ptr<const std::string> second_one = life;
  Client second = connect();
  tell(second, without_end(post("/whole", "body")));
  replace();
  EXPECT_FALSE(old_is_gone());
  EXPECT_FALSE(second_one.expired());
  tell(second, "y");
  EXPECT_EQ(second.read_response().body, "new body");
  EXPECT_TRUE(second_one.expired());
  EXPECT_FALSE(old_is_gone());
  advance(1s + net::TimerWheel::kTick);
  EXPECT_EQ(first.read_response().body, "old /slow of old");
  EXPECT_TRUE(old_is_gone());
}

// The answer has left the handler, and the table is gone; the numbers of its limits are not.
TEST_F(ReplacedRoutes, LeaveTheTimesOfAnAnswerThatIsStillBeingSent) {
  limits.write_timeout = 7s;
  limits.write_min_rate = 0;
  router = Router(shared);
  fill("old");
  old_one = life;
  Client client = connect();
  client.send(get("/big"));
  idle();
  limits.write_timeout = 3600s;
  replace();
  EXPECT_TRUE(old_is_gone());
  advance(7s - 1ms);
  EXPECT_EQ(counters().write_timeouts.value(), 0u);
  advance(1ms + net::TimerWheel::kTick);
  EXPECT_EQ(counters().write_timeouts.value(), 1u);
}

TEST_F(ReplacedRoutes, AreNamedByTheAccessLogAsTheyWere) {
  std::vector<std::string> lines;
  start_service();
  ASSERT_TRUE(
      service->log_accesses({.format = "$route $status"},
                            {[](void* context, std::string_view line) noexcept {
                               static_cast<std::vector<std::string>*>(context)->emplace_back(
                                   line.substr(0, line.find('\n')));
                             },
                             &lines}));
  Client slow = connect();
  tell(slow, get("/slow"));
  Client gone = connect();
  tell(gone, without_end(post("/whole", "body")));
  replace();
  gone.close();
  advance(1s + net::TimerWheel::kTick);
  EXPECT_EQ(slow.read_response().status, 200);
  tell(slow, get("/slow"));
  advance(1s + net::TimerWheel::kTick);
  EXPECT_THAT(lines, ElementsAre("/whole of old 499", "/slow of old 200", "/slow of new 200"));
}

}  // namespace
}  // namespace ssx::http::test
