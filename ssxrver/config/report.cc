#include "ssxrver/config/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ssxrver/base/assert.h"

namespace ssx::config {

std::uint32_t Sources::add(Source source) {
  all_.push_back(std::move(source));
  return static_cast<std::uint32_t>(all_.size() - 1);
}

const Source& Sources::at(const json::Origin& origin) const {
  SSX_ASSERT(origin.source < all_.size(), origin.source);
  return all_[origin.source];
}

std::string Sources::place(const json::Origin& origin) const {
  const Source& source = at(origin);
  if (source.is_override) return source.name;
  const auto where = json::locate(source.text, origin.offset);
  return fmt::format("{}:{}:{}", source.name, where.line, where.column);
}

void Problems::add(Problem problem) {
  if (++counts_[problem.weight] <= kProblemsMax) all_.push_back(std::move(problem));
}

void Problems::add_error(const json::Origin& origin, std::string pointer, std::string text) {
  add({kError, origin, std::move(pointer), std::move(text)});
}

void Problems::add_slip(const json::Origin& origin, std::string pointer, std::string text) {
  add({kSlip, origin, std::move(pointer), std::move(text)});
}

void Problems::add_warning(const json::Origin& origin, std::string pointer, std::string text) {
  add({kWarning, origin, std::move(pointer), std::move(text)});
}

std::vector<std::string> Problems::sentences(const Sources& sources, Weight weight,
                                             bool with_slips) const {
  std::vector<const Problem*> chosen;
  for (const Problem& problem : all_) {
    const bool is_wanted = problem.weight == weight || (with_slips && problem.weight == kSlip);
    if (is_wanted) chosen.push_back(&problem);
  }
  std::stable_sort(chosen.begin(), chosen.end(),
                   [](const Problem* a, const Problem* b) { return a->origin < b->origin; });
  std::vector<std::string> lines;
  for (const Problem* problem : chosen) {
    const char* colon = problem->pointer.empty() ? "" : ": ";
    lines.push_back(fmt::format("{}: {}{}{}", sources.place(problem->origin), problem->pointer,
                                colon, problem->text));
  }
  const std::size_t all = counts_[weight] + (with_slips ? counts_[kSlip] : 0);
  if (all > lines.size())
    lines.push_back(fmt::format("and {} more like these", all - lines.size()));
  return lines;
}

std::vector<std::string> Problems::errors(const Sources& sources, Strictness strict) const {
  return sentences(sources, kError, strict == Strictness::kError);
}

std::vector<std::string> Problems::warnings(const Sources& sources, Strictness strict) const {
  return sentences(sources, kWarning, strict == Strictness::kWarn);
}

}  // namespace ssx::config
