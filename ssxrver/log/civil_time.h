// Wall time as people write it, in UTC or in the zone of the machine.
//
// Thread: one thread for each object
// Owner:  the formatter or the file that asks
// Life:   any
// Bounds: years 1970 .. 9999
#pragma once

#include <cstdint>
#include <string>

#include "ssxrver/base/clock.h"
#include "ssxrver/log/options.h"

namespace ssx::log {

class CivilTime {
 public:
  explicit CivilTime(TimeZone zone) : zone_(zone) {}

  [[nodiscard]] bool is_utc() const noexcept { return zone_ == TimeZone::kUtc; }

  /// Days since 1970-01-01 where the zone's clock shows `when`.
  [[nodiscard]] std::int64_t day(WallTime when);
  /// "2026-01-02", then `separator`, then "15:04:05.123456".
  void append(WallTime when, char separator, std::string& out);
  /// "Z" or "+01:00".
  void append_offset(WallTime when, std::string& out);

 private:
  std::int64_t second_of(WallTime when);

  const TimeZone zone_;
  std::int64_t cached_second_ = -1;  // UTC; what the two below belong to
  std::int64_t offset_ = 0;          // seconds east of Greenwich
  std::int64_t formatted_second_ = -1;
  char formatted_[20] = {};  // "2026-01-02 15:04:05"
};

/// "20260102-150405", always UTC: the names of the files.
[[nodiscard]] std::string file_stamp(WallTime when);

}  // namespace ssx::log
