// The pattern of a route, taken apart: "/users/{id}/*" is "users/", {id}, "/", and the rest.
//
// Thread: pure functions
// Owner:  -
// Life:   views into the text of the pattern
// Bounds: Params::kMax placeholders
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ssxrver/base/result.h"

namespace ssx::http {

struct PatternPart {
  enum class Kind : std::uint8_t {
    kLiteral,      ///< these bytes, slashes and all
    kPlaceholder,  ///< one segment that is not empty
    kRest,         ///< whatever is left, at the end only
  };
  Kind kind;
  std::string_view text;  ///< the literal, or the name
};

class RoutePattern {
 public:
  /// kInvalidArgument for what is no pattern or what no normalised path can match, kOverflow for
  /// too many placeholders.
  static Result<RoutePattern> parse(std::string_view text);

  /// Behind the first slash, which all patterns have. Two literals never follow each other.
  [[nodiscard]] const std::vector<PatternPart>& parts() const noexcept { return parts_; }
  /// Of the placeholders and the rest, in their order.
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  explicit RoutePattern(std::vector<PatternPart> parts) noexcept : parts_(std::move(parts)) {}

  std::vector<PatternPart> parts_;
};

}  // namespace ssx::http
