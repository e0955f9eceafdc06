#include "http/media_type.h"

#include <algorithm>

#include "http/field_rules.h"
#include "ssxrver/base/strings.h"

namespace ssx::http {

Result<MediaType> MediaType::parse(std::string_view text) noexcept {
  const std::size_t end = std::min(text.find(';'), text.size());
  const std::string_view essence = trim(text.substr(0, end));
  const std::size_t slash = std::min(essence.find('/'), essence.size());
  MediaType media_type;
  media_type.type = essence.substr(0, slash);
  media_type.subtype = essence.substr(std::min(slash + 1, essence.size()));
  const bool is_good = is_token(media_type.type) && is_token(media_type.subtype) &&
                       media_type.parameters.parse(text.substr(end), Backslash::kQuotes);
  if (!is_good) return fail(Errc::kBadMediaType, "MediaType::parse");
  return media_type;
}

bool MediaType::is(std::string_view of_type, std::string_view of_subtype) const noexcept {
  return ascii_iequals(type, of_type) && ascii_iequals(subtype, of_subtype);
}

bool is_type_among(std::string_view content_type,
                   const std::vector<std::string>& patterns) noexcept {
  const std::string_view type = trim(content_type.substr(0, content_type.find(';')));
  return std::any_of(patterns.begin(), patterns.end(), [type](std::string_view pattern) {
    if (!pattern.ends_with("/*")) return ascii_iequals(pattern, type);
    pattern.remove_suffix(1);
    return ascii_iequals(pattern, type.substr(0, pattern.size()));
  });
}

}  // namespace ssx::http
