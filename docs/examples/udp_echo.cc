// Sends every datagram back:  udp_echo [PORT]
#include <fmt/core.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "ssxrver/net/event_loop.h"
#include "ssxrver/net/udp_server.h"

namespace {

int report(const ssx::Error& error) {
  fmt::print(stderr, "{}\n", error.message());
  return EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) {
  ssx::net::UdpOptions options;
  options.address = "127.0.0.1";
  options.port = argc > 1 ? static_cast<std::uint16_t>(std::atoi(argv[1])) : 0;  // 0: any free one

  auto loop = ssx::net::EventLoop::create();
  if (!loop) return report(loop.error());
  auto server = ssx::net::UdpServer::create(
      **loop, options, [](const ssx::net::Datagram& datagram, ssx::net::UdpServer::Reply& reply) {
        reply.send(datagram.bytes);
      });
  if (!server) return report(server.error());

  fmt::print(stdout, "listening on {}\n", (*server)->address().to_string());
  std::fflush(stdout);
  (*loop)->run();
}
