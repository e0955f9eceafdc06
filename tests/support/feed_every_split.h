// Feeds bytes to an incremental parser in every way that a network may cut them.
//
//   feed_every_split(request, [](const Pieces& pieces) {
//     RequestParser parser;                      // a new one for every way
//     for (std::string_view piece : pieces) ...  // append to what is unread, parse
//     EXPECT_EQ(...);                            // the result does not depend on the cuts
//   });
//
// Thread: the test's
// Owner:  the pieces are copies that live during the call, each in an allocation of exactly its
//         size (AddressSanitizer sees one byte too far)
// Life:   stops at the first way that has failed a check, and names it
// Bounds: n + 1 + Splits::random ways for n bytes. Above Splits::every_cut_max bytes the cuts in
//         two are drawn, not all made
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace ssx::test {

using Pieces = std::vector<std::string_view>;

struct Splits {
  std::size_t random = 50;  ///< cuts in three, from the seed
  std::uint64_t seed = 1;
  std::size_t every_cut_max = 4096;  ///< longer inputs get that many cuts in two
};

namespace internal {

/// The ends of the pieces, ascending, the last one = the whole size.
using Cuts = std::vector<std::size_t>;

template <class Feed>
bool feed_cut(std::string_view bytes, const Cuts& cuts, Feed& feed) {
  std::vector<std::unique_ptr<char[]>> copies;
  Pieces pieces;
  std::size_t begin = 0;
  for (const std::size_t end : cuts) {
    const std::string_view part = bytes.substr(begin, end - begin);
    auto& copy = copies.emplace_back(std::make_unique<char[]>(part.size()));
    std::ranges::copy(part, copy.get());
    pieces.emplace_back(copy.get(), part.size());
    begin = end;
  }
  feed(static_cast<const Pieces&>(pieces));
  if (!::testing::Test::HasFailure()) return true;
  std::string shown;
  for (const std::size_t end : cuts) shown += (shown.empty() ? "" : ", ") + std::to_string(end);
  ADD_FAILURE() << "with " << cuts.size() << " pieces that end at " << shown;
  return false;
}

}  // namespace internal

template <class Feed>
void feed_every_split(std::string_view bytes, Feed feed, Splits splits = {}) {
  using internal::Cuts;
  const std::size_t size = bytes.size();
  if (!internal::feed_cut(bytes, Cuts{size}, feed) || size < 2) return;

  Cuts bytewise(size);
  for (std::size_t i = 0; i < size; ++i) bytewise[i] = i + 1;
  if (!internal::feed_cut(bytes, bytewise, feed)) return;

  std::mt19937_64 random(splits.seed);
  std::uniform_int_distribution<std::size_t> inside(1, size - 1);
  const bool every = size - 1 <= splits.every_cut_max;
  for (std::size_t i = 1; i <= (every ? size - 1 : splits.every_cut_max); ++i) {
    if (!internal::feed_cut(bytes, Cuts{every ? i : inside(random), size}, feed)) return;
  }
  for (std::size_t i = 0; i < splits.random && size > 2; ++i) {
    std::size_t first = inside(random);
    std::size_t second = inside(random);
    if (first > second) std::swap(first, second);
    if (first != second && !internal::feed_cut(bytes, Cuts{first, second, size}, feed)) return;
  }
}

}  // namespace ssx::test
