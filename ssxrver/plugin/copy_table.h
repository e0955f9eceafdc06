// A table of the border as far as both sides know it.
//
// Thread: any
// Owner:  the caller
// Life:   a copy; what its pointers point to lives as long as it did
// Bounds: sizeof(Table)
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace ssx {

/// `given` as its maker's `size` says that it is; what he does not know of is 0.
template <class Table>
[[nodiscard]] Table copy_table(const Table& given) noexcept {
  Table copy{};
  std::memcpy(&copy, &given, std::min<std::size_t>(given.size, sizeof(Table)));
  copy.size = sizeof(Table);
  return copy;
}

}  // namespace ssx
