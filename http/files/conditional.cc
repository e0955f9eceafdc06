#include "http/files/conditional.h"

#include <optional>

#include "http/date.h"
#include "ssxrver/base/strings.h"

namespace ssx::http {
namespace {

constexpr std::string_view kWeakMark = "W/";

bool any_line_matches(const Fields& fields, FieldName name, std::string_view etag,
                      Comparison comparison) {
  for (std::size_t i = fields.next(name, 0); i < fields.size(); i = fields.next(name, i + 1)) {
    if (matches_any(fields[i].value, etag, comparison)) return true;
  }
  return false;
}

// A field that holds one value and came twice, or holds no date, is as good as none (13.1.3).
std::optional<std::int64_t> date_of(const Fields& fields, FieldName name, std::int64_t now) {
  if (!fields.contains(name)) return std::nullopt;
  const std::size_t at = fields.next(name, 0);
  if (fields.next(name, at + 1) != fields.size()) return std::nullopt;
  const auto date = parse_date(fields[at].value, now);
  if (!date) return std::nullopt;
  return *date;
}

bool may_go_on(const Fields& fields, const Validators& current) {
  if (fields.contains(FieldName::kIfMatch)) {
    return any_line_matches(fields, FieldName::kIfMatch, current.etag, Comparison::kStrong);
  }
  const auto since = date_of(fields, FieldName::kIfUnmodifiedSince, current.modified);
  return !since || current.modified <= *since;
}

}  // namespace

Precondition evaluate(const Fields& fields, Method method, const Validators& current) {
  const bool is_conditional =
      fields.contains(FieldName::kIfMatch) || fields.contains(FieldName::kIfUnmodifiedSince) ||
      fields.contains(FieldName::kIfNoneMatch) || fields.contains(FieldName::kIfModifiedSince);
  if (!is_conditional) return Precondition::kGoOn;  // mostly
  if (!may_go_on(fields, current)) return Precondition::kFailed;
  const bool is_read = method == Method::kGet || method == Method::kHead;
  if (fields.contains(FieldName::kIfNoneMatch)) {
    if (!any_line_matches(fields, FieldName::kIfNoneMatch, current.etag, Comparison::kWeak))
      return Precondition::kGoOn;
    return is_read ? Precondition::kNotModified : Precondition::kFailed;
  }
  if (!is_read) return Precondition::kGoOn;
  const auto since = date_of(fields, FieldName::kIfModifiedSince, current.modified);
  return since && current.modified <= *since ? Precondition::kNotModified : Precondition::kGoOn;
}

bool if_range_holds(const Fields& fields, const Validators& current, std::int64_t now) {
  const std::size_t at = fields.next(FieldName::kIfRange, 0);
  if (at == fields.size()) return true;
  if (fields.next(FieldName::kIfRange, at + 1) != fields.size()) return false;
  const std::string_view value = fields[at].value;
  if (value.ends_with('"')) {  // one tag, strong, and the current one
    return !current.etag.starts_with(kWeakMark) && value == current.etag;
  }
  const auto date = parse_date(value, now);
  return date && !current.etag.empty() && *date == current.modified && current.modified < now;
}

// Entity tags may hold commas, so the list is read tag by tag and not cut at commas.
bool matches_any(std::string_view list, std::string_view etag, Comparison comparison) {
  list = trim(list);
  if (list == "*") return true;
  const bool is_strong = comparison == Comparison::kStrong;
  if (etag.starts_with(kWeakMark)) {
    if (is_strong) return false;
    etag.remove_prefix(kWeakMark.size());
  }
  while (!list.empty()) {
    list = trim(list);
    if (list.starts_with(',')) {
      list.remove_prefix(1);
      continue;
    }
    const bool is_weak = list.starts_with(kWeakMark);
    if (is_weak) list.remove_prefix(kWeakMark.size());
    if (!list.starts_with('"')) return false;
    const auto end = list.find('"', 1);
    if (end == std::string_view::npos) return false;
    const bool counts = !etag.empty() && !(is_weak && is_strong);
    if (counts && list.substr(0, end + 1) == etag) return true;
    list.remove_prefix(end + 1);
  }
  return false;
}

}  // namespace ssx::http
