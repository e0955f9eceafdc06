// A plugin that says in the log at which step it is, and does at one of them what its configuration
// asks for.
//
//   {"fails": "start"}      that step throws: start, import, export, prepare, enter N (a worker)
//   {"posts": "leave 0"}    at that step it posts to the next worker: create, leave N, stop
//   {"takes": true}         a new config is taken while it runs
//   {"state": 3}            what it exports; it imports 1 .. 3
//   {"path": "/where"}      of its route
//   {"ticks": true}         each loop has a timer that fires every millisecond, and one that never
//                           does; the first is cancelled when the loop is left, the other is not
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "ssxrver/plugin/plugin.h"

namespace {

using ssx::plugin::Host;
using ssx::plugin::Request;
using ssx::plugin::Response;
using ssx::plugin::SetupError;
using namespace std::chrono_literals;

class Steps {
 public:
  explicit Steps(Host& host) : host_(host) {}
  ~Steps() { host_.log_info("at destroy"); }
  Steps(const Steps&) = delete;
  Steps& operator=(const Steps&) = delete;

  void at(const std::string& step) {
    host_.log_info("at " + step);
    if (host_.config().string("posts", "") == step) {
      const bool posted = host_.post(1, [this] { host_.log_info("was posted"); });
      host_.log_info(posted ? "has posted" : "could not post");
    }
    if (host_.config().string("fails", "") == step) throw SetupError("no " + step + " today");
  }
  void read() { word_ = host_.config().string("word", "nothing"); }
  void commit() {
    const std::lock_guard lock(mutex_);
    said_ = word_;
  }
  void enter(std::uint32_t worker) {
    at("enter " + std::to_string(worker));
    has_entered_[worker] = true;
    if (!host_.config().boolean("ticks", false)) return;
    ticks_[worker] = host_.timer(1ms, 1ms, [this] { ++fired_; });
    rests_[worker] = host_.timer(1h, 1h, [] {});
    once_[worker] = host_.timer(1ms, 0ms, [this] { ++fired_; });
  }
  void leave(std::uint32_t worker) {
    at("leave " + std::to_string(worker));
    ticks_[worker].cancel();
  }
  [[nodiscard]] int fired() const { return fired_; }
  [[nodiscard]] bool has_entered(std::uint32_t worker) const { return has_entered_[worker]; }

  [[nodiscard]] std::string said() const {
    const std::lock_guard lock(mutex_);
    return said_;
  }

 private:
  Host& host_;
  std::string word_;  // the control thread's
  mutable std::mutex mutex_;
  std::string said_;
  // Per worker: that loop's.
  std::array<bool, 8> has_entered_{};
  std::array<ssx::plugin::Timer, 8> ticks_, rests_, once_;
  std::atomic<int> fired_ = 0;
};

void set_up(Host& host) {
  const auto steps = std::make_shared<Steps>(host);
  steps->at("create");
  steps->read();
  steps->commit();
  host.get(host.config().string("path", "/say"),
           [steps](const Request&) { return Response(steps->said()); });
  host.get("/entered", [steps](const Request& request) {
    return Response(steps->has_entered(request.worker()) ? "yes" : "no");
  });
  host.get("/ticks", [steps](const Request&) { return Response(std::to_string(steps->fired())); });
  host.get("/stall", [](const Request&) {
    const auto until = std::chrono::steady_clock::now() + 150ms;  // longer than loop.stall_warn
    while (std::chrono::steady_clock::now() < until) std::this_thread::yield();
    return Response("late");
  });
  host.get("/fail", [](const Request&) -> Response { throw SetupError("on purpose"); });
  host.get("/slow", [steps](const Request&) -> ssx::Task<Response> {
    co_await ssx::plugin::sleep_for(50ms);
    co_return Response(steps->said());
  });
  host.ws("/socket", {});
  host.on_start([steps] { steps->at("start"); })
      .on_loop_enter([steps](std::uint32_t worker) { steps->enter(worker); })
      .on_loop_leave([steps](std::uint32_t worker) { steps->leave(worker); })
      .on_drain([steps](ssx::plugin::Duration) { steps->at("drain"); })
      .on_stop([steps] { steps->at("stop"); });
  if (host.config().boolean("takes", false)) {
    host.on_config(
        [steps] {
          steps->at("prepare");
          steps->read();
        },
        [steps] {
          steps->at("commit");
          steps->commit();
        });
  }
  const auto state = static_cast<std::uint32_t>(host.config().integer("state", 0));
  if (state != 0) {
    host.on_export(state, [steps] {
      steps->at("export");
      return std::string("the state");
    });
    host.on_import([steps](std::uint32_t version, std::string_view given) {
      steps->at("import");
      steps->at("import " + std::to_string(version) + " " + std::string(given));
    });
  }
}

}  // namespace

SSX_PLUGIN("steps", "1.0.0", set_up,
           .config_schema = R"({"properties": {"word": {"type": "string"}}})",
           .state_version_min = 1, .state_version_max = 3)
