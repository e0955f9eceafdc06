#include "ssxrver/log/line_format.h"

#include <fmt/format.h>
#include <spdlog/pattern_formatter.h>

#include <algorithm>
#include <iterator>

namespace ssx::log {
namespace {

constexpr char kHex[] = "0123456789abcdef";

/// What stands for one byte that may not stand as it is.
class Escape {
 public:
  Escape(unsigned char byte, LineFormat format) {
    if (format == LineFormat::kText || byte >= 0x80) {
      // In JSON, \u00ff would name the character U+00FF, which is not what the byte was.
      if (format == LineFormat::kJson) put('\\');
      put('\\');
      put('x');
    } else if (byte == '"' || byte == '\\') {
      put('\\');
      put(static_cast<char>(byte));
      return;
    } else {
      for (const char c : std::string_view("\\u00")) put(c);
    }
    put(kHex[byte >> 4]);
    put(kHex[byte & 15]);
  }
  [[nodiscard]] std::string_view text() const { return {text_, size_}; }

 private:
  void put(char c) { text_[size_++] = c; }
  char text_[8] = {};
  std::size_t size_ = 0;
};

void append_number(std::uint32_t number, std::string& out) {
  const fmt::format_int digits(number);
  out.append(digits.data(), digits.size());
}

bool is_plain_ascii(char c, LineFormat format) {
  if (static_cast<unsigned char>(c - 0x20) >= 0x5F) return false;
  return format == LineFormat::kText || (c != '"' && c != '\\');
}

/// Appends as much of `message` as `room` bytes hold, escaped; never half an escape or half a
/// character. True when all of it fitted.
bool append_bounded(std::string_view message, LineFormat format, std::size_t room,
                    std::string& out) {
  while (!message.empty()) {
    const auto* const end = std::find_if(message.begin(), message.end(),
                                         [format](char c) { return !is_plain_ascii(c, format); });
    const auto plain = static_cast<std::size_t>(end - message.begin());
    out.append(message.substr(0, std::min(plain, room)));
    if (plain > room) return false;
    room -= plain;
    message.remove_prefix(plain);
    if (message.empty()) return true;

    const auto first = static_cast<unsigned char>(message.front());
    const std::size_t whole = first < 0x80 ? 0 : printable_length(message);
    const Escape escape(first, format);
    const std::string_view unit = whole != 0 ? message.substr(0, whole) : escape.text();
    if (unit.size() > room) return false;
    out.append(unit);
    room -= unit.size();
    message.remove_prefix(whole != 0 ? whole : 1);
  }
  return true;
}

spdlog::level::level_enum spdlog_level(Level level) {
  return static_cast<spdlog::level::level_enum>(level);
}
static_assert(static_cast<int>(Level::kTrace) == SPDLOG_LEVEL_TRACE &&
              static_cast<int>(Level::kWarn) == SPDLOG_LEVEL_WARN &&
              static_cast<int>(Level::kFatal) == SPDLOG_LEVEL_CRITICAL &&
              static_cast<int>(Level::kOff) == SPDLOG_LEVEL_OFF);

}  // namespace

class LineFormatter::Pattern {
 public:
  Pattern(const std::string& pattern, TimeZone zone)
      : formatter_(pattern,
                   zone == TimeZone::kUtc ? spdlog::pattern_time_type::utc
                                          : spdlog::pattern_time_type::local,
                   "\n") {}

  Range append(const Line& line, std::string_view escaped, std::string& out) {
    using TimePoint = spdlog::log_clock::time_point;
    spdlog::details::log_msg message(std::chrono::time_point_cast<TimePoint::duration>(line.time),
                                     {line.file, static_cast<int>(line.line), ""},
                                     {line.module.data(), line.module.size()},
                                     spdlog_level(line.level), {escaped.data(), escaped.size()});
    message.thread_id = line.thread;
    buffer_.clear();
    formatter_.format(message, buffer_);
    const std::size_t start = out.size();
    out.append(buffer_.data(), buffer_.size());
    return {start + message.color_range_start, start + message.color_range_end};
  }

 private:
  spdlog::pattern_formatter formatter_;
  spdlog::memory_buf_t buffer_;
};

LineFormatter::LineFormatter(const LogOptions& options)
    : format_(options.format),
      line_max_(options.line_max),
      civil_(options.time),
      pattern_(options.pattern.empty() ? nullptr
                                       : std::make_unique<Pattern>(options.pattern, options.time)) {
}

LineFormatter::~LineFormatter() = default;

void LineFormatter::append_message(std::string_view message, bool cut, LineFormat format,
                                   std::string& out) {
  const std::size_t start = out.size();
  if (append_bounded(message, format, line_max_, out) && !cut) return;
  // Once more with room for the mark: lines that are cut are rare.
  out.resize(start);
  append_bounded(message, format, line_max_ - kCutMark.size(), out);
  out.append(kCutMark);
  cut_.store(this->cut() + 1, std::memory_order_relaxed);
}

void LineFormatter::append(const Line& line, std::string& out) {
  if (pattern_ != nullptr) {
    std::string escaped;
    append_message(line.message, line.cut, LineFormat::kText, escaped);
    level_ = pattern_->append(line, escaped, out);
  } else if (format_ == LineFormat::kJson) {
    append_json(line, out);
  } else {
    append_text(line, out);
  }
}

void LineFormatter::append_plain(std::string_view message, bool cut, std::string& out) {
  append_message(message, cut, LineFormat::kText, out);
  out += '\n';
}

void LineFormatter::append_text(const Line& line, std::string& out) {
  civil_.append(line.time, ' ', out);
  if (civil_.is_utc()) out += 'Z';
  out += ' ';
  const std::string_view level = to_string(line.level);
  level_ = {out.size(), out.size() + level.size()};
  out.append(level).append(level.size() < 5 ? 6 - level.size() : 1, ' ');
  append_number(line.thread, out);
  out += ' ';
  out.append(line.module) += '/';
  out.append(line.file) += ':';
  append_number(line.line, out);
  out.append(": ");
  append_message(line.message, line.cut, LineFormat::kText, out);
  out += '\n';
}

void LineFormatter::append_json(const Line& line, std::string& out) {
  level_ = {};
  out.append(R"({"time":")");
  civil_.append(line.time, 'T', out);
  civil_.append_offset(line.time, out);
  out.append(R"(","level":")").append(to_string(line.level));
  out.append(R"(","thread":)");
  append_number(line.thread, out);
  out.append(R"(,"module":")");
  append_bounded(line.module, LineFormat::kJson, line.module.size() * 6, out);
  out.append(R"(","file":")");
  append_bounded(line.file, LineFormat::kJson, std::string_view(line.file).size() * 6, out);
  out.append(R"(","line":)");
  append_number(line.line, out);
  out.append(R"(,"message":")");
  append_message(line.message, line.cut, LineFormat::kJson, out);
  out.append("\"}\n");
}

}  // namespace ssx::log
