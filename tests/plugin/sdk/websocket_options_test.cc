#include "ssxrver/plugin/sdk/websocket_options.h"

#include <gtest/gtest.h>

namespace ssx::plugin {
namespace {

using namespace std::chrono_literals;

TEST(PluginWebSocketOptions, AreTheKeysOfTheConfiguration) {
  EXPECT_EQ(WebSocketOptions().to_json(), "");
  const WebSocketOptions options{.message_max = 100,
                                 .utf8_check = false,
                                 .ignore_pong = true,
                                 .idle_timeout = 5s,
                                 .subprotocols = {"chat.v2", "a\"b\n"}};
  EXPECT_EQ(
      options.to_json(),
      R"({"max_message_size":100,"utf8_check":false,"ignore_pong":true,"idle_timeout":"5000ms",)"
      R"("subprotocols":["chat.v2","a\"b\u000a"]})");
}

}  // namespace
}  // namespace ssx::plugin
