// Which places of a block a table of Fields reads: so that a test finds the counter that has none.
//
// Thread: -
// Owner:  -
// Life:   -
// Bounds: -
#pragma once

#include <cstddef>
#include <set>
#include <span>
#include <type_traits>
#include <variant>

#include "ssxrver/metrics/registry.h"

namespace ssx::metrics::test {

template <class Block, class Part>
std::size_t place_of(const Block& block, const Part& part) {
  return static_cast<std::size_t>(reinterpret_cast<const std::byte*>(&part) -
                                  reinterpret_cast<const std::byte*>(&block)) /
         sizeof(Counter);
}

/// In eights of bytes from the block's begin. Of a table without Reads, or beside them.
template <class Block>
std::set<std::size_t> places_of(std::span<const Field<Block>> fields, const Block& block) {
  std::set<std::size_t> places;
  for (const Field<Block>& field : fields) {
    std::visit(
        [&](auto member) {
          if constexpr (!std::is_same_v<decltype(member), Read<Block>>) {
            places.insert(place_of(block, block.*member));
          }
        },
        field.member);
  }
  return places;
}

/// From the first to the last without a gap, and behind it no more than what alignment adds.
template <class Block>
bool is_whole(const std::set<std::size_t>& places) {
  const std::size_t all = sizeof(Block) / sizeof(Counter);
  return !places.empty() && *places.begin() == 0 && *places.rbegin() == places.size() - 1 &&
         all - places.size() < alignof(Block) / sizeof(Counter);
}

}  // namespace ssx::metrics::test
