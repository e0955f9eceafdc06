// How the tests of ResponseParser feed bytes: whole with every instruction set, and at every split.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string_view>

#include "tests/http/client/response_outcome.h"
#include "tests/support/feed_every_split.h"

namespace ssx::http::test {

inline ResponseOutcome parse_response(std::string_view bytes, Method request = Method::kGet,
                                      const ParserLimits& limits = {},
                                      ssx::test::Splits splits = {}) {
  std::optional<ResponseOutcome> whole;
  for (const Isa isa : {Isa::kScalar, Isa::kSsse3, Isa::kAvx2}) {
    if (isa > best_isa()) continue;
    const ResponseOutcome now = parse_response_pieces({bytes}, request, limits, isa);
    EXPECT_EQ(now, whole.value_or(now)) << "instruction set " << static_cast<int>(isa);
    whole = now;
  }
  ssx::test::feed_every_split(
      bytes,
      [&](const Pieces& pieces) {
        EXPECT_EQ(parse_response_pieces(pieces, request, limits), *whole);
      },
      splits);
  return *whole;
}

}  // namespace ssx::http::test
