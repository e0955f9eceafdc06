// What takes pairs apart takes so many and no more: the same test for queries and cookies.
//
// Thread: the test's
// Owner:  -
// Life:   -
// Bounds: none of its own
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "http/error.h"

namespace ssx::test {

/// parse(text) takes `limit` pairs, written "p0" `rest` "p1" `rest` ..., and refuses one more, and
/// 10^5 of them (A19).
template <class Parse>
void expect_limit_of_pairs(std::size_t limit, std::string_view rest, http::Errc error,
                           const Parse& parse) {
  const auto text = [rest](std::size_t count) {
    std::string all;
    for (std::size_t i = 0; i < count; ++i) all.append("p" + std::to_string(i)).append(rest);
    return all;
  };
  EXPECT_TRUE(parse(text(limit - 1)));
  EXPECT_TRUE(parse(text(limit)));
  EXPECT_EQ(parse(text(limit + 1)).error(), make_error_code(error));
  EXPECT_EQ(parse(text(100'000)).error(), make_error_code(error));
}

}  // namespace ssx::test
