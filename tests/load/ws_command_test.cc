#include "ssxrver/load/ws_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

namespace ssx::load {
namespace {

using ::testing::HasSubstr;

WsOptions options(std::string url = "ws://127.0.0.1:81/chat?a=b") {
  WsOptions made;
  made.url = std::move(url);
  return made;
}
std::string refusal(const WsOptions& given) {
  const auto plan = make_plan(given);
  return plan ? "it was taken" : plan.error().text();
}

TEST(WsCommand, PutsAHandshakeTogether) {
  const auto plan = make_plan(options());
  ASSERT_TRUE(plan) << plan.error().text();
  EXPECT_THAT(plan->handshake, HasSubstr("GET /chat?a=b HTTP/1.1\r\nHost: 127.0.0.1:81\r\n"));
  EXPECT_THAT(plan->handshake,
              HasSubstr("Sec-WebSocket-Key: " + std::string(plan->key.data(), plan->key.size())));
  EXPECT_TRUE(plan->handshake.ends_with("\r\n\r\n"));
  EXPECT_NE(make_plan(options())->key, plan->key) << "it is random";
}

TEST(WsCommand, PutsAMessageTogether) {
  for (const std::uint64_t size : {0U, 125U, 126U, 65'535U, 65'536U}) {
    WsOptions given = options();
    given.size = size;
    const auto plan = make_plan(given);
    EXPECT_EQ(plan->size, size);
    const std::size_t header = size < 126 ? 6 : size < 65'536 ? 8 : 14;
    EXPECT_EQ(plan->message.size(), header + size);
    EXPECT_EQ(static_cast<unsigned char>(plan->message[1]) & 0x80, 0x80) << "masked";
  }
}

TEST(WsCommand, RefusesWhatCannotBeDone) {
  EXPECT_THAT(refusal(options("http://127.0.0.1/")), HasSubstr("\"http://127.0.0.1/\""));
  EXPECT_THAT(refusal(options("wss://127.0.0.1/")), HasSubstr("\"wss://127.0.0.1/\": wss is not"));
  WsOptions given = options();
  given.idle = given.each = true;
  EXPECT_THAT(refusal(given), HasSubstr("have no rate, and stay"));
  given.each = false;
  given.rate = 1;
  EXPECT_THAT(refusal(given), HasSubstr("have no rate, and stay"));
  given = options();
  given.each = true;
  given.depth = 2;
  EXPECT_THAT(refusal(given), HasSubstr("does not go with several at once"));
}

TEST(WsCommand, CutsALongMessageIntoFrames) {
  WsOptions given = options();
  given.size = 100;
  given.bytes = 201;
  const auto plan = make_plan(given);
  ASSERT_TRUE(plan) << plan.error().text();
  EXPECT_EQ(plan->message.size(), 106U);
  EXPECT_EQ(plan->middle_frames, 1U);
  EXPECT_EQ(plan->last_frame.size(), 7U);
  given.bytes = 200;
  EXPECT_EQ(make_plan(given)->middle_frames, 0U);
  EXPECT_EQ(make_plan(given)->last_frame.size(), 106U);
}

TEST(WsCommand, RefusesWhatDoesNotGoTogether) {
  const auto refused = [](auto change) {
    WsOptions given = options();
    change(given);
    return refusal(given);
  };
  EXPECT_THAT(refused([](WsOptions& it) { it.bytes = 64; }), HasSubstr("expected more than"));
  EXPECT_THAT(refused([](WsOptions& it) { it.bytes = 65'000'000, it.size = 1; }),
              HasSubstr("more than 1000000 frames"));
  EXPECT_THAT(refused([](WsOptions& it) { it.bytes = 100, it.depth = 2; }), HasSubstr("--bytes"));
  EXPECT_THAT(refused([](WsOptions& it) { it.broadcast = it.idle = true; }),
              HasSubstr("--broadcast"));
  EXPECT_THAT(refused([](WsOptions& it) { it.broadcast = true, it.threads = 2; }),
              HasSubstr("one thread"));
}

}  // namespace
}  // namespace ssx::load
