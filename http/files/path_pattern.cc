#include "http/files/path_pattern.h"

namespace ssx::http {
namespace {

// Where the text behind a star does not fit, the latest star takes one byte more; earlier ones need
// not be looked at again.
bool matches(std::string_view pattern, std::string_view text) noexcept {
  constexpr auto kNone = std::string_view::npos;
  std::size_t in_pattern = 0;
  std::size_t in_text = 0;
  std::size_t star = kNone;
  std::size_t star_end = 0;
  while (in_text < text.size()) {
    if (in_pattern < pattern.size() && pattern[in_pattern] == '*') {
      star = in_pattern++;
      star_end = in_text;
    } else if (in_pattern < pattern.size() && pattern[in_pattern] == text[in_text]) {
      ++in_pattern;
      ++in_text;
    } else if (star != kNone) {
      in_pattern = star + 1;
      in_text = ++star_end;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', in_pattern) == kNone;
}

}  // namespace

bool matches_path(std::string_view pattern, std::string_view path) noexcept {
  if (pattern.find('/') == std::string_view::npos) path = path.substr(path.rfind('/') + 1);
  return matches(pattern, path);
}

std::string_view find_cache_control(const std::vector<CacheRule>& rules,
                                    std::string_view path) noexcept {
  for (const CacheRule& rule : rules) {
    if (matches_path(rule.match, path)) return rule.value;
  }
  return {};
}

}  // namespace ssx::http
