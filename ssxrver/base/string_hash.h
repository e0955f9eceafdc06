// Looks strings up in hash tables by views of them, without making a string.
//
// Thread: pure
// Owner:  -
// Life:   -
// Bounds: -
//
//   std::unordered_map<std::string, Thing, StringHash, std::equal_to<>> things;
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace ssx {

struct StringHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const noexcept {
    return std::hash<std::string_view>()(text);
  }
};

}  // namespace ssx
