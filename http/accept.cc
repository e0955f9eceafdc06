#include "http/accept.h"

#include <algorithm>

#include "http/media_type.h"
#include "ssxrver/base/strings.h"

namespace ssx::http {
namespace {

constexpr int kNoQuality = -1;

// RFC 9110 12.4.2: "0" or "1", and up to three decimals. kNoQuality for everything else.
int read_quality(std::string_view text) noexcept {
  if (text.empty() || text.size() > 5 || (text[0] != '0' && text[0] != '1')) return kNoQuality;
  if (text.size() > 1 && text[1] != '.') return kNoQuality;
  int quality = text[0] == '1' ? kQualityMax : 0;
  int place = kQualityMax / 10;
  for (const char byte : text.substr(std::min<std::size_t>(text.size(), 2))) {
    if (byte < '0' || byte > '9') return kNoQuality;
    quality += (byte - '0') * place;
    place /= 10;
  }
  return quality <= kQualityMax ? quality : kNoQuality;
}

// The size of the first member of a list: a comma inside quotes ends none.
std::size_t member_size(std::string_view list) noexcept {
  bool quoted = false;
  for (std::size_t at = 0; at < list.size(); ++at) {
    if (list[at] == '"') quoted = !quoted;
    if (list[at] == '\\' && quoted) ++at;
    if (at < list.size() && list[at] == ',' && !quoted) return at;
  }
  return list.size();
}

template <class Visit>
void for_each_member(std::string_view list, Visit&& visit) {
  while (!list.empty()) {
    const std::size_t size = member_size(list);
    const std::string_view member = trim(list.substr(0, size));
    if (!member.empty()) visit(member);
    list.remove_prefix(std::min(size + 1, list.size()));
  }
}

// A media range, its weight, and whether its parameters (those before "q") are those of `type`.
struct Match {
  int specificity = 0;  // 0 = no match; 1 = */*, 2 = type/*, 3 = type/subtype, more with parameters
  int quality = kQualityMax;
};

Match match_range(std::string_view member, const MediaType& type) {
  const auto range = MediaType::parse(member);
  if (!range) return {};
  Match match;
  if (range->is("*", "*")) {
    match.specificity = 1;
  } else if (range->subtype == "*" && ascii_iequals(range->type, type.type)) {
    match.specificity = 2;
  } else if (range->is(type.type, type.subtype)) {
    match.specificity = 3;
  } else {
    return {};
  }
  for (std::size_t i = 0; i < range->parameters.size(); ++i) {
    const std::string_view name = range->parameters[i].name;
    const auto value = range->parameters.find(name);
    if (ascii_iequals(name, "q")) {
      match.quality = read_quality(*value);
      return match.quality == kNoQuality ? Match() : match;
    }
    const auto offered = type.parameters.find(name);
    if (!offered || !ascii_iequals(*offered, *value)) return {};
    ++match.specificity;
  }
  return match;
}

}  // namespace

int media_type_quality(std::string_view accept, std::string_view type) noexcept {
  const auto offered = MediaType::parse(type);
  if (!offered) return 0;
  if (trim(accept).empty()) return kQualityMax;
  Match best{.specificity = 0, .quality = 0};
  for_each_member(accept, [&best, &offered](std::string_view member) {
    const Match match = match_range(member, *offered);
    if (match.specificity > best.specificity) best = match;
  });
  return best.quality;
}

std::optional<std::size_t> best_media_type(std::string_view accept,
                                           std::span<const std::string_view> offered) noexcept {
  std::optional<std::size_t> best;
  int best_quality = 0;
  for (std::size_t i = 0; i < offered.size(); ++i) {
    const int quality = media_type_quality(accept, offered[i]);
    if (quality > best_quality) best = i, best_quality = quality;
  }
  return best;
}

}  // namespace ssx::http
