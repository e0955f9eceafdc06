// Where formatted lines end: the console, the log's file, and the files of line sinks.
//
// Thread: one thread writes; add_lines() and counts() any thread
// Owner:  the Logger
// Life:   until the last line has been written
// Bounds: kLineFilesMax line sinks
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <source_location>
#include <string>
#include <vector>

#include "ssxrver/base/clock.h"
#include "ssxrver/base/mutex.h"
#include "ssxrver/base/result.h"
#include "ssxrver/log/line_format.h"
#include "ssxrver/log/options.h"
#include "ssxrver/log/rolling_file.h"

namespace ssx::log {

inline constexpr std::size_t kLineFilesMax = 8;

class Output {
 public:
  Output(const LogOptions& options, const Clock& clock);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  /// Opens the log's file where one is wanted.
  Result<void> open();
  /// A file for a line sink; its number is what Site::stream says. kOverflow: there are enough.
  Result<std::uint8_t> add_lines(const LineFileOptions& options);

  void write(const RecordHeader& record, const std::byte* arguments, WallTime when);
  /// A line of the logger itself.
  void note(Level level, std::string_view message,
            std::source_location where = std::source_location::current());

  /// False when something could not be written.
  bool flush();
  void reopen();
  void tick();
  [[nodiscard]] bool dirty() const noexcept;

  [[nodiscard]] RollingFile::Counts counts() const noexcept;
  [[nodiscard]] std::uint64_t cut() const noexcept { return formatter_.cut(); }
  /// The log's file; null without one.
  [[nodiscard]] const RollingFile* file() const noexcept { return file_.get(); }
  /// The next file that add_lines() would make, for the sentence when it fails.
  [[nodiscard]] const std::string& folder() const noexcept { return folder_; }

 private:
  class Sinks;  // spdlog's side

  std::unique_ptr<RollingFile> make_file(std::string folder, std::string base_name,
                                         RollingFile::LossLine loss_line) const;
  [[nodiscard]] Line own_line(Level level, std::string_view message,
                              const std::source_location& where) const;
  [[nodiscard]] std::string loss_line(std::uint64_t lines, const Error& reason) const;
  void hand_on(const Line& line);
  template <class Visit>
  void each_file(Visit visit) const;

  const LogOptions options_;
  const Clock& clock_;
  const std::string folder_;
  LineFormatter formatter_;
  std::string message_;  // kept for their memory
  std::string line_;
  std::vector<std::string> notes_;  // what the files of line sinks cannot say themselves

  std::unique_ptr<RollingFile> file_;
  std::unique_ptr<Sinks> sinks_;

  mutable Mutex lines_mutex_;
  std::vector<std::unique_ptr<RollingFile>> lines_owned_ SSX_GUARDED_BY(lines_mutex_);
  std::array<std::atomic<RollingFile*>, kLineFilesMax + 1> lines_{};
};

}  // namespace ssx::log
