#include "ssxrver/net/address_rates.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/manual_clock.h"

namespace ssx::net {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only

constexpr std::uint64_t kSeed = 4711;

SocketAddress address(const std::string& ip) { return *SocketAddress::parse(ip, 1234); }

class AddressRatesTest : public testing::Test {
 protected:
  std::uint32_t taken(AddressRates& rates, const SocketAddress& from, std::uint32_t tries) {
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < tries; ++i) count += rates.take(from, clock.now()) ? 1 : 0;
    return count;
  }
  test::ManualClock clock;
};

TEST_F(AddressRatesTest, GivesEachAddressItsBurstAndItsRate) {
  AddressRates rates({.events = 2, .per = 1s, .burst = 3}, kSeed);
  EXPECT_EQ(taken(rates, address("192.0.2.1"), 2), 2U);
  EXPECT_EQ(rates.retry_after(address("192.0.2.1"), clock.now()), 0ms);
  EXPECT_EQ(taken(rates, address("192.0.2.1"), 10), 1U);
  EXPECT_EQ(rates.retry_after(address("192.0.2.1"), clock.now()), 500ms);
  EXPECT_EQ(taken(rates, address("192.0.2.2"), 10), 3U);
  clock.advance(500ms);
  EXPECT_EQ(rates.retry_after(address("192.0.2.1"), clock.now()), 0ms);
  EXPECT_EQ(taken(rates, address("192.0.2.1"), 10), 1U);
  EXPECT_EQ(rates.forgotten(), 0U);
}

TEST_F(AddressRatesTest, TheDocumentedDefaultOfTheHardenedProfile) {
  AddressRates rates({.events = 200, .per = 1s, .burst = 400}, kSeed);
  EXPECT_EQ(taken(rates, address("192.0.2.1"), 1000), 400U);
  clock.advance(1s);
  EXPECT_EQ(taken(rates, address("192.0.2.1"), 1000), 200U);
}

TEST_F(AddressRatesTest, HasNoLimitForAUnixSocketAndNoneWithoutARate) {
  AddressRates rates({.events = 1, .per = 1s, .burst = 1}, kSeed);
  EXPECT_EQ(taken(rates, SocketAddress::from_raw({}), 50), 50U);
  EXPECT_EQ(rates.retry_after(SocketAddress::from_raw({}), clock.now()), 0ms);
  AddressRates none({}, kSeed);
  EXPECT_EQ(taken(none, address("192.0.2.1"), 50), 50U);
  EXPECT_EQ(none.retry_after(address("192.0.2.1"), clock.now()), 0ms);
}

TEST_F(AddressRatesTest, KnowsNothingOfOneWhoHasNotAsked) {
  const AddressRates rates({.events = 1, .per = 1s, .burst = 1}, kSeed);
  EXPECT_EQ(rates.retry_after(address("192.0.2.1"), clock.now()), 0ms);
}

// The bound of the table: whoever comes when it is full takes the fullest bucket's place.
TEST_F(AddressRatesTest, ForgetsTheFullestWhenTheTableIsFullAndCountsIt) {
  constexpr std::size_t kPlaces = 512;  // the least: 64 shards of eight
  AddressRates rates({.events = 1, .per = 60s, .burst = 2}, kSeed, 1);
  const auto number = [](std::size_t i) {
    return address("10.0." + std::to_string(i / 256) + "." + std::to_string(i % 256));
  };
  for (std::size_t i = 0; i < 10 * kPlaces; ++i) ASSERT_TRUE(rates.take(number(i), clock.now()));
  EXPECT_EQ(rates.forgotten(), 9 * kPlaces);
  clock.advance(1h);  // all are full again: nothing is lost by forgetting them
  for (std::size_t i = 0; i < kPlaces; ++i) ASSERT_TRUE(rates.take(number(i), clock.now()));
  EXPECT_LT(rates.forgotten(), 9 * kPlaces + kPlaces / 2);
}

TEST_F(AddressRatesTest, KeepsWhatIsEmptierThanItsNeighbours) {
  AddressRates rates({.events = 1, .per = 60s, .burst = 100}, kSeed, 1);
  const auto greedy = address("192.0.2.1");
  EXPECT_EQ(taken(rates, greedy, 1000), 100U);
  for (int i = 0; i < 100'000; ++i) {
    ASSERT_TRUE(rates.take(address("10." + std::to_string(i / 65536) + "." +
                                   std::to_string(i / 256 % 256) + "." + std::to_string(i % 256)),
                           clock.now()));
  }
  EXPECT_EQ(taken(rates, greedy, 10), 0U);
}

}  // namespace
}  // namespace ssx::net
