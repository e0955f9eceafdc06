#include "ssxrver/config/websocket_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ssx::config {
namespace {

using testing::HasSubstr;

WebSocketRouteOptions base() {
  WebSocketRouteOptions options;
  options.limits.message_max = 100;
  options.limits.frame_max = 100;
  options.limits.utf8_check = false;
  return options;
}

TEST(WebSocketText, IsReadOnTopOfWhatThereIs) {
  EXPECT_EQ(read_websocket_options("", base()), base());
  EXPECT_EQ(read_websocket_options("{}", base()), base());
  const auto read = read_websocket_options(
      R"({"max_message_size": 200, "backpressure": {"policy": "latest"}})", base());
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->limits.message_max, 200U);
  EXPECT_EQ(read->limits.frame_max, 200U);
  EXPECT_FALSE(read->limits.utf8_check);
  EXPECT_EQ(read->limits.backpressure.policy, websocket::BackpressurePolicy::kLatest);
  const auto pongs =
      read_websocket_options(R"({"ignore_pong":false,"handshake_timeout":"7ms"})", {});
  ASSERT_TRUE(pongs) << pongs.error();
  EXPECT_FALSE(pongs->limits.ignore_pong);
  EXPECT_EQ(pongs->limits.handshake_timeout.count(), 7);
}

TEST(WebSocketText, SaysWhatIsWrongAndWhere) {
  const auto problem = [](const char* text) {
    const auto read = read_websocket_options(text, base());
    return read ? std::string("none") : read.error();
  };
  EXPECT_THAT(problem("{"), HasSubstr("options:1:"));
  EXPECT_THAT(problem("[]"), HasSubstr("options:1:1"));
  EXPECT_THAT(problem(R"({"max_mesage_size": 1})"), HasSubstr("max_message_size"));
  EXPECT_THAT(problem(R"({"max_message_size": 10, "max_frame_size": 11})"),
              HasSubstr("/max_frame_size"));
  EXPECT_THAT(problem(R"({"level": 3, "utf8_check": 7})"), HasSubstr("; "));
}

}  // namespace
}  // namespace ssx::config
