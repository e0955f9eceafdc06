#include "websocket/mask_keys.h"

#include <gtest/gtest.h>

#include <set>

namespace ssx::websocket {
namespace {

// Of 1024 random ones two are alike once in eight thousand times; of keys that come again, always.
TEST(MaskKeys, AreNewEachTime) {
  MaskKeys keys;
  std::set<MaskKey> seen;
  for (std::size_t i = 0; i < 4 * MaskKeys::kKept; ++i) seen.insert(keys.next());
  EXPECT_GE(seen.size(), 4 * MaskKeys::kKept - 2);
  EXPECT_FALSE(seen.contains(MaskKey{}));
}

}  // namespace
}  // namespace ssx::websocket
