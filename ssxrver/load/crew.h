// The threads of a benchmark: each with a loop and a load, all measured over one window.
//
// Thread: the caller's
// Owner:  the command
// Life:   run(), once
// Bounds: one thread for each load
//
//   open everything -> start -> warm up -> measure -> finish -> add up
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "ssxrver/base/clock.h"
#include "ssxrver/base/result.h"
#include "ssxrver/load/load.h"
#include "ssxrver/load/tally.h"
#include "ssxrver/net/event_loop.h"

namespace ssx::load {

struct CrewOptions {
  std::uint32_t threads = 1;
  Duration open_timeout = std::chrono::seconds(30);  ///< then it starts with those that are open
  Duration warm_up = std::chrono::seconds(1);
  Duration time = std::chrono::seconds(10);
  Duration tick = std::chrono::seconds(1);  ///< between two calls of `progress`
  /// Every tick until all connections stand, if it is there: so many do.
  std::function<void(std::uint64_t connected)> on_opening = {};
  std::function<void()> on_begin = {};  ///< of the window, if it is there
  std::function<void()> on_end = {};    ///< before anything is closed
};

/// Every tick of the window.
struct Progress {
  Duration passed;
  Duration time;
  std::uint64_t answered;  ///< in the window, so far
  double per_second;       ///< of the last tick
};

struct Outcome {
  Tally tally;
  Duration window{};  ///< as it was, on average of the threads
  double busy = 0;    ///< of the threads' time in it, the share that they had the processor: 0 .. 1
  bool was_cut = false;  ///< somebody set `stop`
};

class Crew {
 public:
  /// For the `index`th thread; called on the caller's.
  using MakeLoad = std::function<std::unique_ptr<Load>(net::EventLoop& loop, std::uint32_t index)>;
  using OnProgress = std::function<void(const Progress&)>;

  /// `stop`: ends the window early when it becomes true. The error is that of a loop or a thread
  /// that could not be had.
  static Result<Outcome> run(const CrewOptions& options, const MakeLoad& make_load,
                             const OnProgress& on_progress, const std::atomic<bool>& stop);
};

}  // namespace ssx::load
