// How blocking work is called, with or without a std::stop_token, and what it gives. (i)
//
// Thread: a task thread calls; whoever waits, on its loop, asks to stop
// Owner:  TaskPool
// Life:   that of one piece of work
// Bounds: one allocation more for work that takes a token, which std::stop_source makes
#pragma once

#include <atomic>
#include <concepts>
#include <exception>
#include <stop_token>
#include <type_traits>

#include "ssxrver/base/error.h"
#include "ssxrver/base/result.h"

namespace ssx::net::internal {

/// What std::stop_source is to work that takes a token, for work that takes none.
class StopFlag {
 public:
  void request_stop() noexcept { requested_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool stop_requested() const noexcept {
    return requested_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<bool> requested_{false};
};

/// As with std::jthread: who can take a token gets one.
template <class Work>
struct WorkTraits {
  using Returned = std::invoke_result_t<Work&>;
  using Stop = StopFlag;
  static Returned call(Work& work, const Stop&) { return work(); }
};
template <class Work>
  requires std::invocable<Work&, std::stop_token>
struct WorkTraits<Work> {
  using Returned = std::invoke_result_t<Work&, std::stop_token>;
  using Stop = std::stop_source;
  static Returned call(Work& work, const Stop& stop) { return work(stop.get_token()); }
};

template <class Work>
using StopOf = typename WorkTraits<Work>::Stop;
template <class Work>
using ResultOf = FlatResult<typename WorkTraits<Work>::Returned>;

template <class Work>
ResultOf<Work> call_work(Work& work, const StopOf<Work>& stop) {
  if constexpr (std::is_void_v<typename WorkTraits<Work>::Returned>) {
    WorkTraits<Work>::call(work, stop);
    return {};
  } else {
    return WorkTraits<Work>::call(work, stop);
  }
}

/// Says in the log what was thrown.
[[nodiscard]] Error task_failed(const std::exception_ptr& thrown);

}  // namespace ssx::net::internal
