// Sends every byte back, as a coroutine:  tcp_echo [PORT]
#include <cstdlib>

#include "ssxrver/ssxrver.h"

ssx::Task<> echo(ssx::TcpStream peer) {
  std::array<std::byte, 4096> chunk;
  while (auto n = co_await peer.read_some(chunk)) {
    if (!co_await peer.write_all(std::span(chunk).first(*n))) break;
  }
}

int main(int argc, char** argv) {
  ssx::App app;
  app.tcp(static_cast<std::uint16_t>(argc > 1 ? std::atoi(argv[1]) : 7000), echo);
  return app.run();
}
