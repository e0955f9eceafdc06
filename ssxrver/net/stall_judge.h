// Whether a turn has lasted too long, said by somebody who looks at the loop now and then.
//
// Only time in which the watcher has been running counts: between two looks at most kLateness
// intervals. Who was stopped, by SIGSTOP, a debugger or the machine's sleep, comes back much later
// than it meant to, and the loop that it watches was stopped as well.
//
// Thread: one
// Owner:  StallWatchdog, one for each loop
// Life:   that of the watchdog
// Bounds: constant
#pragma once

#include <optional>

#include "ssxrver/base/clock.h"

namespace ssx::net {

class StallJudge {
 public:
  static constexpr int kLateness = 2;

  /// `interval`: how often look() is meant to be called. A turn may last for less than `limit`.
  StallJudge(Duration limit, Duration interval, TimePoint now) noexcept
      : limit_(limit), credit_max_(kLateness * interval), last_look_(now) {}

  /// `began`: of TurnMark. For how long the turn has lasted, when that is too long.
  [[nodiscard]] std::optional<Duration> look(TimePoint began, TimePoint now) noexcept;

 private:
  Duration limit_;
  Duration credit_max_;
  TimePoint last_look_;
  TimePoint turn_{};
  Duration lasted_{0};
};

}  // namespace ssx::net
