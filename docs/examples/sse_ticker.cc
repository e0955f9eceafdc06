// Tells every open page what a price does, ten times a second:  sse_ticker [PORT]
//
// Each page is a coroutine that sleeps between two events. It ends with its page.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <string>

#include "ssxrver/ssxrver.h"

namespace {

using namespace std::chrono_literals;
using ssx::Request;
using ssx::Response;

/// A price that all pages agree on, since it follows from its number.
double price(std::uint64_t tick) {
  const auto t = static_cast<double>(tick);
  return 100 + 12 * std::sin(t / 37) + 5 * std::sin(t / 11) + 2 * std::sin(t / 3.1);
}

ssx::Task<> tell(ssx::BodyWriter& body, std::uint64_t tick) {
  co_await body.write("retry: 1000\n\n");
  while (true) {
    const std::string event =
        fmt::format("id: {0}\ndata: {{\"tick\":{0},\"price\":{1:.2f}}}\n\n", tick, price(tick));
    if (!co_await body.write(event)) co_return;
    ++tick;
    co_await ssx::net::sleep_for(100ms);
  }
}

Response ticks(const Request& request) {
  // A page that lost its connection says where it was, and goes on from there.
  std::uint64_t next = 0;
  if (const auto last = request.header("Last-Event-ID"))
    next = std::strtoull(std::string(*last).c_str(), nullptr, 10) + 1;
  Response stream = Response::stream([next](ssx::BodyWriter& body) { return tell(body, next); });
  stream.content_type("text/event-stream").set("Cache-Control", "no-store");
  return stream;
}

}  // namespace

int main(int argc, char** argv) {
  ssx::App app;
  app.get("/ticks", ticks);
  app.files("/*", SSX_EXAMPLE_PAGES "/sse_ticker");
  return app.listen(static_cast<std::uint16_t>(argc > 1 ? std::atoi(argv[1]) : 8080)).run();
}
