// The same source in a program and as a plugin: whoever asks cannot tell them apart.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/plugin/both_ways/routes.h"
#include "tests/plugin/manager/hosted.h"
#include "tests/support/raw_client.h"

namespace ssx::plugins {
namespace {

using test::Hosted;
using test::RawClient;
using test::RawResponse;

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
  App app_{test::app_options()};
};

/// The routes of the plugin, as a daemon has them.
Hosted::Options both_ways() {
  PluginOptions plugin;
  plugin.name = "both_ways";
  plugin.library = BOTH_WAYS_LIBRARY;
  return {
      .plugins = {plugin},
      .socket_options = [](std::string_view json) -> Expected<WebSocketRouteOptions, std::string> {
        WebSocketRouteOptions chosen;
        chosen.limits.message_max = 1000;
        chosen.limits.ignore_pong = json != R"({"ignore_pong":false})";
        return chosen;
      }};
}

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
  const Hosted hosted(both_ways());
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
  const Hosted hosted(both_ways());
  for (const std::uint16_t port : {program.port, hosted.port}) {
    RawClient socket = open_socket(port, "/pongs/red");
    socket.send(std::string("\x8a\x82\0\0\0\0hi", 8));
    EXPECT_EQ(socket.read(9), "\x81\x07pong hi");
  }
}

TEST(BothWays, ReloadsWhileItIsAsked) {
  Hosted hosted(both_ways());
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
  for (int i = 0; i < 10; ++i) EXPECT_EQ(hosted.reload("both_ways"), "");
  is_over = true;
  threads.clear();
  EXPECT_EQ(failures, 0);
  EXPECT_GT(asked, 0);
  hosted.wait_until_gone();
  const auto lines = hosted.look([](Manager& manager) { return manager.status(); });
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_TRUE(lines[0].starts_with("both_ways 1.0.0, generation 11: ")) << lines[0];
}

TEST(BothWays, WhatASocketHoldsStaysLoaded) {
  Hosted hosted(both_ways());
  RawClient socket = open_socket(hosted.port, "/room/red");
  ASSERT_EQ(hosted.reload("both_ways"), "");
  // A masked "hi", with a mask of zeros: the old generation's coroutine sends it back.
  socket.send(std::string("\x81\x82\0\0\0\0hi", 8));
  EXPECT_EQ(socket.read(4), "\x81\x02hi");
  EXPECT_EQ(hosted.look([](Manager& manager) { return manager.retired_count(); }), 1U);
  EXPECT_EQ(ask(hosted.port, get("/greet/Ada")).body, "Hello, Ada!\n");
  socket.send(std::string("\x88\x80\0\0\0\0", 6));
  socket.read_to_end();
  hosted.wait_until_gone();
}

}  // namespace
}  // namespace ssx::plugins
