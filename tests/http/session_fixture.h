// Sessions on a loop of this thread, whose clock the test turns, and clients that the test plays.
//
//   on(Method::kGet, "/", [](const Request&) { return "hello\n"; });
//   Client client = connect();
//   EXPECT_EQ(ask(client, get("/")).body, "hello\n");
//
// What is in options, connection_options and router counts from the first connect() on.
#pragma once

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/router.h"
#include "http/service.h"
#include "http/session.h"
#include "ssxrver/net/connections.h"
#include "ssxrver/sys/socket.h"
#include "ssxrver/sys/socket_option.h"
#include "tests/net/loop_fixture.h"
#include "tests/support/raw_client.h"

namespace ssx::http::test {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only

using Client = ssx::test::RawClient;
using Answer = ssx::test::RawResponse;

/// A request without a body; `lines` are further field lines, each with its CRLF.
inline std::string request(std::string_view method, std::string_view target,
                           std::string_view lines = "") {
  std::string text;
  text.append(method).append(" ").append(target).append(" HTTP/1.1\r\nHost: a.example\r\n");
  return text.append(lines).append("\r\n");
}
inline std::string get(std::string_view target, std::string_view lines = "") {
  return request("GET", target, lines);
}
inline std::string head(std::string_view target, std::string_view lines = "") {
  return request("HEAD", target, lines);
}
inline std::string post(std::string_view target, std::string_view body,
                        std::string_view lines = "") {
  std::string all = "Content-Length: " + std::to_string(body.size()) + "\r\n";
  return request("POST", target, all.append(lines)).append(body);
}
/// One chunk of each text that is not empty, then the last one.
inline std::string chunks(const std::vector<std::string_view>& texts) {
  std::string body;
  for (const std::string_view text : texts) {
    if (!text.empty()) body += fmt::format("{:x}\r\n{}\r\n", text.size(), text);
  }
  return body + "0\r\n\r\n";
}
inline std::string post_chunks(std::string_view target,
                               const std::vector<std::string_view>& texts) {
  return request("POST", target, "Transfer-Encoding: chunked\r\n") + chunks(texts);
}

/// All but the last byte.
inline std::string without_end(std::string text) {
  text.pop_back();
  return text;
}

/// Text in which no two places look alike for long.
inline std::string pattern(std::size_t bytes) {
  std::string text(bytes, '\0');
  for (std::size_t i = 0; i < bytes; ++i)
    text[i] = static_cast<char>('a' + i * i % 23 + i / 997 % 3);
  return text;
}

class SessionTest : public net::LoopTest {
 protected:
  // ---- before the first connect()

  template <HandlerFunction F>
  void on(Method method, std::string_view path, F handler) {
    on(method, path, std::move(handler), RouteLimits::from(options));
  }
  template <HandlerFunction F>
  void on(Method method, std::string_view path, F handler, const RouteLimits& limits,
          std::string_view host = "") {
    const auto added = router.add(host, {method}, path,
                                  {make_handler(std::move(handler)), limits, std::string(path)});
    ASSERT_TRUE(added) << path << ": " << added.error().message();
  }
  void any(std::string_view path, Handler handler, std::string_view host = "") {
    const auto added = router.add(
        host, {}, path, {std::move(handler), RouteLimits::from(options), std::string(path)});
    ASSERT_TRUE(added) << path << ": " << added.error().message();
  }

  // ---- connections

  /// Over a pair of unix sockets.
  Client connect() {
    auto pair = *sys::socket_pair(SOCK_STREAM);
    adopt(std::move(pair.first));
    return Client(pair.second.release());
  }
  /// Over the loopback, for what only TCP does. Buffers of 0 bytes: the system's.
  Client connect_tcp(int receive_buffer = 0, int send_buffer = 0) {
    auto listener = *sys::socket(AF_INET, SOCK_STREAM);
    EXPECT_TRUE(sys::bind(listener.get(), net::SocketAddress::parse("127.0.0.1", 0)->to_raw()));
    EXPECT_TRUE(sys::listen(listener.get(), 1));
    const auto at = net::SocketAddress::from_raw(*sys::local_address(listener.get()));
    Client client = Client::tcp(at.port(), {.receive_buffer_bytes = receive_buffer});
    auto accepted = sys::accept(listener.get(), nullptr);
    EXPECT_TRUE(accepted);
    if (send_buffer > 0) {
      EXPECT_TRUE(sys::set_option(accepted->get(), sys::SocketOption::kSendBuffer, send_buffer));
    }
    adopt(*std::move(accepted));
    return client;
  }
  net::Connection* adopt(sys::UniqueFd fd) {
    if (service == nullptr) start_service();
    connection = table->adopt({std::move(fd), peer_address, nullptr}, service->make_session(0));
    idle();
    return connection;
  }
  void start_service() {
    table = std::make_unique<net::Connections>(*loop, connection_options);
    service = std::make_unique<Service>(std::move(router), options, 1);
  }

  // ---- conversations

  /// Sends, lets the server work, and reads one answer.
  Answer ask(Client& client, std::string_view bytes) {
    const bool to_head = bytes.starts_with("HEAD ");
    tell(client, bytes);
    return client.read_response(to_head);
  }
  /// Sends as the server takes it. False when it no longer does.
  bool tell(Client& client, std::string_view bytes) {
    while (!bytes.empty()) {
      const std::size_t sent = client.send_without_waiting(bytes);
      bytes.remove_prefix(sent);
      const auto before = table->counters().bytes_in.value();
      idle();
      if (sent == 0 && table->counters().bytes_in.value() == before) return false;
    }
    return true;
  }
  /// All that comes, while the server goes on sending.
  std::string hear(Client& client) {
    std::string all;
    while (true) {
      idle();
      const std::string some = client.read_available();
      if (some.empty()) return all;
      all += some;
    }
  }
  /// What the server says to these bytes when nothing follows them.
  std::string hear_to_end(Client& client, std::string_view bytes) {
    tell(client, bytes);
    client.half_close();
    return hear(client);
  }
  /// A whole conversation on a connection of its own.
  std::string talk(std::string_view bytes) {
    Client client = connect();
    return hear_to_end(client, bytes);
  }
  [[nodiscard]] bool is_gone(Client& client) {
    idle();
    return client.read_available().empty() && client.ended();
  }

  Counters& counters() { return service->worker(0).counters; }
  std::uint64_t refused(Errc error) { return counters().of(error).value(); }

  void TearDown() override {
    end_loop();
    table.reset();
  }

  HttpOptions options;
  net::ConnectionOptions connection_options;
  Router router;
  std::unique_ptr<Service> service;
  std::unique_ptr<net::Connections> table;
  /// Of the clients to come. As of TCP, which is told once of what has come.
  net::SocketAddress peer_address = *net::SocketAddress::parse("127.0.0.1", 4507);
  net::Connection* connection = nullptr;  ///< the latest; dangling once it has ended
};

}  // namespace ssx::http::test
