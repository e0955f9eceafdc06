// How the tests of the parsers feed bytes: whole, and in every way a network may cut them.
//
// Thread: the test's
// Owner:  -
// Life:   values; they outlive the bytes
// Bounds: none of its own
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string_view>

#include "tests/http/outcome.h"
#include "tests/support/feed_every_split.h"

namespace ssx::http::test {

/// All bytes at once, with every instruction set that this CPU has.
inline Outcome parse(std::string_view bytes, const ParserLimits& limits = {}) {
  std::optional<Outcome> outcome;
  for (const Isa isa : {Isa::kScalar, Isa::kSsse3, Isa::kAvx2}) {
    if (isa > best_isa()) continue;
    RequestParser parser(limits, isa);
    Head head;
    const auto parsed = parser.parse(bytes, head);
    const Outcome now = outcome_of(parsed, head);
    EXPECT_EQ(now, outcome.value_or(now)) << "instruction set " << static_cast<int>(isa);
    outcome = now;
  }
  return *outcome;
}

/// The outcome, after checking that every way of cutting the bytes has the same one.
inline Outcome parse_every_split(std::string_view bytes, const ParserLimits& limits = {},
                                 ssx::test::Splits splits = {}) {
  const Outcome whole = parse(bytes, limits);
  ssx::test::feed_every_split(
      bytes, [&](const Pieces& pieces) { EXPECT_EQ(parse_pieces(pieces, limits), whole); }, splits);
  return whole;
}

inline Body decode(std::string_view bytes, const ParserLimits& limits = {}) {
  return decode_pieces({bytes}, limits);
}

inline Body decode_every_split(std::string_view bytes, const ParserLimits& limits = {},
                               ssx::test::Splits splits = {}) {
  const Body whole = decode(bytes, limits);
  ssx::test::feed_every_split(
      bytes, [&](const Pieces& pieces) { EXPECT_EQ(decode_pieces(pieces, limits), whole); },
      splits);
  return whole;
}

}  // namespace ssx::http::test
