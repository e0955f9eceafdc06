#include "http/target_template.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "http/method.h"
#include "http/percent.h"
#include "http/target.h"

namespace ssx::http {
namespace {

using What = TargetTemplate::Mistake::What;
constexpr auto npos = std::string_view::npos;

/// Where the path begins: behind "https://host", or at once. npos: neither form.
std::size_t path_begin(std::string_view text, TargetTemplate::Kind kind) noexcept {
  if (text.starts_with('/')) return text.starts_with("//") ? npos : 0;
  if (kind != TargetTemplate::Kind::kUrl) return npos;
  const bool has_scheme = text.starts_with("http://") || text.starts_with("https://");
  if (!has_scheme) return npos;
  return std::min(text.find_first_of("/?", text.find("://") + 3), text.size());
}

/// Whether what is made of it is a target, whatever is put in.
bool is_target(std::string_view text, std::size_t path_at) {
  Target target;
  if (split_target(text, Method::kGet, target) != Errc::kOk) return false;
  const bool has_path = path_at < text.size() && text[path_at] == '/';
  return (!has_path || check_path(target.path) == Errc::kOk) &&
         check_query(target.query) == Errc::kOk;
}

}  // namespace

std::string TargetTemplate::Mistake::text() const {
  switch (what) {
    case What::kNotATarget:
      return "expected a path such as \"/new/{id}\", for redirects also \"https://host/path\"";
    case What::kTooLong:
      return fmt::format("expected at most {} bytes", kSizeMax);
    case What::kBadBrace:
      return "expected \"{\" and \"}\" around names only";
    case What::kUnknownName:
      return fmt::format("{{{}}} is no part of \"match\"", name);
    case What::kInAuthority:
      return fmt::format("{{{}}} would choose the host: it may stand behind its \"/\" only", name);
  }
  return {};
}

Expected<TargetTemplate, TargetTemplate::Mistake> TargetTemplate::parse(
    std::string_view text, const std::vector<std::string>& names, Kind kind) {
  const auto refuse = [](What what, std::string_view name = {}) {
    return tl::unexpected(Mistake{what, std::string(name)});
  };
  if (text.size() > kSizeMax) return refuse(What::kTooLong);
  const std::size_t path_at = path_begin(text, kind);
  if (path_at == npos) return refuse(What::kNotATarget);
  const std::size_t question = text.find('?');
  TargetTemplate made;
  made.has_query_ = question != npos;
  if (question + 1 == text.size()) text.remove_suffix(1);
  std::string probe;
  Part part = path_at > 0 ? Part::kAuthority : Part::kPath;
  for (std::size_t at = 0; at < text.size();) {
    if (part == Part::kAuthority && at == path_at) part = Part::kPath;
    if (part == Part::kPath && at == question) part = Part::kQuery;
    if (text[at] == '}') return refuse(What::kBadBrace);
    if (text[at] == '{') {
      const std::size_t end = text.find('}', at);
      if (end == npos || end == at + 1) return refuse(What::kBadBrace);
      const std::string_view name = text.substr(at + 1, end - at - 1);
      if (name.find('{') != npos) return refuse(What::kBadBrace);
      if (part == Part::kAuthority) return refuse(What::kInAuthority, name);
      if (std::find(names.begin(), names.end(), name) == names.end())
        return refuse(What::kUnknownName, name);
      made.pieces_.push_back({std::string(name), part, true});
      probe += 'x';
      at = end + 1;
      continue;
    }
    std::size_t end = std::min(text.find_first_of("{}", at), text.size());
    if (part == Part::kAuthority) end = std::min(end, path_at);
    if (part == Part::kPath) end = std::min(end, question);
    const std::string_view literal = text.substr(at, end - at);
    made.pieces_.push_back({std::string(literal), part, false});
    probe += literal;
    at = end;
  }
  if (!is_target(probe, path_at)) return refuse(What::kNotATarget);
  return made;
}

void TargetTemplate::append(std::string& out, const Piece& piece, std::string_view text) {
  if (piece.is_name && piece.part == Part::kQuery)
    return append_percent_encoded(out, text, PercentSet::kComponent);
  if (piece.part != Part::kPath) return static_cast<void>(out.append(text));
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('/'), text.size());
    if (piece.is_name) {
      append_percent_encoded(out, text.substr(0, end), PercentSet::kPath);
    } else {
      out.append(text.substr(0, end));
    }
    text.remove_prefix(end);
    if (text.empty()) return;
    if (!out.ends_with('/')) out += '/';
    text.remove_prefix(1);
  }
}

}  // namespace ssx::http
