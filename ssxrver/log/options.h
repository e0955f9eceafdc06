// What can be chosen about logging. The keys of the JSON file's `log` object are named beside each
// field.
//
// Thread: immutable once validated
// Owner:  whoever installs the Logger; copied into it
// Life:   longer than the Logger
// Bounds: every field says its range; validate() and tests/log/options_test.cc try both ends
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ssxrver/base/log.h"
#include "ssxrver/base/result.h"

namespace ssx::log {

/// What happens to lines that come faster than they can be written. Every lost line is counted.
enum class Overflow : std::uint8_t {
  kDropNewest,  ///< a thread whose ring is full loses its new line
  kDropOldest,  ///< the oldest filled buffer that waits in the back end is thrown away
  kBlock,  ///< the thread waits for room: no line is lost, and the server is as slow as the disk
};

enum class LineFormat : std::uint8_t { kText, kJson };

enum class TimeZone : std::uint8_t { kLocal, kUtc };

struct LogOptions {
  Level level = Level::kInfo;  ///< `level`: TRACE DEBUG INFO WARN ERROR FATAL OFF
  /// `levels`: {"net": "DEBUG"}: modules with a level of their own, 32 at the most
  std::vector<std::pair<std::string, Level>> levels;

  /// `ansync_started` (the spelling of 2021; `async_started` is the same key). Off: each line is
  /// formatted and written to stdout by the thread that makes it, and no file is opened.
  bool async = false;
  bool console = false;                   ///< `console`: with `async`, lines go to stdout as well
  LineFormat format = LineFormat::kText;  ///< `format`: text | json
  std::string pattern;               ///< `pattern` of spdlog in place of the text format; "" = ours
  TimeZone time = TimeZone::kLocal;  ///< `time`: local | utc
  std::size_t line_max = 8192;       ///< `line_max` bytes of message, then it is cut: 256 .. 65536

  std::string path;                   ///< `path`: folder of the files, made when missing; "" = here
  std::string base_name = "ssxrver";  ///< `base_name`.YYYYmmdd-HHMMSS.log (UTC), .N on collision
  std::chrono::seconds flush{3};  ///< `flush_second`: 1 .. 3600, the most a line waits for the disk
  Level flush_level = Level::kError;   ///< `flush_level`: lines from here on are flushed at once
  std::uint64_t roll_size = 67108864;  ///< `roll_size`: a file ends before it exceeds this; >= 4096
  bool daily = false;                  ///< `daily`: a new file at midnight of `time`
  std::size_t max_files = 0;           ///< `max_files` kept, the current one included; 0 = all
  unsigned max_age_days = 0;     ///< `max_age_days` since the last line of a file; 0 = for ever
  std::uint64_t total_size = 0;  ///< `total_size` of all files together; 0 = no limit

  Overflow overflow = Overflow::kDropNewest;  ///< `overflow`: drop_newest | drop_oldest | block
  std::size_t buffers = 16;  ///< `buffers` of 512 KiB between the rings and the disk: 2 .. 1024
  std::size_t ring_size = 1 << 20;  ///< `ring_size` of each thread, rounded up to a power of two:
                                    ///< 4 x line_max .. 64 MiB
  bool fatal_signals = true;        ///< the last lines are saved when the process crashes
  bool operator==(const LogOptions&) const = default;
};

/// A file of plain lines beside the log (`access` object). It rolls and is kept as the log is.
struct LineFileOptions {
  /// `access.path`: as the log's path and base_name in one; below the log's folder unless it begins
  /// with '/'
  std::string path = "access";
};

/// The first value outside its range, as Errc::kInvalidArgument with the key as the place.
[[nodiscard]] Result<void> validate(const LogOptions& options);

}  // namespace ssx::log
