// Sends the file whose name it reads, from a task thread:  blocking_work [PORT]
//
// Reading a file may take long, so it leaves the loop; the coroutine goes on where it was, on its
// own loop.
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "ssxrver/ssxrver.h"

namespace {

std::string slow_read(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream content;
  content << file.rdbuf();
  return file ? content.str() : "cannot read " + path + '\n';
}

}  // namespace

int main(int argc, char** argv) {
  ssx::App app;
  app.options().tasks.threads = 2;
  const auto port = static_cast<std::uint16_t>(argc > 1 ? std::atoi(argv[1]) : 7001);
  app.tcp(port, [&app](ssx::TcpStream peer) -> ssx::Task<> {
    std::string line;
    std::array<std::byte, 256> chunk;
    while (line.find('\n') == std::string::npos) {
      const auto n = co_await peer.read_some(chunk);
      if (!n) co_return;
      line += ssx::as_text(std::span(chunk).first(*n));
    }
    auto job =
        app.tasks().run([path = line.substr(0, line.find('\n'))] { return slow_read(path); });
    const auto content = co_await job;
    if (content) (void)co_await peer.write_all(ssx::as_bytes(*content));
  });
  return app.run();
}
