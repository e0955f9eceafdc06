// Watches whether a peer takes what it is sent: looks from time to time how much it has taken. (i)
//
// Thread: loop-only
// Owner:  Session
// Life:   that of the session; anew with each answer that is written when nothing else waits
// Bounds: RouteLimits: write_timeout, write_min_rate and its grace; 255 looks are told apart
#pragma once

#include <cstdint>

#include "http/router.h"
#include "ssxrver/base/clock.h"

namespace ssx::http {

class SendWatch {
 public:
  enum class Verdict : std::uint8_t { kGoOn, kTimedOut, kTooSlow };

  /// From here on, the first look is one period away.
  void begin(TimePoint now, std::uint64_t taken) noexcept;
  /// Whose limits hold: those of the latest answer.
  void set_limits(LimitsId limits) noexcept { limits_ = limits; }
  [[nodiscard]] LimitsId limits() const noexcept { return static_cast<LimitsId>(limits_); }

  /// How long until the next look; 0 = never. What is written behind other answers must not put it
  /// off: a peer that goes on asking and takes nothing would never be looked at.
  [[nodiscard]] milliseconds until_look(TimePoint now, const RouteLimits& limits) const noexcept;

  /// Has the peer taken anything since the last look, and enough? An answer that was written while
  /// earlier ones were on their way is given one look more. Sets `next`, the time to the next look;
  /// 0 = never. `taken` is asked only when it is time.
  template <class Taken>
  [[nodiscard]] Verdict look(TimePoint now, const RouteLimits& limits, milliseconds& next,
                             Taken taken) noexcept {
    next = due_in(now, limits);
    return next.count() != 0 || is_off(limits) ? Verdict::kGoOn : judge(now, limits, next, taken());
  }

 private:
  [[nodiscard]] static bool is_off(const RouteLimits& limits) noexcept;
  [[nodiscard]] milliseconds since_look(TimePoint now) const noexcept;
  [[nodiscard]] milliseconds due_in(TimePoint now, const RouteLimits& limits) const noexcept;
  [[nodiscard]] Verdict judge(TimePoint now, const RouteLimits& limits, milliseconds& next,
                              std::uint64_t taken) noexcept;

  // As many bits as they need, because there is one for each connection: no peer takes a TiB from
  // one look to the next, and no two looks lie 13 days apart. begin() may mark bytes that are on
  // their way yet: less than that was taken then, which reads as very much, and nobody is blamed.
  static constexpr std::uint64_t kTakenMask = (std::uint64_t{1} << 40) - 1;
  static constexpr std::uint32_t kTickMask = (1U << 24) - 1;
  static constexpr int kLooksMax = 255;

  std::uint64_t taken_mark_ : 40 = 0;  ///< bytes the peer had taken at the last look
  std::uint64_t limits_ : 16 = 0;
  std::uint64_t looks_ : 8 = 0;
  std::uint32_t look_start_ : 24 = 0;  ///< when the last look was, in ticks of 67 ms
};

}  // namespace ssx::http
