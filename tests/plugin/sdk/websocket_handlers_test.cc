#include "ssxrver/plugin/sdk/websocket_handlers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "ssxrver/plugin/sdk/loop.h"
#include "tests/plugin/sdk/fake_host.h"

namespace ssx::plugin {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::Pair;

struct Member {
  std::string room;
};

/// A route as the host has it, with one socket.
template <class T>
class Given {
 public:
  Given(FakeHost& host, Handlers<T> handlers)
      : host_(host), raw_(internal::SocketRoute<T>::make(host.context(), std::move(handlers))) {}
  Given(const Given&) = delete;
  Given& operator=(const Given&) = delete;
  ~Given() {
    if (data_ != nullptr) raw_.release_data(raw_.state, data_);
    raw_.release(raw_.state);
  }

  std::int32_t upgrade() {
    const std::int32_t status =
        raw_.upgrade(raw_.state, host_.request(), host_.exchange(), host_.upgrade());
    data_ = host_.accepted;
    return status;
  }
  void open() {
    ASSERT_EQ(upgrade(), SSXRVER_OK);
    raw_.open(raw_.state, host_.socket(), data_);
  }
  std::int32_t message(std::string_view text) {
    const ssxrver_message message{internal::to_text(text), SSXRVER_OP_TEXT, 1, 1};
    return raw_.message(raw_.state, host_.socket(), data_, &message, &started_);
  }
  void cancel() { started_.cancel(started_.state); }
  [[nodiscard]] const ssxrver_socket_handler& raw() const { return raw_; }
  [[nodiscard]] void* data() const { return data_; }

 private:
  FakeHost& host_;
  ssxrver_socket_handler raw_;
  void* data_ = nullptr;
  ssxrver_operation started_{};
};

TEST(PluginWebSocket, KeepsWhatUpgradeHasMade) {
  FakeHost host;
  host.params = {{"room", "red"}};
  Given<Member> route(
      host,
      {.on_upgrade =
           [](const Request& request) {
             Upgrade<Member> made(Member{std::string(request.param("room"))});
             made.set("X-Room", "yes");
             return made;
           },
       .on_open = [](WebSocket<Member>& socket) { EXPECT_TRUE(socket.subscribe(socket->room)); },
       .on_message =
           [](WebSocket<Member>& socket, const Message& message) {
             EXPECT_EQ(socket.send(message), Sent::kAbove);
             socket.publish(socket->room, message);
           }});
  route.open();
  EXPECT_THAT(host.upgrade_fields, ElementsAre(Pair("X-Room", "yes")));
  EXPECT_EQ(route.message("hi"), SSXRVER_OK);
  EXPECT_THAT(host.socket_calls, ElementsAre("subscribe red", "publish red: hi"));
  EXPECT_THAT(host.sent, ElementsAre("text hi"));
}

TEST(PluginWebSocket, UpgradeMayRefuse) {
  FakeHost host;
  Given<Member> route(host, {.on_upgrade = [](const Request&) -> Upgrade<Member> {
                        return reject(Status::kForbidden);
                      }});
  EXPECT_EQ(route.upgrade(), SSXRVER_END);
  EXPECT_EQ(host.answer.status, 403);
  EXPECT_EQ(host.accepted, nullptr);
}

TEST(PluginWebSocket, WhatUpgradeThrowsIsAFailure) {
  FakeHost host;
  Given<Member> route(host, {.on_upgrade = [](const Request&) -> Upgrade<Member> {
                        throw std::runtime_error("who is that");
                      }});
  EXPECT_EQ(route.upgrade(), SSXRVER_ERROR);
  EXPECT_EQ(host.answer.failure, "who is that");
}

TEST(PluginWebSocket, OnlyWhatThereIsIsCalled) {
  FakeHost host;
  const Given<NoData> route(host, {});
  EXPECT_EQ(route.raw().message, nullptr);
  EXPECT_EQ(route.raw().close, nullptr);
  EXPECT_EQ(route.raw().ping, nullptr);
  EXPECT_NE(route.raw().upgrade, nullptr);
}

TEST(PluginWebSocket, ACoroutineKeepsItsMessage) {
  FakeHost host;
  Given<NoData> route(
      host, {.on_message = [](WebSocket<NoData>& socket, const Message& message) -> Task<> {
        co_await sleep_for(1ms);
        socket.send(message);
      }});
  route.open();
  EXPECT_NE(route.raw().flags & SSXRVER_SOCKET_LATER, 0U);
  ASSERT_EQ(route.message("late"), SSXRVER_PENDING);
  EXPECT_EQ(host.message_end, std::nullopt);
  host.end_wait();
  EXPECT_THAT(host.sent, ElementsAre("text late"));
  ASSERT_TRUE(host.message_end);
  EXPECT_EQ(host.message_end->first, SSXRVER_OK);
}

TEST(PluginWebSocket, ACoroutineIsCancelledWhereItWaits) {
  FakeHost host;
  Given<NoData> route(host, {.on_message = [](WebSocket<NoData>&, const Message&) -> Task<> {
                        co_await sleep_for(1h);
                      }});
  route.open();
  ASSERT_EQ(route.message("x"), SSXRVER_PENDING);
  route.cancel();
  EXPECT_EQ(host.waits(), 0U);
  EXPECT_EQ(host.message_end, std::nullopt);
}

TEST(PluginWebSocket, WhatIsThrownEndsTheSocket) {
  FakeHost host;
  Given<NoData> route(host, {.on_message = [](WebSocket<NoData>&, const Message& message) {
                        if (message.payload == "int") throw 1;
                        throw std::runtime_error("bad message");
                      }});
  route.open();
  EXPECT_EQ(route.message("x"), SSXRVER_ERROR);
  EXPECT_EQ(host.message_end, std::pair(int{SSXRVER_ERROR}, std::string("bad message")));
  EXPECT_EQ(route.message("int"), SSXRVER_ERROR);
  EXPECT_EQ(host.message_end, std::pair(int{SSXRVER_ERROR}, std::string("an unknown exception")));
}

TEST(PluginWebSocket, PiecesAndTheRestOfItsLife) {
  FakeHost host;
  std::vector<std::string> seen;
  Given<NoData> route(
      host,
      {.on_piece =
           [&seen](WebSocket<NoData>&, const Piece& piece) {
             seen.push_back(std::string(piece.payload) + (piece.ends ? "." : "..."));
           },
       .on_ping = [&seen](WebSocket<NoData>&,
                          std::string_view text) { seen.push_back("ping " + std::string(text)); },
       .on_error = [&seen](WebSocket<NoData>&,
                           const Error& error) { seen.push_back(error.message()); },
       .on_close =
           [&seen](WebSocket<NoData>&, CloseCode code, std::string_view reason) {
             seen.push_back(std::to_string(websocket::to_int(code)) + " " + std::string(reason));
           }});
  route.open();
  EXPECT_NE(route.raw().flags & SSXRVER_SOCKET_PIECES, 0U);
  EXPECT_EQ(route.message("a"), SSXRVER_OK);
  route.raw().ping(route.raw().state, host.socket(), route.data(), internal::to_text("p"));
  route.raw().error(route.raw().state, host.socket(), route.data(), internal::to_text("too big"));
  route.raw().close(route.raw().state, host.socket(), route.data(), 1009, internal::to_text("big"));
  EXPECT_THAT(seen, ElementsAre("a.", "ping p", "too big", "1009 big"));
}

TEST(PluginWebSocket, AHandleReachesItFromAnywhere) {
  FakeHost host;
  std::optional<WebSocketHandle> handle;
  Given<NoData> route(host, {.on_open = [&handle](WebSocket<NoData>& socket) {
                        handle = socket.handle();
                        EXPECT_EQ(socket.peer(), "192.0.2.9:9");
                        EXPECT_EQ(socket.subprotocol(), "chat.v2");
                        EXPECT_EQ(socket.unsent_bytes(), 42U);
                        EXPECT_TRUE(socket.is_open());
                        socket.close(CloseCode::kGoingAway, "bye");
                      }});
  route.open();
  ASSERT_TRUE(handle);
  EXPECT_TRUE(handle->send("there"));
  EXPECT_FALSE(handle->close());
  EXPECT_THAT(host.socket_calls, ElementsAre("close 1001 bye", "to 2: there"));
}

}  // namespace
}  // namespace ssx::plugin
