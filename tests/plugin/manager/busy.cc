// A plugin that has under way whatever a plugin can have when it is replaced: static objects,
// thread_local ones, timers, coroutines that wait for time, tasks and the client, WebSockets.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ssxrver/plugin/plugin.h"

namespace {

using ssx::Task;
using ssx::plugin::BodyWriter;
using ssx::plugin::Host;
using ssx::plugin::Message;
using ssx::plugin::NoData;
using ssx::plugin::Request;
using ssx::plugin::Response;
using ssx::plugin::Timer;
using ssx::plugin::WebSocket;
using namespace std::chrono_literals;

// Made by the loader's call of constructors, and gone with the library.
std::map<std::string, std::string> words = {{"now", "n"}, {"later", "l"}};
thread_local std::uint64_t calls_here = 0;  // without a destructor: that would keep the library

const std::string& word(const std::string& key) {
  static const std::string none = "none";
  ++calls_here;
  const auto found = words.find(key);
  return found == words.end() ? none : found->second;
}

/// What a loop has of it: two timers that fire again and again, and some that fire once.
struct OfLoop {
  Timer ticks;
  Timer forgotten;
  std::vector<Timer> once;
};

struct State {
  explicit State(std::uint32_t workers) : loops(workers) {}
  std::vector<OfLoop> loops;
  std::atomic<std::uint64_t> ticks = 0;
};

Task<Response> answer_later(const Request&) {
  co_await ssx::plugin::sleep_for(1ms);
  co_return Response(word("later"));
}

Response answer_in_pieces(const Request&) {
  return Response::stream([](BodyWriter& body) -> Task<> {
    for (int i = 0; i < 3; ++i) {
      co_await ssx::plugin::sleep_for(1ms);
      if (!co_await body.write(word("now"))) co_return;
    }
  });
}

Task<> echo(WebSocket<NoData>& socket, const Message& message) {
  co_await ssx::plugin::sleep_for(1ms);
  socket.send(message);
}

void set_up(Host& host) {
  const auto state = std::make_shared<State>(host.worker_count());
  host.get("/now", [](const Request&) { return Response(word("now")); });
  host.get("/later", answer_later);
  host.get("/pieces", answer_in_pieces);
  host.get("/task", [&host](const Request&) -> Task<Response> {
    auto job = host.tasks().run([] { return word("now"); });
    auto text = co_await job;
    if (!text) co_return ssx::plugin::Status::kServiceUnavailable;
    co_return Response(*std::move(text));
  });
  host.get("/timer", [&host, state](const Request& request) {
    auto& once = state->loops[request.worker()].once;
    std::erase_if(once, [](const Timer& timer) { return !timer.is_running(); });
    once.push_back(host.timer(2ms, 0ms, [state] { ++state->ticks; }));
    return Response(word("now"));
  });
  host.ws("/echo", {.on_message = echo});
  host.on_loop_enter([&host, state](std::uint32_t worker) {
    OfLoop& mine = state->loops[worker];
    mine.ticks = host.timer(1ms, 1ms, [state] { ++state->ticks; });
    mine.forgotten = host.timer(1ms, 1ms, [state] { ++state->ticks; });
  });
  host.on_loop_leave([state](std::uint32_t worker) { state->loops[worker].ticks.cancel(); });
  host.on_export(1, [state] { return std::to_string(state->ticks.load()); });
  host.on_import([state](std::uint32_t, std::string_view ticks) {
    state->ticks = std::stoull(std::string(ticks));
  });
}

}  // namespace

SSX_PLUGIN("busy", "1.0.0", set_up, .state_version_min = 1, .state_version_max = 1,
           .needs_tasks = true)
