// A UDP server on the loop of LoopTest, and a way to ask it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "ssxrver/net/udp_server.h"
#include "tests/net/loop_fixture.h"
#include "tests/net/udp_client.h"

namespace ssx::net {

class UdpServerTest : public LoopTest {
 protected:
  UdpServerTest() {
    options.enabled = true;
    options.address = "127.0.0.1";
  }
  void serve(UdpServer::Handler handler = UdpServer::echo()) {
    server = UdpServer::create(*loop, options, std::move(handler)).value();
  }
  /// Turns the loop until the server has seen so many datagrams.
  void until_received(std::uint64_t count) {
    loop->run_until([&] { return counters().received.value() >= count; });
  }
  void until_error(std::uint64_t count) {
    loop->run_until([&] { return counters().receive_errors.value() >= count; });
  }
  [[nodiscard]] const UdpCounters& counters() const { return server->counters(); }
  [[nodiscard]] SocketAddress address() const { return server->address(); }
  /// Sends, lets the server answer, and returns the answer.
  std::string ask(test::UdpClient& client, std::string_view bytes) {
    const auto before = counters().received.value();
    client.send(address(), bytes);
    until_received(before + 1);
    return client.receive();
  }

  UdpOptions options;
  std::unique_ptr<UdpServer> server;
};

}  // namespace ssx::net
