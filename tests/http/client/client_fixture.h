// A client on a loop whose clock the test turns, and the servers that it connects to: ends of
// socket pairs in the test's hand.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/client/client.h"
#include "ssxrver/net/connections.h"
#include "ssxrver/net/error.h"
#include "ssxrver/net/resolver.h"
#include "ssxrver/net/timer_wheel.h"
#include "ssxrver/sys/address.h"
#include "ssxrver/sys/socket.h"
#include "tests/net/dialled_stack.h"
#include "tests/net/loop_fixture.h"
#include "tests/net/tcp_stream_fixture.h"

namespace ssx::http::test {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only
using net::Peer;

class PairStack final : public net::DialledStack {
 public:
  std::deque<Peer> servers;  ///< one for each connection, in their order

 private:
  void arrived(sys::UniqueFd far_end) override { servers.emplace_back(std::move(far_end)); }
};

using Answer = Result<ClientResponse>;

/// "GET / HTTP/1.1" and so on: the first line of a request.
inline std::string first_line(std::string_view request) {
  return std::string(request.substr(0, request.find("\r\n")));
}

inline std::string ok(std::string_view body) {
  return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         std::string(body);
}

class ClientTest : public net::LoopTest {
 protected:
  void TearDown() override {
    end_loop();
    client.reset();
    table.reset();
  }
  void make_client(ClientOptions options) {
    client = std::make_unique<Client>(*table, stack, *resolver, std::move(options));
  }
  static ClientRequest request(std::string url) {
    ClientRequest made;
    made.url = std::move(url);
    return made;
  }
  static ClientRequest request(std::string method, std::string url, RequestBody body = {}) {
    ClientRequest made = request(std::move(url));
    made.method = std::move(method);
    made.body = std::move(body);
    return made;
  }

  /// Asks, and lets everything run until it waits. The answer appears in `into`.
  void fetch(ClientRequest what, std::optional<Answer>& into) {
    start(run(client->fetch(std::move(what)), into));
  }
  void open(ClientRequest what, std::optional<Answer>& into) {
    start(run(client->open(std::move(what)), into));
  }
  void fetch(std::string url) { fetch(request(std::move(url)), answer); }

  /// The server's side: `bytes`, and everything that follows from them.
  void reply(std::string_view bytes, std::size_t server = SIZE_MAX) {
    Peer& peer = server == SIZE_MAX ? stack.servers.back() : stack.servers[server];
    ASSERT_EQ(peer.send(bytes), bytes.size());
    idle();
  }
  std::string received(std::size_t server = SIZE_MAX) {
    idle();
    return (server == SIZE_MAX ? stack.servers.back() : stack.servers[server]).receive();
  }
  /// In good order: the end of a socket that has unread bytes would be a reset.
  void end(std::size_t server = SIZE_MAX) {
    Peer& peer = server == SIZE_MAX ? stack.servers.back() : stack.servers[server];
    std::ignore = peer.receive();
    peer.close();
    idle();
  }
  [[nodiscard]] bool is_closed(std::size_t server = SIZE_MAX) {
    Peer& peer = server == SIZE_MAX ? stack.servers.back() : stack.servers[server];
    idle();
    std::ignore = peer.receive();
    return peer.at_end();
  }
  /// A whole exchange that succeeds.
  void exchange(const std::string& url, std::string_view response) {
    answer.reset();
    fetch(url);
    ASSERT_FALSE(received().empty());
    reply(response);
    ASSERT_TRUE(answer && *answer) << url;
  }
  [[nodiscard]] std::error_code error() const {
    return answer && !*answer ? answer->error().code() : std::error_code();
  }
  [[nodiscard]] std::uint64_t failures(Errc code) const {
    return client->counters().failed[static_cast<std::size_t>(code)].value();
  }

  /// Deadlines are never early, and late by no more than this.
  static constexpr Duration kTick = 2 * net::TimerWheel::kTick;

  PairStack stack;
  std::unique_ptr<net::TaskPool> tasks = *net::TaskPool::start({});
  std::unique_ptr<net::Resolver> resolver = std::make_unique<net::Resolver>(*tasks);
  std::unique_ptr<net::Connections> table =
      std::make_unique<net::Connections>(*loop, net::ConnectionOptions{});
  std::unique_ptr<Client> client = std::make_unique<Client>(*table, stack, *resolver);
  std::optional<Answer> answer;

  static Task<> run(Task<Answer> asked, std::optional<Answer>& into) {
    into = co_await std::move(asked);
  }
};

inline const std::string kUrl = "http://10.0.0.1/";

}  // namespace ssx::http::test
