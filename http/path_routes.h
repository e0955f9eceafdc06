// The routes of one path: which of them a method chooses.
//
// Thread: add() while one thread has the Router; the rest any thread after
// Owner:  a RouteTree
// Life:   that of the tree
// Bounds: one route per method, and one for every method
#pragma once

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "http/method.h"
#include "http/route.h"
#include "ssxrver/base/result.h"

namespace ssx::http {

class PathRoutes {
 public:
  /// Two patterns that differ only in the names of their placeholders are the same path, so the
  /// names belong here.
  explicit PathRoutes(std::vector<std::string> names) noexcept : names_(std::move(names)) {}

  /// `methods` empty: every method. kInvalidArgument for a route that is there already.
  Result<void> add(const std::vector<Method>& methods, const std::shared_ptr<const Route>& route);

  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }
  /// GET serves HEAD as well. Null: there is none for this method.
  [[nodiscard]] const Route* find(Method method) const noexcept;
  /// What Allow says: with HEAD where there is GET, and always with OPTIONS.
  [[nodiscard]] MethodSet allowed() const noexcept;
  /// For the methods that no route is for; or null.
  [[nodiscard]] const Route* fallback() const noexcept { return fallback_.get(); }

 private:
  std::vector<std::string> names_;
  std::array<std::shared_ptr<const Route>, kMethodCount> by_method_;
  std::shared_ptr<const Route> any_method_;
  std::unique_ptr<const Route> fallback_;
};

/// Those that the parser lets through.
inline constexpr MethodSet kEveryMethod =
    method_bit(Method::kGet) | method_bit(Method::kHead) | method_bit(Method::kPost) |
    method_bit(Method::kPut) | method_bit(Method::kDelete) | method_bit(Method::kOptions) |
    method_bit(Method::kTrace) | method_bit(Method::kPatch);

[[nodiscard]] constexpr MethodSet with_head(MethodSet set) noexcept {
  return set & method_bit(Method::kGet) ? set | method_bit(Method::kHead) : set;
}

}  // namespace ssx::http
