// "Did you mean ...?": the known word nearest to a mistyped one.
//
// Thread: any thread
// Owner:  a view of one of the candidates
// Life:   that of the candidates
// Bounds: words longer than 64 bytes have no neighbour
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace ssx {

/// Letters inserted, deleted, replaced, or swapped with their neighbour; case does not count.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The nearest candidate within a third of the word's length (at least 1), or an empty view.
[[nodiscard]] std::string_view nearest(std::string_view word,
                                       const std::vector<std::string_view>& candidates);

}  // namespace ssx
