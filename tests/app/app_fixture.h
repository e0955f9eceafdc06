// Runs an App on threads of its own; it ends with the test.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "ssxrver/app/app.h"
#include "ssxrver/net/tcp_server.h"
#include "tests/support/raw_client.h"

namespace ssx::test {

class AppTest : public testing::Test {
 protected:
  AppTest() { app->workers(2); }

  /// Starts it; the first listener's port.
  std::uint16_t start() {
    const auto address = app->start();
    EXPECT_TRUE(address) << address.error().text();
    return address ? address->port() : std::uint16_t{0};
  }
  std::uint16_t port_of(std::size_t listener) { return app->server().address(listener).port(); }
  void end() {
    app->stop();
    app->wait();
  }
  static std::string get(std::string_view target, std::string_view lines = "") {
    std::string text = "GET ";
    text.append(target).append(" HTTP/1.1\r\nHost: a\r\n").append(lines).append("\r\n");
    return text;
  }
  static RawResponse ask(std::uint16_t port, std::string_view target) {
    RawClient client = RawClient::tcp(port);
    client.send(get(target));
    return client.read_response();
  }

  std::unique_ptr<App> app = std::make_unique<App>();
};

}  // namespace ssx::test
