// Which media type a client would rather have: Accept with its weights (RFC 9110 12.5.1). Content
// codings are accept_encoding.h's.
//
// Thread: pure functions
// Owner:  -
// Life:   -
// Bounds: linear in the field for each thing that is offered; malformed members are skipped
//
// Several lines of a field are one list: join them with "," before.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace ssx::http {

/// Weights are in thousandths: "q=0.5" is 500. 0 says "not this".
inline constexpr int kQualityMax = 1000;

/// How much a media type ("text/html", parameters allowed) is wanted: the weight of the most
/// specific member that names it (12.5.1). A field without members wants everything.
[[nodiscard]] int media_type_quality(std::string_view accept, std::string_view type) noexcept;

/// The index of the best of `offered`, the first of equals; nothing when none is acceptable (406).
[[nodiscard]] std::optional<std::size_t> best_media_type(
    std::string_view accept, std::span<const std::string_view> offered) noexcept;

}  // namespace ssx::http
