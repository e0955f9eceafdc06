// Patterns that name files: "*.css", "/assets/*".
//
// Thread: pure functions
// Owner:  -
// Life:   -
// Bounds: pattern x path steps
#pragma once

#include <string_view>
#include <vector>

#include "http/options.h"

namespace ssx::http {

/// `*` stands for any text, slashes too; everything else for itself. A pattern with a "/" is held
/// against the whole of `path`, which begins with "/"; one without against its last segment.
[[nodiscard]] bool matches_path(std::string_view pattern, std::string_view path) noexcept;

/// What Cache-Control says of `path` by the first rule that matches; empty: nothing.
[[nodiscard]] std::string_view find_cache_control(const std::vector<CacheRule>& rules,
                                                  std::string_view path) noexcept;

}  // namespace ssx::http
