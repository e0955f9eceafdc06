#include "ssxrver/net/address_counts.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>

namespace ssx::net {
namespace {

AddressKey key(std::uint32_t number) {
  const std::array<std::uint8_t, 4> bytes{
      static_cast<std::uint8_t>(number >> 24), static_cast<std::uint8_t>(number >> 16),
      static_cast<std::uint8_t>(number >> 8), static_cast<std::uint8_t>(number)};
  return AddressKey::of(SocketAddress::from_ipv4(bytes, 0));
}

TEST(AddressCounts, TakesOneLessThanTheLimitTheLimitAndNotOneMore) {
  AddressCounts counts(3, 1);
  EXPECT_TRUE(counts.try_add(key(1)));
  EXPECT_TRUE(counts.try_add(key(1)));
  EXPECT_TRUE(counts.try_add(key(1)));
  EXPECT_FALSE(counts.try_add(key(1)));
  EXPECT_EQ(counts.of(key(1)), 3U);
  EXPECT_TRUE(counts.try_add(key(2)));  // another address
  counts.remove(key(1));
  EXPECT_TRUE(counts.try_add(key(1)));
  EXPECT_FALSE(counts.try_add(key(1)));
}

TEST(AddressCounts, KeepsNothingOfThoseWhoHaveGone) {
  AddressCounts counts(1, 1);
  EXPECT_EQ(counts.size(), 0U);
  EXPECT_EQ(counts.of(key(1)), 0U);
  for (std::uint32_t i = 0; i < 10'000; ++i) {
    ASSERT_TRUE(counts.try_add(key(i)));
    ASSERT_EQ(counts.size(), 1U);
    counts.remove(key(i));
  }
  EXPECT_EQ(counts.size(), 0U);
}

// Among few addresses, so that they lie side by side and move when one of them goes.
TEST(AddressCounts, AgreesWithAMap) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    AddressCounts counts(4, seed);
    std::map<std::uint32_t, std::uint32_t> expected;
    std::mt19937 random(static_cast<unsigned>(seed));
    for (int i = 0; i < 20'000; ++i) {
      const auto number = static_cast<std::uint32_t>(random() % 700);
      std::uint32_t& count = expected[number];
      if (random() % 2 == 0) {
        ASSERT_EQ(counts.try_add(key(number)), count < 4);
        count = std::min(count + 1, 4U);
      } else if (count > 0) {
        counts.remove(key(number));
        --count;
      }
      ASSERT_EQ(counts.of(key(number)), count);
    }
    std::size_t held = 0;
    for (const auto& [number, count] : expected) {
      ASSERT_EQ(counts.of(key(number)), count);
      held += count > 0 ? 1 : 0;
    }
    EXPECT_EQ(counts.size(), held);
  }
}

TEST(AddressCountsDeathTest, NobodyLeavesWhoHasNotCome) {
  AddressCounts counts(1, 1);
  EXPECT_DEATH(counts.remove(key(1)), "");
}

}  // namespace
}  // namespace ssx::net
