// Timers of a loop: once, again and again, and taken back. Ends by itself after half a second.
#include <fmt/core.h>

#include <cstdio>

#include "ssxrver/net/event_loop.h"

using namespace std::chrono_literals;

int main() {
  auto made = ssx::net::EventLoop::create();
  if (!made) {
    fmt::print(stderr, "{}\n", made.error().message());
    return 1;
  }
  ssx::net::EventLoop& loop = **made;
  loop.assert_in_loop_thread();  // what clang's thread-safety analysis wants to see

  int ticks = 0;
  loop.run_every(100ms, [&ticks] { fmt::print(stdout, "tick {}\n", ++ticks); });
  const auto never = loop.run_after(200ms, [] { fmt::print(stdout, "this is not printed\n"); });
  loop.cancel(never);
  loop.run_after(550ms, [&loop] {
    fmt::print(stdout, "done\n");
    loop.stop();
  });
  loop.run();
}
