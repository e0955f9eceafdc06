// The same two questions about a text, asked by view and by reference to a string.
//
// Thread: pure functions
// Owner:  -
// Life:   the call
// Bounds: -
//
// In a source of their own, so that neither is inlined into what calls it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ssx::questions {

[[nodiscard]] unsigned ends_by_view(std::string_view text) noexcept;
[[nodiscard]] unsigned ends_by_string(const std::string& text) noexcept;

}  // namespace ssx::questions
