#include "ssxrver/metrics/registry.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <memory>
#include <utility>

namespace ssx::metrics {
namespace {

constexpr std::array<std::uint64_t, 2> kBounds = {10, 100};
constexpr std::array<std::uint64_t, 2> kOtherBounds = {10, 101};

struct Block {
  Counter accepted;
  Gauge open;
  Counter header_limit;
  Counter body_limit;
  Histogram sizes{Buckets{kBounds, 1}};
};

constexpr Field<Block> kFields[] = {
    {"accepted_total", "Connections accepted.", &Block::accepted},
    {"open", "Connections open now.", &Block::open},
    {"limit_hits_total", "Limits reached.", &Block::header_limit, {"limit", "header"}},
    {"limit_hits_total", "Limits reached.", &Block::body_limit, {"limit", "body"}},
    {"sizes", "Bytes.", &Block::sizes},
};

std::uint64_t counter(const Registry& registry, std::string_view name, std::size_t sample = 0) {
  for (const auto& family : registry.scrape()) {
    if (family.name == name) return std::get<std::uint64_t>(family.samples.at(sample).total);
  }
  ADD_FAILURE() << "no family " << name;
  return 0;
}

struct Listed {
  std::array<Counter, 2> by_reason;
};
constexpr Read<Listed> kFirst{
    [](const Listed& block, std::size_t index) { return block.by_reason[index].value(); }, 0};
constexpr Field<Listed> kListedFields[] = {
    {"refused_total", "Refused.", kFirst, {"reason", "first"}},
    {"refused_total", "Refused.", Read<Listed>{kFirst.value, 1}, {"reason", "second"}},
};

TEST(Registry, IsEmptyUntilABlockIsAttached) {
  const Registry registry;
  EXPECT_TRUE(registry.scrape().empty());
}

TEST(Registry, ReadsWhatIsNoMember) {
  Registry registry;
  {
    Listed first;
    Listed second;
    const auto one = registry.attach<Listed>(kListedFields, first);
    const auto two = registry.attach<Listed>(kListedFields, second);
    first.by_reason[0].add(2);
    second.by_reason[0].add(3);
    second.by_reason[1].add(4);
    EXPECT_EQ(counter(registry, "refused_total", 0), 5u);
    EXPECT_EQ(counter(registry, "refused_total", 1), 4u);
  }
  EXPECT_EQ(counter(registry, "refused_total", 0), 5u);  // of blocks that have ended
  EXPECT_EQ(counter(registry, "refused_total", 1), 4u);
}

TEST(Registry, SumsTheBlocksOfAllWorkers) {
  Registry registry;
  Block first;
  Block second;
  const auto one = registry.attach<Block>(kFields, first);
  const auto two = registry.attach<Block>(kFields, second);
  first.accepted.add(2);
  second.accepted.add(3);
  first.open.add(5);
  second.open.sub(1);
  first.sizes.observe(10);
  second.sizes.observe(11);

  const auto families = registry.scrape();
  ASSERT_EQ(families.size(), 4u);
  EXPECT_EQ(std::get<std::uint64_t>(families[0].samples.at(0).total), 5u);
  EXPECT_EQ(std::get<std::int64_t>(families[1].samples.at(0).total), 4);
  const auto& sizes = std::get<HistogramTotal>(families[3].samples.at(0).total);
  EXPECT_EQ(sizes.counts, (std::vector<std::uint64_t>{1, 1, 0}));
  EXPECT_EQ(sizes.sum, 21u);
}

TEST(Registry, KeepsTheLabelsOfOneNameApart) {
  Registry registry;
  Block block;
  const auto registration = registry.attach<Block>(kFields, block);
  block.header_limit.add(1);
  block.body_limit.add(2);
  EXPECT_EQ(counter(registry, "limit_hits_total", 0), 1u);
  EXPECT_EQ(counter(registry, "limit_hits_total", 1), 2u);
}

TEST(Registry, TotalsStayWhenABlockEndsAndGaugesLeave) {
  Registry registry;
  {
    Block block;
    const auto registration = registry.attach<Block>(kFields, block);
    block.accepted.add(4);
    block.open.add(4);
    block.sizes.observe(1000);
  }
  Block next;
  const auto registration = registry.attach<Block>(kFields, next);
  next.accepted.add(1);

  const auto families = registry.scrape();
  EXPECT_EQ(std::get<std::uint64_t>(families[0].samples.at(0).total), 5u);
  EXPECT_EQ(std::get<std::int64_t>(families[1].samples.at(0).total), 0);
  EXPECT_EQ(std::get<HistogramTotal>(families[3].samples.at(0).total).sum, 1000u);
}

TEST(Registry, AMovedRegistrationDetachesOnce) {
  Registry registry;
  Block first;
  Block second;
  first.accepted.add(1);
  second.accepted.add(10);
  {
    auto one = registry.attach<Block>(kFields, first);
    auto moved = std::move(one);
    moved = registry.attach<Block>(kFields, second);  // the first block ends here
    EXPECT_EQ(counter(registry, "accepted_total"), 11u);
  }
  first.accepted.add(100);
  second.accepted.add(100);
  EXPECT_EQ(counter(registry, "accepted_total"), 11u);
}

TEST(RegistryDeathTest, RefusesABlockTwice) {
  Registry registry;
  Block block;
  const auto registration = registry.attach<Block>(kFields, block);
  EXPECT_DEATH(std::ignore = registry.attach<Block>(kFields, block), "accepted_total");
}

TEST(RegistryDeathTest, RefusesANameThatPrometheusWouldNotRead) {
  static constexpr Field<Block> kBad[] = {{"9-lives", "", &Block::accepted}};
  static constexpr Field<Block> kBadLabel[] = {{"a", "", &Block::accepted, {"x:y", ""}}};
  Registry registry;
  const Block block;
  EXPECT_DEATH(std::ignore = registry.attach<Block>(kBad, block), "9-lives");
  EXPECT_DEATH(std::ignore = registry.attach<Block>(kBadLabel, block), "x:y");
}

TEST(RegistryDeathTest, RefusesOneNameForTwoKinds) {
  static constexpr Field<Block> kMixed[] = {
      {"mixed", "", &Block::accepted, {"a", "1"}},
      {"mixed", "", &Block::open, {"a", "2"}},
  };
  Registry registry;
  const Block block;
  EXPECT_DEATH(std::ignore = registry.attach<Block>(kMixed, block), "mixed");
}

TEST(RegistryDeathTest, RefusesOneHistogramWithTwoSetsOfBuckets) {
  struct Other {
    Histogram sizes{Buckets{kOtherBounds, 1}};
  };
  static constexpr Field<Other> kOther[] = {{"sizes", "Bytes.", &Other::sizes}};
  Registry registry;
  const Block block;
  const Other other;
  const auto registration = registry.attach<Block>(kFields, block);
  EXPECT_DEATH(std::ignore = registry.attach<Other>(kOther, other), "sizes");
}

TEST(RegistryDeathTest, RefusesToEndBeforeItsRegistrations) {
  const Block block;
  EXPECT_DEATH(
      {
        auto registry = std::make_unique<Registry>();
        const auto registration = registry->attach<Block>(kFields, block);
        registry.reset();
      },
      "live.empty");
}

}  // namespace
}  // namespace ssx::metrics
