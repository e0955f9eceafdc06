// Takes the lines of SSX_LOG_* for as long as it lives: asynchronously to a file (and the console),
// or, as the program of 2021 did unless told otherwise, at once to the console.
//
//   auto logger = log::Logger::install(options);
//   if (!logger) return report(logger.error());
//
// Thread: install and destroy one thread; the rest any thread
// Owner:  main, for as long as anything logs
// Life:   from install() to the destructor, which writes out what was logged before. Lines of calls
//         that overlap with the destructor may be lost. Another one may be installed after that
// Bounds: one at a time; see options.h
#pragma once

#include <cstdint>
#include <memory>

#include "ssxrver/base/clock.h"
#include "ssxrver/base/line_sink.h"
#include "ssxrver/base/result.h"
#include "ssxrver/base/startup_error.h"
#include "ssxrver/log/options.h"

namespace ssx::log {

/// Lines, since the logger was installed. What is neither written nor lost is on its way.
struct LogStats {
  std::uint64_t written = 0;        ///< in the files
  std::uint64_t lost_overflow = 0;  ///< no room in a ring or in the buffers
  std::uint64_t lost_file = 0;      ///< the file could not take them
  std::uint64_t files = 0;          ///< opened, the first one included
  std::uint64_t file_failures = 0;  ///< attempts to open or to write that failed
  std::uint64_t cut = 0;            ///< longer than `line_max`
  std::uint64_t files_removed = 0;  ///< by `max_files`, `max_age_days` or `total_size`
};

class Logger {
 public:
  /// Levels, levels of modules and the length of lines are set as well. Fails when another logger
  /// is installed, a value is out of range, or the first file cannot be made.
  static StartupResult<std::unique_ptr<Logger>> install(
      const LogOptions& options, const Clock& clock = SystemClock::instance());
  ~Logger();
  Logger(const Logger&) = delete;
  Logger& operator=(const Logger&) = delete;

  /// Waits until what this thread has logged is out of the process, at most `time`. False: it is
  /// not.
  bool flush(Duration time);

  /// Continues in new files. Returns at once; from a signalfd loop, for instance.
  void reopen();

  /// A file of plain lines; the sink is valid as long as this object. kOverflow: there are 8.
  Result<LineSink> open_lines(const LineFileOptions& options);

  [[nodiscard]] LogStats stats() const noexcept;

 private:
  class Impl;
  explicit Logger(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ssx::log
