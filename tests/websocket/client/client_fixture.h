// Clients on a loop whose clock the test turns, and whom they find: our own server on the same
// loop, or a peer that the test plays.
//
//   route("/echo", Echo().handlers());
//   auto socket = connected("ws://10.0.0.1/echo");
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ssxrver/net/connections.h"
#include "ssxrver/net/resolver.h"
#include "ssxrver/net/timer_wheel.h"
#include "tests/net/dialled_stack.h"
#include "tests/websocket/session_fixture.h"
#include "websocket/client/client.h"
#include "websocket/handshake_key.h"

namespace ssx::websocket::test {

class ServedStack final : public net::DialledStack {
 public:
  std::deque<Peer> peers;                    ///< the far ends of those that nobody serves
  std::function<void(sys::UniqueFd)> serve;  ///< empty: the test plays the server

 private:
  void arrived(sys::UniqueFd far_end) override {
    if (serve) return serve(std::move(far_end));
    peers.emplace_back(far_end.release());
  }
};

/// What a client has said, frame by frame, as show() has it for a server. Keys go to `keys`.
inline std::string show_masked(std::string bytes, std::vector<MaskKey>* keys = nullptr) {
  std::string unmasked;
  std::size_t at = 0;
  while (at < bytes.size()) {
    const DecodedHeader decoded =
        decode_header(as_bytes(std::string_view(bytes).substr(at)), Role::kServer, true);
    if (decoded.size == 0 || !decoded.header.masked) return unmasked + "(no frame)";
    at += decoded.size;
    std::string payload = bytes.substr(at, decoded.header.payload_size);
    at += payload.size();
    apply_mask(std::as_writable_bytes(std::span(payload)), decoded.header.key, 0);
    if (keys != nullptr) keys->push_back(decoded.header.key);
    unmasked += frame(
        decoded.header.opcode, payload,
        {.fin = decoded.header.fin, .compressed = decoded.header.compressed, .masked = false});
  }
  return show(unmasked);
}

/// A frame as a server sends it.
inline std::string said(Opcode opcode, std::string_view payload, bool fin = true) {
  return frame(opcode, payload, {.fin = fin, .masked = false});
}
inline std::string said(std::string_view text) { return said(Opcode::kText, text); }
inline std::string said_close(std::uint16_t code, std::string_view reason = "") {
  std::string payload{static_cast<char>(code >> 8), static_cast<char>(code & 0xFF)};
  return said(Opcode::kClose, payload.append(reason));
}

inline const std::string kUrl = "ws://10.0.0.1/echo";

class ClientTest : public WebSocketTest {
 protected:
  ~ClientTest() override = default;
  void TearDown() override {
    opened.reset();
    end_loop();
    client.reset();
    client_table.reset();
    table.reset();
  }

  /// Before the first attempt: who is asked is our own server, with the routes it has.
  void serve() {
    if (service == nullptr) start_service();
    stack.serve = [this](sys::UniqueFd fd) {
      const auto as_tcp = *net::SocketAddress::parse("127.0.0.1", 4507);
      table->adopt({std::move(fd), as_tcp, nullptr}, service->make_session(0));
    };
  }
  void make_client(ClientOptions wanted) {
    client = std::make_unique<Client>(*client_table, stack, *resolver, std::move(wanted));
  }
  static ClientOptions to(std::string url) {
    ClientOptions wanted;
    wanted.url = std::move(url);
    return wanted;
  }

  // ---- the coroutine's face

  /// Begins; `opened` says how it went.
  void open() { start(store(client->open(), opened)); }
  /// What must succeed.
  ClientSocket& connected(ClientOptions wanted) {
    make_client(std::move(wanted));
    open();
    EXPECT_TRUE(opened && *opened) << (opened ? opened->error().message() : "still waiting");
    return **opened;
  }
  /// Who destroys the socket says 1001, and its connection ends with the peer's answer.
  void expect_goodbye() {
    opened.reset();
    idle();
    EXPECT_EQ(show_masked(peer().read_available()), "close 1001 |");
    reply(said_close(1001));
    peer().close();
    idle();
    EXPECT_TRUE(client_table->empty());
  }
  template <class T>
  static Task<> store(Task<T> task, std::optional<T>& into) {
    into = co_await std::move(task);
  }
  template <class T>
  static Task<> keep(Task<T> task, std::shared_ptr<std::optional<T>> into) {
    *into = co_await std::move(task);
  }
  static Task<> send_and_keep(ClientSocket& socket, std::string text,
                              std::shared_ptr<std::optional<Result<void>>> into) {
    *into = co_await socket.send(text);
  }
  static Task<> await(Task<> task, bool& done) {
    co_await std::move(task);
    done = true;
  }
  /// "text hello", or why there was none. One that waits goes on waiting.
  std::string receive(ClientSocket& socket) {
    const auto got = std::make_shared<std::optional<Result<Message>>>();
    start(keep(socket.receive(), got));
    if (!*got) return "(waits)";
    const Result<Message>& message = **got;
    if (!message) return message.error().code().message();
    return (message->is_text() ? "text " : "binary ") + std::string(message->payload);
  }
  std::string send(ClientSocket& socket, std::string text) {
    const auto sent = std::make_shared<std::optional<Result<void>>>();
    start(send_and_keep(socket, std::move(text), sent));
    if (!*sent) return "(waits)";
    return **sent ? "sent" : (*sent)->error().code().message();
  }
  [[nodiscard]] std::error_code failure_code() const {
    return opened && !*opened ? opened->error().error.code() : std::error_code();
  }

  // ---- the peer that the test plays

  Peer& peer(std::size_t index = SIZE_MAX) {
    idle();
    return index == SIZE_MAX ? stack.peers.back() : stack.peers[index];
  }
  std::string request(std::size_t index = SIZE_MAX) { return peer(index).read_available(); }
  /// The 101 that belongs to the request.
  static std::string answer_to(std::string_view request, std::string_view lines = "") {
    constexpr std::string_view kName = "Sec-WebSocket-Key: ";
    const std::size_t at = request.find(kName);
    EXPECT_NE(at, std::string_view::npos) << request;
    const AcceptKey accept = accept_key(request.substr(at + kName.size(), 24));
    return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
           "Sec-WebSocket-Accept: " +
           std::string(accept.data(), accept.size()) + "\r\n" + std::string(lines) + "\r\n";
  }
  void reply(std::string_view bytes, std::size_t index = SIZE_MAX) {
    EXPECT_TRUE(peer(index).send(bytes));
    idle();
  }
  /// Answers the handshake, with `more` in the same segment.
  void accept(std::string_view lines = "", std::string_view more = "",
              std::size_t index = SIZE_MAX) {
    reply(answer_to(request(index), lines) + std::string(more), index);
  }

  /// Deadlines are never early, and late by no more than this.
  static constexpr Duration kTick = 2 * net::TimerWheel::kTick;

  ServedStack stack;
  std::unique_ptr<net::TaskPool> tasks = *net::TaskPool::start({});
  std::unique_ptr<net::Resolver> resolver = std::make_unique<net::Resolver>(*tasks);
  std::unique_ptr<net::Connections> client_table =
      std::make_unique<net::Connections>(*loop, net::ConnectionOptions{});
  std::unique_ptr<Client> client;
  std::optional<Connected<ClientSocket>> opened;
};

}  // namespace ssx::websocket::test
