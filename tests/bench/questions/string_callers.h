// Who calls the functions of string_callees.h with what: a literal, a string, a part of a text.
//
// Thread: pure functions
// Owner:  -
// Life:   the call
// Bounds: -
#pragma once

#include <string>
#include <string_view>

namespace ssx::questions {

[[nodiscard]] unsigned literal_to_view();
[[nodiscard]] unsigned literal_to_string();
[[nodiscard]] unsigned long_literal_to_view();
[[nodiscard]] unsigned long_literal_to_string();
[[nodiscard]] unsigned string_to_view(const std::string& text);
[[nodiscard]] unsigned string_to_string(const std::string& text);
[[nodiscard]] unsigned slice_to_view(std::string_view text);
[[nodiscard]] unsigned slice_to_string(std::string_view text);

}  // namespace ssx::questions
