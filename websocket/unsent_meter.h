// One worker's share of ServiceOptions::unsent_max: whether all of its sockets together have more
// unsent than that.
//
// Thread: loop-only
// Owner:  WorkerState
// Life:   that of the server
// Bounds: counts once a turn at most, and only when as much has been sent as may wait
//
// What leaves is not noticed: the sum is one from above, until somebody has to know.
#pragma once

#include <cstdint>

#include "ssxrver/base/clock.h"

namespace ssx::websocket {

class UnsentMeter {
 public:
  explicit UnsentMeter(std::uint64_t max) noexcept : max_(max) {}

  void add(std::uint64_t bytes) noexcept { sum_ += bytes; }

  /// `count` tells how many bytes are unsent; `now`: that of the turn.
  template <class Count>
  [[nodiscard]] bool is_over(TimePoint now, Count&& count) {
    if (sum_ <= max_) [[likely]]
      return false;
    if (now != counted_at_) {
      counted_at_ = now;
      sum_ = count();
    }
    return sum_ > max_;
  }

 private:
  const std::uint64_t max_;
  std::uint64_t sum_ = 0;
  TimePoint counted_at_ = TimePoint::min();
};

}  // namespace ssx::websocket
