#include "http/route_pattern.h"

#include <algorithm>
#include <utility>

#include "http/params.h"
#include "ssxrver/base/strings.h"

namespace ssx::http {
namespace {

using Kind = PatternPart::Kind;

Error not_a_pattern() { return Error(ssx::Errc::kInvalidArgument, "route pattern"); }

bool is_name(std::string_view text) noexcept {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  });
}

Result<PatternPart> parse_segment(std::string_view text) {
  if (text == "*") return PatternPart{Kind::kRest, "rest"};
  // Normalised paths have no such segments.
  if (text == "." || text == "..") return fail(not_a_pattern());
  if (text.find_first_of("{}*") == std::string_view::npos) return PatternPart{Kind::kLiteral, text};
  if (text.size() < 3 || text.front() != '{' || text.back() != '}') return fail(not_a_pattern());
  std::string_view name = text.substr(1, text.size() - 2);
  const bool is_rest = name.ends_with("...");
  if (is_rest) name.remove_suffix(3);
  if (!is_name(name)) return fail(not_a_pattern());
  return PatternPart{is_rest ? Kind::kRest : Kind::kPlaceholder, name};
}

// Nothing follows a rest; only the last segment may be empty, which is a final slash; and every
// placeholder has a name of its own.
bool may_follow(const std::vector<PatternPart>& before, const PatternPart& next) {
  if (!before.empty() && (before.back().kind == Kind::kRest || before.back().text.empty()))
    return false;
  return next.kind == Kind::kLiteral ||
         std::none_of(before.begin(), before.end(), [&next](const PatternPart& earlier) {
           return earlier.kind != Kind::kLiteral && earlier.text == next.text;
         });
}

Result<std::vector<PatternPart>> parse_segments(std::string_view text) {
  std::vector<PatternPart> segments;
  Result<void> parsed;
  for_each_part(text, '/', [&](std::string_view segment) {
    if (!parsed) return;
    const auto next = parse_segment(segment);
    if (!next || !may_follow(segments, *next)) {
      parsed = fail(not_a_pattern());
      return;
    }
    segments.push_back(*next);
  });
  if (!parsed) return fail(parsed.error());
  return segments;
}

// Literals with the slashes around them.
std::vector<PatternPart> join(std::string_view text, const std::vector<PatternPart>& segments) {
  std::vector<PatternPart> parts;
  const char* literal = text.data();
  const auto end_literal = [&](const char* end) {
    if (end > literal)
      parts.push_back({Kind::kLiteral, {literal, static_cast<std::size_t>(end - literal)}});
  };
  std::size_t at = 0;
  for (const PatternPart& segment : segments) {
    const std::size_t end = std::min(text.find('/', at), text.size());
    if (segment.kind != Kind::kLiteral) {
      end_literal(text.data() + at);
      parts.push_back(segment);
      literal = text.data() + end;
    }
    at = end + 1;
  }
  end_literal(text.data() + text.size());
  return parts;
}

}  // namespace

Result<RoutePattern> RoutePattern::parse(std::string_view text) {
  if (text.empty() || text.front() != '/') return fail(not_a_pattern());
  text.remove_prefix(1);
  SSX_TRY(const auto segments, parse_segments(text));
  const auto placeholders =
      std::count_if(segments.begin(), segments.end(),
                    [](const PatternPart& part) { return part.kind != Kind::kLiteral; });
  if (placeholders > static_cast<std::ptrdiff_t>(Params::kMax))
    return fail(ssx::Errc::kOverflow, "route pattern");
  return RoutePattern(join(text, segments));
}

std::vector<std::string> RoutePattern::names() const {
  std::vector<std::string> names;
  for (const PatternPart& part : parts_) {
    if (part.kind != Kind::kLiteral) names.emplace_back(part.text);
  }
  return names;
}

}  // namespace ssx::http
