#include "http/files/conditional.h"

#include "http/date.h"
#include "ssxrver/base/strings.h"

namespace ssx::http {

bool is_not_modified(const Request& request, std::string_view etag, std::int64_t modified) {
  const Fields& fields = request.fields();
  if (fields.contains(FieldName::kIfNoneMatch)) {
    for (std::size_t i = fields.next(FieldName::kIfNoneMatch, 0); i < fields.size();
         i = fields.next(FieldName::kIfNoneMatch, i + 1)) {
      if (matches_any(fields[i].value, etag)) return true;
    }
    return false;
  }
  const auto since = fields.find(FieldName::kIfModifiedSince);
  if (!since) return false;
  const auto time = parse_date(*since, modified);
  return time && modified <= *time;
}

// Entity tags may hold commas, so the list is read tag by tag and not cut at commas.
bool matches_any(std::string_view list, std::string_view etag) {
  list = trim(list);
  if (list == "*") return true;
  if (etag.starts_with("W/")) etag.remove_prefix(2);
  while (!list.empty()) {
    list = trim(list);
    if (list.starts_with(',')) {
      list.remove_prefix(1);
      continue;
    }
    if (list.starts_with("W/")) list.remove_prefix(2);
    if (!list.starts_with('"')) return false;
    const auto end = list.find('"', 1);
    if (end == std::string_view::npos) return false;
    if (!etag.empty() && list.substr(0, end + 1) == etag) return true;
    list.remove_prefix(end + 1);
  }
  return false;
}

}  // namespace ssx::http
