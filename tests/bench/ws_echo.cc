// A WebSocket echo server out of the parts alone: no router, no files, no log, one thread. What
// footprint.py weighs.
//
//   ssxrver_ws_echo [PORT]
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>

#include "http/request_parser.h"
#include "ssxrver/net/connections.h"
#include "ssxrver/net/event_loop.h"
#include "ssxrver/net/socket_address.h"
#include "ssxrver/sys/socket.h"
#include "ssxrver/sys/socket_option.h"
#include "websocket/handlers.h"
#include "websocket/handshake.h"
#include "websocket/service.h"
#include "websocket/session.h"

namespace {

using namespace ssx;

// Sockets without data need none of the wrapping that Handlers<T> does.
websocket::Callbacks echo() {
  websocket::Callbacks callbacks;
  callbacks.on_message = websocket::Callbacks::OnMessage(
      [](websocket::WebSocketBase& socket, const websocket::Message& message) {
        socket.send(message);
      });
  return callbacks;
}

/// What every connection shares.
struct Server {
  explicit Server(net::EventLoop& loop) : connections(loop, {}) { websockets.open(1); }

  const std::shared_ptr<const websocket::Route> route =
      std::make_shared<const websocket::Route>("echo", websocket::Options(), echo());
  const http::ParserLimits limits;
  websocket::Service websockets;
  net::Connections connections;
};

/// Reads one request; when it is a good handshake, the connection becomes a WebSocket.
class Handshake final : public net::Protocol {
 public:
  explicit Handshake(Server& server) : server_(server) {}

  void on_open(net::Connection& connection) override {
    connection.set_deadline(std::chrono::seconds(10));
  }
  void on_deadline(net::Connection& connection) override { refuse(connection); }
  void on_data(net::Connection& connection, InBuffer& in) override {
    http::Head head;
    http::RequestParser parser(server_.limits);
    const auto parsed = parser.parse(in.text(), head);
    if (parsed.progress == http::Progress::kNeedMore) return;
    if (parsed.progress == http::Progress::kFailed) return refuse(connection);
    const http::Params params;
    const http::Body body;
    const http::Request request(head, head.path, params, body, connection.peer(), 0);
    const auto shaken = websocket::accept_plain_handshake(request, server_.route->options, false);
    if (shaken.error != websocket::Errc::kOk) return refuse(connection);
    say(connection, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n");
    say(connection, "Connection: Upgrade\r\nSec-WebSocket-Accept: ");
    say(connection, {shaken.accept.data(), shaken.accept.size()});
    say(connection, "\r\n\r\n");
    in.consume(parsed.head_size);
    connection.clear_deadline();
    connection.set_protocol(std::make_unique<websocket::SessionOf<websocket::NoData>>(
        connection, server_.websockets.worker(0).here(server_.route), websocket::Agreed{},
        websocket::NoData{}));
  }

 private:
  static void say(net::Connection& connection, std::string_view text) {
    connection.out().append_copy(as_bytes(text));
  }
  // RFC 6455 4.4: also what is wanted of whoever spoke another version.
  static void refuse(net::Connection& connection) {
    say(connection, "HTTP/1.1 400 Bad Request\r\nSec-WebSocket-Version: 13\r\n");
    say(connection, "Content-Length: 0\r\nConnection: close\r\n\r\n");
    connection.close_after_flush(net::Connection::Linger::kYes);
  }

  Server& server_;
};

/// Lets them in.
class Door final : public net::Channel {
 public:
  Door(sys::UniqueFd socket, Server& server)
      : Channel(socket.get()), socket_(std::move(socket)), server_(server) {}

  void on_ready(net::Readiness) override {
    sys::RawAddress peer;
    auto fd = sys::accept(socket_.get(), &peer);
    if (!fd) return;
    server_.connections.adopt({*std::move(fd), net::SocketAddress::from_raw(peer), nullptr},
                              std::make_unique<Handshake>(server_));
  }
  [[nodiscard]] const char* label() const noexcept override { return "door"; }

 private:
  const sys::UniqueFd socket_;
  Server& server_;
};

Result<sys::UniqueFd> listen(std::uint16_t port) {
  constexpr std::uint8_t kLoopback[] = {127, 0, 0, 1};
  SSX_TRY(sys::UniqueFd socket, sys::socket(AF_INET, SOCK_STREAM));
  SSX_TRY_VOID(sys::set_option(socket.get(), sys::SocketOption::kReuseAddress, 1));
  SSX_TRY_VOID(sys::set_option(socket.get(), sys::SocketOption::kNoDelay, 1));
  SSX_TRY_VOID(sys::bind(socket.get(), net::SocketAddress::from_ipv4(kLoopback, port).to_raw()));
  SSX_TRY_VOID(sys::listen(socket.get(), 4096));
  return socket;
}

}  // namespace

int main(int argc, char** argv) {
  auto loop = net::EventLoop::create();
  auto socket = listen(static_cast<std::uint16_t>(argc > 1 ? std::atoi(argv[1]) : 9001));
  if (!loop || !socket) return 1;
  Server server(**loop);
  Door door(*std::move(socket), server);
  if (!(*loop)->add(door, net::kReadable)) return 1;
  (*loop)->run();
}
