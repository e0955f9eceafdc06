// Where in a request something stands, and what is wrong with it there.
//
// Thread: one
// Owner:  the functions that go down the request; each place looks at the one above
// Life:   that of the calls
// Bounds: a step is shown with at most 64 bytes
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ssxrver/db/error.h"

namespace ssx::db::internal {

class Place {
 public:
  /// The request itself.
  Place() noexcept = default;
  Place(const Place& above, std::string_view key) noexcept : above_(&above), step_(key) {}
  Place(const Place& above, std::size_t index) noexcept : above_(&above), step_(index) {}

  /// A JSON pointer (RFC 6901); "" is the request.
  [[nodiscard]] std::string pointer() const;
  [[nodiscard]] bool is_request() const noexcept { return above_ == nullptr; }

 private:
  const Place* above_ = nullptr;
  std::variant<std::size_t, std::string_view> step_;
};

/// kInvalidRequest: "/data/agee: no column ...".
UnexpectedOf<Failure> refuse(const Place& place, std::string_view what);
/// kRequestTooLarge: "/data: more than 64 comparisons (conditions_max)".
UnexpectedOf<Failure> too_much(const Place& place, std::size_t most, std::string_view of_what,
                               std::string_view limit);

/// A name as a sender wrote it, in quotes and bounded.
[[nodiscard]] std::string shown(std::string_view name);
/// `; did you mean "age"?`, or `; expected one of "id", "age"` when nothing is near and they are
/// few, or nothing.
[[nodiscard]] std::string hint(std::string_view name, const std::vector<std::string_view>& known);

}  // namespace ssx::db::internal
