#include "ssxrver/log/options.h"

#include <algorithm>
#include <cctype>

namespace ssx::log {
namespace {

constexpr std::size_t kBaseNameMax = 200;  // with the stamp well below NAME_MAX
constexpr std::size_t kPatternMax = 1024;

bool has_control_byte(const std::string& text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

bool is_file_name(const std::string& name) {
  return !name.empty() && name.size() <= kBaseNameMax && name != "." && name != ".." &&
         name.find('/') == std::string::npos && !has_control_byte(name);
}

bool are_module_levels(const LogOptions& options) {
  return options.levels.size() <= kModuleLevelsMax &&
         std::all_of(options.levels.begin(), options.levels.end(), [](const auto& entry) {
           return !entry.first.empty() && entry.first.size() <= kModuleNameMax;
         });
}

}  // namespace

Result<void> validate(const LogOptions& options) {
  const struct {
    bool holds;
    const char* key;
  } rules[] = {
      {are_module_levels(options), "log.levels"},
      {options.line_max >= 256 && options.line_max <= 65536, "log.line_max"},
      {is_file_name(options.base_name), "log.base_name"},
      // A newline in the pattern would split a line in two.
      {options.pattern.size() <= kPatternMax && !has_control_byte(options.pattern), "log.pattern"},
      {options.path.find('\0') == std::string::npos, "log.path"},
      {options.flush.count() >= 1 && options.flush.count() <= 3600, "log.flush_second"},
      {options.roll_size >= 4096, "log.roll_size"},
      {options.buffers >= 2 && options.buffers <= 1024, "log.buffers"},
      {options.ring_size >= 4 * options.line_max && options.ring_size <= (64U << 20),
       "log.ring_size"},
  };
  for (const auto& rule : rules) {
    if (!rule.holds) return fail(Errc::kInvalidArgument, rule.key);
  }
  return {};
}

}  // namespace ssx::log
