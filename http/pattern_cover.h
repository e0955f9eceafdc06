// How the paths of two patterns of routes lie to each other: "/api/*" covers "/api/notes/{id}".
//
// Thread: pure functions
// Owner:  -
// Life:   one call
// Bounds: patterns that RoutePattern::parse() takes
#pragma once

#include <string>
#include <string_view>

namespace ssx::http {

/// Every path of `narrow` is one of `wide`.
[[nodiscard]] bool covers(std::string_view wide, std::string_view narrow) noexcept;

/// Some path is of both.
[[nodiscard]] bool overlaps(std::string_view a, std::string_view b) noexcept;

/// The pattern of the paths that two have that overlap.
[[nodiscard]] std::string meet(std::string_view a, std::string_view b);

/// Of two that share a path: whether a Router asks `a` before `b`, because at the first
/// segment in which they differ `a` says more: literal, then {name}, then *.
[[nodiscard]] bool is_more_specific(std::string_view a, std::string_view b) noexcept;

}  // namespace ssx::http
