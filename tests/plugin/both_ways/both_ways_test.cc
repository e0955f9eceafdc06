// The same source in a program and as a plugin: whoever asks cannot tell them apart.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ssxrver/net/event_loop.h"
#include "ssxrver/net/tcp_server.h"
#include "ssxrver/plugin/manager/manager.h"
#include "ssxrver/plugin/toolchain.h"
#include "tests/plugin/both_ways/routes.h"
#include "tests/support/raw_client.h"

namespace ssx::plugins {
namespace {

using test::RawClient;
using test::RawResponse;

AppOptions options() {
  AppOptions chosen;
  chosen.server.workers.count = 2;
  chosen.tasks.threads = 1;
  return chosen;
}

/// The routes as those of a program.
class Program {
 public:
  Program() {
    add_routes(app_);
    app_.listen(0);
    const auto address = app_.start();
    EXPECT_TRUE(address) << address.error().text();
    port = address->port();
  }
  ~Program() {
    app_.stop();
    app_.wait();
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  std::uint16_t port = 0;

 private:
  App app_{options()};
};

/// The routes of the plugin, as a daemon has them.
class Hosted {
 public:
  explicit Hosted(std::string library = BOTH_WAYS_LIBRARY) {
    PluginOptions plugin;
    plugin.name = "both_ways";
    plugin.library = std::move(library);
    EnvironmentOptions environment;
    environment.socket_options =
        [](std::string_view json) -> Expected<WebSocketRouteOptions, std::string> {
      WebSocketRouteOptions chosen;
      chosen.limits.message_max = 1000;
      chosen.limits.ignore_pong = json != R"({"ignore_pong":false})";
      return chosen;
    };
    ManagerOptions manager{
        {plugin}, {{"ssxrver.http", "ssxrver.websocket", "ssxrver.loop"}, SSXRVER_TOOLCHAIN}, {}};
    std::promise<std::uint16_t> started;
    auto outcome = started.get_future();
    thread_ = std::thread([this, &started, manager, environment]() mutable {
      app_ = std::make_unique<App>(options());
      manager_ = std::make_unique<Manager>(*app_, manager, std::move(environment));
      const auto loaded = manager_->load();
      EXPECT_TRUE(loaded) << loaded.error().text();
      app_->listen(0);
      const auto bound = app_->bind();
      EXPECT_TRUE(bound) << bound.error().text();
      const auto begun = manager_->start();
      EXPECT_TRUE(begun) << begun.error().text();
      app_->loop().post([this, &started] { started.set_value(app_->server().address().port()); });
      EXPECT_TRUE(app_->serve());
      manager_->stop();
      is_stopped_.get_future().wait();
      app_.reset();
      manager_.reset();
    });
    port = outcome.get();
  }
  ~Hosted() {
    app_->stop();
    is_stopped_.set_value();
    thread_.join();
  }
  Hosted(const Hosted&) = delete;
  Hosted& operator=(const Hosted&) = delete;

  /// "" when all went well.
  std::string reload(const std::string& name = "both_ways") {
    std::promise<std::string> done;
    auto outcome = done.get_future();
    app_->loop().post([this, &done, name] {
      manager_->reload(name, [&done](const Outcome<>& reloaded) {
        done.set_value(reloaded ? "" : reloaded.error());
      });
    });
    return outcome.get();
  }
  /// On the control loop.
  template <class F>
  auto look(F fn) {
    std::promise<decltype(fn(*manager_))> seen;
    app_->loop().post([this, &seen, &fn] { seen.set_value(fn(*manager_)); });
    return seen.get_future().get();
  }
  /// Until nothing of what was replaced is left.
  void wait_until_gone() {
    while (look([](Manager& manager) { return manager.retired_count(); }) > 0) {
      std::this_thread::yield();
    }
  }

  std::uint16_t port = 0;

 private:
  std::unique_ptr<Manager> manager_;
  std::unique_ptr<App> app_;
  std::promise<void> is_stopped_;  ///< nobody calls app_ any more
  std::thread thread_;
};

RawResponse ask(std::uint16_t port, const std::string& request) {
  RawClient client = RawClient::tcp(port);
  client.send(request);
  return client.read_response();
}
std::string get(const std::string& target) {
  return "GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n";
}

TEST(BothWays, AnswerAlike) {
  const Program program;
  const Hosted hosted;
  const std::vector<std::string> requests = {
      get("/greet/Ada"),
      get("/count?until=7"),
      get("/count?until=x"),
      get("/pieces"),
      get("/gone"),
      get("/task"),
      get("/throws"),
      get("/nothing"),
      "DELETE /gone HTTP/1.1\r\nHost: a\r\n\r\n",
      "POST /measure HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n12345",
      "POST /measure HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
      "POST /measure HTTP/1.1\r\nHost: a\r\nContent-Length: 1048577\r\n\r\n",
      "GET /room/red HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
      "X-Banned: 1\r\nSec-WebSocket-Version: 13\r\n"
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
  };
  for (const std::string& request : requests) {
    const RawResponse own = ask(program.port, request);
    const RawResponse given = ask(hosted.port, request);
    EXPECT_EQ(own.status, given.status) << request;
    EXPECT_EQ(own.body, given.body) << request;
    EXPECT_EQ(own.field("Content-Type"), given.field("Content-Type")) << request;
    EXPECT_NE(own.status, 0) << request;
  }
}

RawClient open_socket(std::uint16_t port, const std::string& target) {
  RawClient socket = RawClient::tcp(port);
  socket.send("GET " + target +
              " HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
              "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
  socket.read_until("\r\n\r\n");
  return socket;
}

TEST(BothWays, HearOfPongsThatNobodyAskedForWhereTheySaySo) {
  const Program program;
  const Hosted hosted;
  for (const std::uint16_t port : {program.port, hosted.port}) {
    RawClient socket = open_socket(port, "/pongs/red");
    socket.send(std::string("\x8a\x82\0\0\0\0hi", 8));
    EXPECT_EQ(socket.read(9), "\x81\x07pong hi");
  }
}

TEST(PluginManager, ReloadsWhileItIsAsked) {
  Hosted hosted;
  std::atomic<bool> is_over{false};
  std::atomic<int> failures{0};
  std::atomic<int> asked{0};
  std::vector<std::jthread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&hosted, &is_over, &failures, &asked] {
      while (!is_over) {
        if (ask(hosted.port, get("/count?until=7")).body != "7") ++failures;
        ++asked;
      }
    });
  }
  for (int i = 0; i < 10; ++i) EXPECT_EQ(hosted.reload(), "");
  is_over = true;
  threads.clear();
  EXPECT_EQ(failures, 0);
  EXPECT_GT(asked, 0);
  hosted.wait_until_gone();
  const auto lines = hosted.look([](Manager& manager) { return manager.status(); });
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_TRUE(lines[0].starts_with("both_ways 1.0.0, generation 11: ")) << lines[0];
}

TEST(PluginManager, WhatASocketHoldsStaysLoaded) {
  Hosted hosted;
  RawClient socket = open_socket(hosted.port, "/room/red");
  ASSERT_EQ(hosted.reload(), "");
  // A masked "hi", with a mask of zeros: the old generation's coroutine sends it back.
  socket.send(std::string("\x81\x82\0\0\0\0hi", 8));
  EXPECT_EQ(socket.read(4), "\x81\x02hi");
  EXPECT_EQ(hosted.look([](Manager& manager) { return manager.retired_count(); }), 1U);
  EXPECT_EQ(ask(hosted.port, get("/greet/Ada")).body, "Hello, Ada!\n");
  socket.send(std::string("\x88\x80\0\0\0\0", 6));
  socket.read_to_end();
  hosted.wait_until_gone();
}

TEST(PluginManager, SaysWhatCannotBeReloaded) {
  Hosted hosted;
  EXPECT_EQ(hosted.reload("other"), "there is no plugin \"other\"");
}

}  // namespace
}  // namespace ssx::plugins
