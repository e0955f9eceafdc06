// From a record's parts to the line that is written: text, JSON, or a pattern of spdlog.
//
//   2026-01-02 15:04:05.123456 INFO  4711 net/event_loop.cc:88: message
//   {"time":"2026-01-02T15:04:05.123456+01:00","level":"INFO","thread":4711,"module":"net",
//    "file":"event_loop.cc","line":88,"message":"message"}            (on one line)
//
// The only byte below 0x20 in a line is the newline at its end, whatever the message holds.
//
// Thread: one thread
// Owner:  Output
// Life:   that of its owner
// Bounds: the escaped message has at most line_max bytes; a longer one ends in kCutMark
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "ssxrver/base/clock.h"
#include "ssxrver/base/log.h"
#include "ssxrver/log/civil_time.h"
#include "ssxrver/log/options.h"

namespace ssx::log {

inline constexpr std::string_view kCutMark = " [cut]";

struct Line {
  WallTime time;
  Level level;
  std::uint32_t thread;
  std::string_view module;
  const char* file;  ///< terminated: spdlog's patterns want it so
  std::uint32_t line;
  std::string_view message;  ///< as it was made: nothing escaped
  bool cut = false;          ///< a part is missing already
};

class LineFormatter {
 public:
  explicit LineFormatter(const LogOptions& options);
  ~LineFormatter();

  /// Appends the line and its newline.
  void append(const Line& line, std::string& out);
  /// Only the message, escaped and bounded, and its newline: a line sink's.
  void append_plain(std::string_view message, bool cut, std::string& out);
  /// Any thread: lines that ended in kCutMark.
  [[nodiscard]] std::uint64_t cut() const noexcept { return cut_.load(std::memory_order_relaxed); }

  /// Where the level's name stands in what append() made last, for colours; empty: nowhere.
  struct Range {
    std::size_t start = 0;
    std::size_t end = 0;
  };
  [[nodiscard]] Range level_range() const noexcept { return level_; }

 private:
  class Pattern;

  void append_text(const Line& line, std::string& out);
  void append_json(const Line& line, std::string& out);
  void append_message(std::string_view message, bool cut, LineFormat format, std::string& out);

  const LineFormat format_;
  const std::size_t line_max_;
  CivilTime civil_;
  Range level_;
  std::atomic<std::uint64_t> cut_{0};
  std::unique_ptr<Pattern> pattern_;  // null unless options.pattern is set
};

}  // namespace ssx::log
