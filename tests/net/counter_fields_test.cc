#include "ssxrver/net/counter_fields.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <variant>

#include "tests/metrics/table_places.h"

namespace ssx::net {
namespace {

template <class Block>
void expect_each_once(std::span<const metrics::Field<Block>> fields) {
  const Block block{};
  const auto places = metrics::test::places_of(fields, block);
  EXPECT_EQ(places.size(), fields.size());
  EXPECT_TRUE(metrics::test::is_whole<Block>(places));
  metrics::Registry registry;
  const auto registration = registry.attach<Block>(fields, block);
  for (const auto& family : registry.scrape()) {
    const bool is_counter = std::holds_alternative<std::uint64_t>(family.samples.front().total);
    EXPECT_EQ(family.name.ends_with("_total"), is_counter) << family.name;
  }
}

TEST(NetCounterFields, NameEachCounterOnce) {
  expect_each_once<Counters>(kConnectionFields);
  expect_each_once<AcceptCounters>(kAcceptFields);
  expect_each_once<UdpCounters>(kUdpFields);
}

}  // namespace
}  // namespace ssx::net
