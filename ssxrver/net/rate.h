// So many events per time, and the bucket of tokens that enforces it.
//
// Thread: values
// Owner:  whoever limits something
// Life:   any
// Bounds: -
#pragma once

#include <cstdint>

#include "ssxrver/base/clock.h"

namespace ssx::net {

/// So many events per second or minute, after a burst. Written "1000/s burst 2000".
struct Rate {
  std::uint32_t events = 0;     ///< 0 = no limit
  std::chrono::seconds per{1};  ///< 1 s or 60 s
  std::uint32_t burst = 0;      ///< taken at once by a source that was quiet; at least 1
  bool operator==(const Rate&) const = default;
};

/// The generic cell rate algorithm (ITU-T I.371): the time at which it is full again stands for a
/// whole bucket of tokens. The time is the caller's; one that is past means a full bucket.
class TokenBucket {
 public:
  explicit TokenBucket(const Rate& rate) noexcept;

  [[nodiscard]] bool is_limited() const noexcept { return interval_ != Duration::zero(); }
  /// Takes a token out of the bucket that is full at `full_at`; false when there is none.
  [[nodiscard]] bool take(TimePoint& full_at, TimePoint now) const noexcept;
  /// How long until there is a token; zero when there is one.
  [[nodiscard]] Duration wait(TimePoint full_at, TimePoint now) const noexcept;

 private:
  Duration interval_;   ///< from one event to the next at the full rate; 0 = no limit
  Duration tolerance_;  ///< how far a burst may run ahead of the rate
};

}  // namespace ssx::net
