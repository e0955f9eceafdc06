// The time of a line of the access log: made once per second, by each worker for itself.
//
// Thread: one thread for each object
// Owner:  AccessLog
// Life:   that of its owner
// Bounds: years 1970 .. 9999
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "ssxrver/base/clock.h"

namespace ssx::http {

class AccessTime {
 public:
  static constexpr std::size_t kLocalSize = 26;  ///< "02/Jan/2026:15:04:05 +0100"
  static constexpr std::size_t kIsoSize = 25;    ///< "2026-01-02T15:04:05+01:00"

  /// In UTC, or in the zone of the machine.
  explicit AccessTime(bool is_utc) noexcept : is_utc_(is_utc) {}

  /// Views of this object, until the next call.
  [[nodiscard]] std::string_view local(WallTime when) noexcept;
  [[nodiscard]] std::string_view iso(WallTime when) noexcept;

 private:
  void tell(std::int64_t second) noexcept;

  const bool is_utc_;
  std::int64_t second_ = std::numeric_limits<std::int64_t>::min();
  char local_[kLocalSize] = {};
  char iso_[kIsoSize] = {};
};

}  // namespace ssx::http
