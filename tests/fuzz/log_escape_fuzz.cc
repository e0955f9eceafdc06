// Log lines (K15): whatever a peer makes us log, no byte below 0x20 comes before the newline at the
// end, no line is longer than it may be, JSON stays JSON, and what was copied is what is shown.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "ssxrver/base/assert.h"
#include "ssxrver/base/log.h"
#include "ssxrver/json/json.h"
#include "ssxrver/log/line_format.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace ssx::log;

constexpr std::size_t kLineMax = 256;

Line line_with(std::string_view message, bool cut) {
  return {.time = ssx::WallTime(std::chrono::seconds(784111777)),
          .level = Level::kInfo,
          .thread = 1,
          .module = "net",
          .file = "loop.cc",
          .line = 88,
          .message = message,
          .cut = cut};
}

LineFormatter& formatter(LineFormat format, const char* pattern) {
  LogOptions options;
  options.format = format;
  options.pattern = pattern;
  options.time = TimeZone::kUtc;
  options.line_max = kLineMax;
  static LineFormatter text(options);
  options.format = LineFormat::kJson;
  static LineFormatter json(options);
  options.pattern = "%l %v";
  static LineFormatter patterned(options);
  if (*pattern != '\0') return patterned;
  return format == LineFormat::kJson ? json : text;
}

bool is_clean(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte != 0x7F;
}

/// A control character of two bytes, U+0080 .. U+009F: shown as \\xc2\\x9b, even in JSON.
bool has_c1(std::string_view text) {
  for (std::size_t at = text.find('\xc2'); at != std::string_view::npos;
       at = text.find('\xc2', at + 1)) {
    if (at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) < 0xA0) return true;
  }
  return false;
}

void check_line(const std::string& line, std::size_t room) {
  SSX_ASSERT(!line.empty() && line.back() == '\n', line);
  SSX_ASSERT(std::all_of(line.begin(), line.end() - 1, is_clean), line);
  SSX_ASSERT(line.size() <= room, line.size(), room);
  SSX_ASSERT(ssx::json::is_utf8(line), line);
  SSX_ASSERT(!has_c1(line), line);
}

std::string formatted(LineFormatter& with, std::string_view message, bool cut) {
  std::string line;
  with.append(line_with(message, cut), line);
  return line;
}

void check_json(const std::string& line, std::string_view message, bool cut) {
  const auto document = ssx::json::parse(line);
  SSX_ASSERT(document.has_value(), line);
  const ssx::json::Value* const shown = document->root.find("message");
  SSX_ASSERT(shown != nullptr && shown->string() != nullptr, line);
  if (cut || message.size() * 6 > kLineMax || !ssx::json::is_utf8(message)) return;
  SSX_ASSERT(has_c1(message) || *shown->string() == message, *shown->string());
}

void check_formats(std::string_view message, bool cut) {
  LineFormatter& text = formatter(LineFormat::kText, "");
  LineFormatter& json = formatter(LineFormat::kJson, "");
  check_line(formatted(text, message, cut), formatted(text, "", false).size() + kLineMax);
  check_line(formatted(formatter(LineFormat::kText, "%l %v"), message, cut), kLineMax + 6);
  const std::string object = formatted(json, message, cut);
  check_line(object, formatted(json, "", false).size() + kLineMax);
  check_json(object, message, cut);

  std::string plain;
  text.append_plain(message, cut, plain);
  check_line(plain, kLineMax + 1);
  std::string escaped;
  append_escaped(message, escaped);
  SSX_ASSERT(cut || escaped.size() > kLineMax || plain == escaped + "\n", plain, escaped);
}

std::string* taken = nullptr;
constexpr Backend kTake{make_record,
                        +[](const Slot& slot) noexcept {
                          format_message(*header_of(slot), slot.arguments, *taken);
                          free_record(slot);
                        },
                        nullptr};

/// Copied into a record and formatted later, or formatted at once: the same.
void check_record(std::string_view message) {
  std::string later;
  taken = &later;
  set_backend(&kTake);
  set_level(Level::kInfo);
  set_line_max(1 << 20);
  const double real = static_cast<double>(message.size()) / 3;
  SSX_LOG_INFO("{}|{:>10}|{:x}|{}|{}", message, message.substr(0, 3), message.size(), real,
               message.empty());
  set_backend(nullptr);
  SSX_ASSERT(later == fmt::format("{}|{:>10}|{:x}|{}|{}", message, message.substr(0, 3),
                                  message.size(), real, message.empty()),
             later);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = ssx::fuzz::text(data, size);
  check_formats(bytes, false);
  check_formats(bytes, true);
  check_record(bytes);
  return 0;
}
