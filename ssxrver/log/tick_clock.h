// Time stamps that cost 10 ns instead of 25: the processor's tick counter, turned into wall time by
// the back end. Where the kernel does not trust that counter, a stamp is the wall time itself.
//
// Thread: stamp() any thread; an object belongs to one thread
// Owner:  the back end
// Life:   choose_source() before the first stamp
// Bounds: within a millisecond of the wall clock for stamps younger than a second
#pragma once

#include <atomic>
#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "ssxrver/base/clock.h"

namespace ssx::log {

class TickClock {
 public:
  /// Looks once whether ticks can be had; true when they are used.
  static bool choose_source() noexcept;

  [[nodiscard]] static std::uint64_t stamp() noexcept {
#if defined(__x86_64__)
    if (ticks_.load(std::memory_order_relaxed)) [[likely]]
      return __rdtsc();
#endif
    return wall_stamp();
  }

  TickClock() noexcept;
  /// Looks at both clocks; before each batch of wall() calls.
  void synchronise() noexcept;
  [[nodiscard]] WallTime wall(std::uint64_t stamp) const noexcept;

  static void use_ticks_for_test(bool ticks) noexcept { ticks_ = ticks; }

 private:
  struct Anchor {
    std::uint64_t ticks;
    std::int64_t monotonic;  // nanoseconds
    std::int64_t wall;       // nanoseconds
  };

  [[nodiscard]] static std::uint64_t wall_stamp() noexcept;
  [[nodiscard]] static Anchor look() noexcept;

  static inline std::atomic<bool> ticks_{false};

  Anchor latest_;
  Anchor base_;  // what the rate is measured from
  double nanoseconds_per_tick_ = 0;
  bool rate_is_young_ = true;
};

}  // namespace ssx::log
