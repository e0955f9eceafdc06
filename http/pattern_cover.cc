#include "http/pattern_cover.h"

#include <algorithm>
#include <optional>

#include "ssxrver/base/assert.h"

namespace ssx::http {
namespace {

/// In the order in which a Router asks them.
enum class Kind { kLiteral, kPlaceholder, kRest };

struct Segment {
  Kind kind;
  std::string_view text;
};

/// Segment after segment of a pattern.
class Segments {
 public:
  explicit Segments(std::string_view pattern) noexcept : rest_(pattern.substr(1)) {
    SSX_ASSERT(pattern.starts_with('/'));
  }

  std::optional<Segment> next() noexcept {
    if (!rest_) return std::nullopt;
    const std::string_view text = rest_->substr(0, rest_->find('/'));
    const bool is_last = text.size() == rest_->size();
    rest_ = is_last ? std::nullopt : std::optional(rest_->substr(text.size() + 1));
    const bool is_rest = text == "*" || text.ends_with("...}");
    return Segment{is_rest                 ? Kind::kRest
                   : text.starts_with('{') ? Kind::kPlaceholder
                                           : Kind::kLiteral,
                   text};
  }

 private:
  std::optional<std::string_view> rest_;  ///< nothing behind the last one, which may be empty
};

/// A placeholder stands for text that is not empty.
bool takes(const Segment& placeholder, const Segment& other) noexcept {
  return placeholder.kind == Kind::kPlaceholder &&
         (other.kind == Kind::kPlaceholder || !other.text.empty());
}

bool is_same_literal(const Segment& a, const Segment& b) noexcept {
  return a.kind == Kind::kLiteral && b.kind == Kind::kLiteral && a.text == b.text;
}

}  // namespace

bool covers(std::string_view wide, std::string_view narrow) noexcept {
  Segments wides(wide);
  Segments narrows(narrow);
  for (;;) {
    const auto of_wide = wides.next();
    const auto of_narrow = narrows.next();
    if (!of_wide || !of_narrow) return !of_wide && !of_narrow;
    if (of_wide->kind == Kind::kRest) return true;
    if (of_narrow->kind == Kind::kRest) return false;
    if (!is_same_literal(*of_wide, *of_narrow) && !takes(*of_wide, *of_narrow)) return false;
  }
}

bool overlaps(std::string_view a, std::string_view b) noexcept {
  Segments as(a);
  Segments bs(b);
  for (;;) {
    const auto of_a = as.next();
    const auto of_b = bs.next();
    if (!of_a || !of_b) return !of_a && !of_b;
    if (of_a->kind == Kind::kRest || of_b->kind == Kind::kRest) return true;
    const bool meet = is_same_literal(*of_a, *of_b) || takes(*of_a, *of_b) || takes(*of_b, *of_a);
    if (!meet) return false;
  }
}

std::string meet(std::string_view a, std::string_view b) {
  SSX_ASSERT(overlaps(a, b));
  Segments as(a);
  Segments bs(b);
  std::string shared;
  for (;;) {
    auto of_a = as.next();
    auto of_b = bs.next();
    if (!of_a || !of_b) return shared;
    const bool ends_a = of_a->kind == Kind::kRest;
    if (ends_a || of_b->kind == Kind::kRest) {
      Segments& others = ends_a ? bs : as;
      for (auto next = ends_a ? of_b : of_a; next; next = others.next())
        shared.append("/").append(next->text);
      return shared;
    }
    shared.append("/").append(of_a->kind == Kind::kLiteral ? of_a->text : of_b->text);
  }
}

bool is_more_specific(std::string_view a, std::string_view b) noexcept {
  Segments as(a);
  Segments bs(b);
  for (;;) {
    const auto of_a = as.next();
    const auto of_b = bs.next();
    if (!of_a || !of_b) return false;
    if (of_a->kind != of_b->kind) return of_a->kind < of_b->kind;
  }
}

}  // namespace ssx::http
