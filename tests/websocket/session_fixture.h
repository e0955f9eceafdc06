// WebSockets on a loop of this thread, whose clock the test turns, and peers that the test plays.
//
//   route("/echo", {.on_message = [](auto& socket, const Message& m) { socket.send(m); }});
//   Peer peer = open("/echo");
//   EXPECT_EQ(say(peer, text("hello")), shown("text hello"));
#pragma once

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/http/session_fixture.h"
#include "tests/websocket/frames.h"
#include "websocket/handlers.h"
#include "websocket/service.h"
#include "websocket/upgrade_handler.h"

namespace ssx::websocket::test {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only

using Peer = ssx::test::RawClient;

class WebSocketTest : public http::test::SessionTest {
 protected:
  explicit WebSocketTest(const ServiceOptions& of_all = {}) { websockets.open(1, of_all); }

  template <class T = NoData>
  void route(std::string_view path, Handlers<T> handlers) {
    any(path, make_handler(websockets, std::string(path), std::move(handlers)));
  }
  [[nodiscard]] static std::string handshake(std::string_view path, std::string_view lines = "") {
    return http::test::get(path,
                           "Connection: Upgrade\r\nUpgrade: websocket\r\n"
                           "Sec-WebSocket-Version: 13\r\n"
                           "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
                               std::string(lines));
  }
  /// A connection whose handshake is over.
  Peer open(std::string_view path, std::string_view lines = "") {
    Peer peer = connect();
    tell(peer, handshake(path, lines));
    answer = peer.read_response();
    EXPECT_EQ(answer.status, 101) << answer.head;
    return peer;
  }
  /// What the server says to these bytes.
  std::string say(Peer& peer, std::string_view bytes) {
    tell(peer, bytes);
    return show(hear(peer));
  }
  std::string heard(Peer& peer) { return show(hear(peer)); }

  Counters& counts() { return websockets.worker(0).counters; }
  std::uint64_t failed(Errc error) { return counts().of(error).value(); }

  Service websockets;
  http::test::Answer answer;  ///< to the latest handshake
};

/// Echoes, and writes down how each of its sockets has ended.
struct Echo {
  std::vector<std::string> ends;
  std::vector<std::string> errors;

  Handlers<> handlers(Options limits = {}) {
    return {
        .limits = std::move(limits),
        .on_message = [](auto& socket, const Message& message) { socket.send(message); },
        .on_error = [this](auto&, const Error& error) { errors.push_back(error.code().message()); },
        .on_close =
            [this](auto&, CloseCode code, std::string_view reason) {
              ends.push_back(fmt::format("{} {}", to_int(code), reason));
            }};
  }
};

}  // namespace ssx::websocket::test
