#include "ssxrver/app/routes.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

#include "http/middleware.h"
#include "http/service.h"
#include "ssxrver/net/awaitables.h"
#include "ssxrver/net/task_pool.h"
#include "tests/app/app_fixture.h"

namespace ssx {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only
using http::BodyMode;
using http::Middleware;
using http::Request;
using http::Response;
using test::RawClient;
using test::RawResponse;

class AppRoutes : public test::AppTest {
 protected:
  static Middleware mark(const std::string& text) {
    return Middleware::hooks(
        nullptr, [text](const Request&, Response& answer) { answer.set("X-Mark", text); });
  }
  static RawResponse post(std::uint16_t port, std::string_view target, const std::string& body) {
    RawClient client = RawClient::tcp(port);
    client.send("POST " + std::string(target) + " HTTP/1.1\r\nHost: a\r\nContent-Length: " +
                std::to_string(body.size()) + "\r\n\r\n" + body);
    return client.read_response();
  }
};

TEST_F(AppRoutes, OfAGroupHaveItsPrefix) {
  auto api = app->group("/api");
  api.get("/users/{id}", [](const Request& r) { return std::string(r.param("id")); })
      .post("/users", [](const Request&) { return "posted"; });
  api.group("/deep").get("/er", [](const Request& r) { return std::string(r.route()); });
  const auto port = (app->listen(0), start());
  EXPECT_EQ(ask(port, "/api/users/7").body, "7");
  EXPECT_EQ(post(port, "/api/users", "").body, "posted");
  EXPECT_EQ(ask(port, "/api/deep/er").body, "GET /api/deep/er");
  EXPECT_EQ(ask(port, "/users/7").status, 404);
}

TEST_F(AppRoutes, AreSurroundedFromTheAppInwards) {
  app->use(mark("app"));
  auto group = app->group("/group", {.middleware = {mark("group")}});
  group.get("/route", [](const Request&) { return "x"; }, {.middleware = {mark("route")}});
  app->get("/", [](const Request&) { return "y"; });
  const auto port = (app->listen(0), start());
  RawClient client = RawClient::tcp(port);
  client.send(get("/group/route"));
  const std::string head = client.read_until("\r\n\r\n");
  const auto route = head.find("X-Mark: route");
  const auto inner = head.find("X-Mark: group");
  const auto outer = head.find("X-Mark: app");
  EXPECT_LT(route, inner);
  EXPECT_LT(inner, outer);
  EXPECT_NE(outer, std::string::npos);
  EXPECT_EQ(ask(port, "/").field("x-mark"), "app");
  EXPECT_EQ(ask(port, "/nothing").field("x-mark"), "app");
  EXPECT_EQ(post(port, "/group/route", "").field("x-mark"), "route");  // 405
}

TEST_F(AppRoutes, HaveLimitsOfTheirOwn) {
  app->post("/small", [](const Request&) { return "taken"; }, {.body_max = 4});
  app->post("/large", [](const Request&) { return "taken"; });
  const auto port = (app->listen(0), start());
  EXPECT_EQ(post(port, "/small", "1234").body, "taken");
  EXPECT_EQ(post(port, "/small", "12345").status, 413);
  EXPECT_EQ(post(port, "/large", "12345").body, "taken");
}

TEST_F(AppRoutes, MayReadABodyAsItArrives) {
  app->post("/count",
            [](const Request& r) -> Task<std::string> {
              std::size_t pieces = 0;
              std::size_t bytes = 0;
              while (true) {
                const auto piece = co_await r.body().read();
                if (!piece || piece->empty()) break;
                ++pieces;
                bytes += piece->size();
              }
              co_return std::to_string(bytes) + (pieces > 1 ? " in pieces" : " at once");
            },
            {.body = BodyMode::kStream});
  const auto port = (app->listen(0), start());
  EXPECT_EQ(post(port, "/count", std::string(5'000'000, 'x')).body, "5000000 in pieces");
}

TEST_F(AppRoutes, MayRunOnTaskThreads) {
  app->options().tasks.threads = 2;
  std::atomic<bool> was_on_loop{true};
  app->post("/block/{id}",
            [&was_on_loop](const Request& r) {
              was_on_loop = net::EventLoop::current() != nullptr;
              return std::string(r.param("id")) + std::string(r.body().text);
            },
            {.run_on = RunOn::kTasks});
  app->get("/throw",
           [](const Request&) -> Response { throw std::runtime_error("on a task thread"); },
           {.run_on = RunOn::kTasks});
  const auto port = (app->listen(0), start());
  for (int i = 0; i < 20; ++i) EXPECT_EQ(post(port, "/block/7", " body").body, "7 body");
  EXPECT_FALSE(was_on_loop);
  EXPECT_EQ(ask(port, "/throw").status, 500);
}

TEST_F(AppRoutes, OnTaskThreadsOutliveTheirClients) {
  app->options().tasks.threads = 1;
  std::atomic<int> begun{0};
  std::atomic<bool> client_has_gone{false};
  app->get("/slow",
           [&begun, &client_has_gone](const Request& r) {
             ++begun;
             while (!client_has_gone) std::this_thread::yield();
             return std::string(r.path());  // of a connection that has gone, the first time
           },
           {.run_on = RunOn::kTasks});
  const auto port = (app->listen(0), start());
  {
    RawClient client = RawClient::tcp(port);
    client.send(get("/slow"));
    while (begun == 0) std::this_thread::yield();
  }
  const auto cancelled = [this](std::uint32_t worker) {
    return app->service().worker(worker).counters.cancelled.value();
  };
  while (cancelled(0) + cancelled(1) == 0) std::this_thread::yield();
  client_has_gone = true;
  EXPECT_EQ(ask(port, "/slow").body, "/slow");
  EXPECT_EQ(begun, 2);
}

TEST_F(AppRoutes, AreRefusedWhenTheyCannotWork) {
  const auto function = [](const Request&) { return "x"; };
  const auto coroutine = [](const Request&) -> Task<Response> { co_return "x"; };
  app->get("/a", function, {.body = BodyMode::kStream});
  app->get("/b", coroutine, {.run_on = RunOn::kTasks});
  app->get("/c", coroutine,
           {.middleware = {Middleware(
                [](const Request& r, const http::Next& next) -> Response { return next(r); })}});
  app->listen(0);
  const auto started = app->start();
  ASSERT_FALSE(started.has_value());
  const std::string said = started.error().text();
  EXPECT_NE(said.find("route \"/a\": only a coroutine can read"), std::string::npos) << said;
  EXPECT_NE(said.find("route \"/b\": a coroutine cannot run"), std::string::npos) << said;
  EXPECT_NE(said.find("route \"/c\": a function as middleware"), std::string::npos) << said;
}

}  // namespace
}  // namespace ssx
