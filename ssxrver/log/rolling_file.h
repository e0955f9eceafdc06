// A file of lines that never gives up: it rolls by size and by day, and keeps the rules of
// retention.
//
// Lines wait in memory until flush() or until they fill the block, then leave in one write. When
// the disk is full, the folder has gone or the device fails, lines wait in the block while there is
// room; then they are dropped and counted, and writing is tried again after 1 s, 2 s .. 30 s. The
// first line behind a gap tells how many are missing. A line is in the file whole and once, or not
// at all.
//
// Thread: one thread (the back end's, or whoever holds the mutex of the console logger)
// Owner:  Output
// Life:   from open() to the destructor, which tries one last write and tells stderr what was lost
// Bounds: kPendingMax bytes in memory; `roll_size`, and Retention on disk
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "ssxrver/base/clock.h"
#include "ssxrver/base/result.h"
#include "ssxrver/log/civil_time.h"
#include "ssxrver/log/file_names.h"
#include "ssxrver/sys/unique_fd.h"

namespace ssx::log {

class RollingFile {
 public:
  struct Options {
    std::string folder;  ///< as as_folder() gives it
    std::string base_name;
    std::uint64_t roll_size;
    bool daily;
    TimeZone zone;
    Retention keep;
  };
  /// Makes the line that stands where lines are missing; it ends in a newline.
  using LossLine = std::function<std::string(std::uint64_t lines, const Error& reason)>;

  struct Counts {
    std::uint64_t written = 0;   ///< lines in the file
    std::uint64_t lost = 0;      ///< lines that never will be
    std::uint64_t files = 0;     ///< opened
    std::uint64_t failures = 0;  ///< of open and write
    std::uint64_t removed = 0;   ///< old files, by Retention
  };

  static constexpr std::size_t kPendingMax = std::size_t{256} * 1024;
  static constexpr std::chrono::seconds kBackoffMin{1};
  static constexpr std::chrono::seconds kBackoffMax{30};

  RollingFile(Options options, LossLine loss_line, const Clock& clock);
  ~RollingFile();
  RollingFile(const RollingFile&) = delete;
  RollingFile& operator=(const RollingFile&) = delete;

  /// Opens the first file. Later failures are this object's own affair.
  Result<void> open();

  /// `line` ends in the only newline that it has. `when` is what the daily roll goes by.
  void append(std::string_view line, WallTime when);
  void flush();
  /// A new file, under a new name: for log rotation by others.
  void reopen();
  /// Time for what nobody asked for: retention by age.
  void tick();

  /// Something waits for a flush().
  [[nodiscard]] bool dirty() const noexcept { return !pending_.empty() || unreported_ != 0; }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] Counts counts() const noexcept;

  /// For the crash handler: what is not in the file yet, and the file. Both may be torn.
  [[nodiscard]] std::string_view pending_for_crash() const noexcept { return pending_; }
  [[nodiscard]] int descriptor_for_crash() const noexcept { return fd_.get(); }

 private:
  struct Failure {
    Error reason;
    Duration backoff;
    TimePoint retry_at;
  };

  Result<void> open_new();
  Result<void> ensure_folder() const;
  bool must_roll(std::size_t bytes, WallTime when);
  void roll();
  bool write_out(bool even_before_retry);
  Result<void> write_pending();
  Result<void> write_lines(std::string& text, std::uint64_t& lines);
  Result<void> write_all(std::string_view text, std::size_t& done);
  void take_back(std::size_t bytes);
  Result<void> end_torn_line();
  [[nodiscard]] bool was_removed() const;
  void note_failure(std::optional<Failure>& slot, const Error& reason);
  void drop_pending();
  void retire_old(WallTime now);

  const Options options_;
  const LossLine loss_line_;
  const Clock& clock_;
  CivilTime civil_;

  sys::UniqueFd fd_;
  std::string path_;
  WallTime named_second_;   // of the last name, and
  unsigned collision_ = 0;  // what the next name in it ends in
  std::uint64_t size_ = 0;
  std::int64_t day_ = 0;
  bool torn_ = false;  // the file ends in half a line that could not be taken back

  std::string pending_;
  std::uint64_t pending_lines_ = 0;
  std::uint64_t unreported_ = 0;
  std::optional<Failure> failure_;       // of writing
  std::optional<Failure> roll_failure_;  // of the next file, while the current one still works
  TimePoint next_retirement_;

  // One writer, read by stats() of any thread.
  std::atomic<std::uint64_t> written_{0};
  std::atomic<std::uint64_t> lost_{0};
  std::atomic<std::uint64_t> files_{0};
  std::atomic<std::uint64_t> failures_{0};
  std::atomic<std::uint64_t> removed_{0};
};

}  // namespace ssx::log
