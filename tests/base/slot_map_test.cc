#include "ssxrver/base/slot_map.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace ssx {
namespace {

TEST(SlotMap, FindsWhatWasInserted) {
  SlotMap<std::string> map;
  const SlotId a = map.insert("a");
  const SlotId b = map.insert("b");
  ASSERT_NE(map.find(a), nullptr);
  EXPECT_EQ(*map.find(a), "a");
  EXPECT_EQ(*map.find(b), "b");
  EXPECT_EQ(map.size(), 2U);
}

TEST(SlotMap, AStaleIdMissesForEverAfter) {
  SlotMap<int> map;
  const SlotId first = map.insert(1);
  EXPECT_EQ(map.erase(first), 1);
  EXPECT_EQ(map.find(first), nullptr);
  EXPECT_FALSE(map.erase(first));
  const SlotId second = map.insert(2);  // the slot is used again
  EXPECT_EQ(second.slot, first.slot);
  EXPECT_NE(second, first);
  EXPECT_EQ(map.find(first), nullptr);
  EXPECT_EQ(*map.find(second), 2);
  EXPECT_FALSE(map.erase(first));
  EXPECT_EQ(map.size(), 1U);
}

TEST(SlotMap, AnIdThatWasNeverGivenMisses) {
  SlotMap<int> map;
  EXPECT_EQ(map.find(SlotId{}), nullptr);
  EXPECT_EQ(map.find({0, 0}), nullptr);
  (void)map.insert(1);
  EXPECT_EQ(map.find({1, 0}), nullptr);
  EXPECT_EQ(map.find({0, 1}), nullptr);
}

TEST(SlotMap, SlotsAreReusedBeforeItGrows) {
  SlotMap<int> map;
  std::vector<SlotId> ids;
  for (int i = 0; i < 10; ++i) ids.push_back(map.insert(i));
  for (const SlotId id : ids) EXPECT_TRUE(map.erase(id));
  EXPECT_TRUE(map.empty());
  for (int i = 0; i < 10; ++i) EXPECT_LT(map.insert(i).slot, 10U);
}

struct Nosy {
  SlotMap<std::unique_ptr<Nosy>>* map;
  std::size_t* seen;
  ~Nosy() { *seen = map->size(); }
};

TEST(SlotMap, AnErasedValueIsDestroyedAfterTheBookkeeping) {
  SlotMap<std::unique_ptr<Nosy>> map;
  std::size_t seen = 99;
  const SlotId id = map.insert(std::unique_ptr<Nosy>(new Nosy{&map, &seen}));
  map.erase(id);
  EXPECT_EQ(seen, 0U);
}

TEST(SlotMap, ForEachVisitsWhatIsThere) {
  SlotMap<int> map;
  const SlotId a = map.insert(1);
  const SlotId b = map.insert(2);
  const SlotId c = map.insert(3);
  map.erase(b);
  int sum = 0;
  map.for_each([&](SlotId id, int& value) {
    EXPECT_TRUE(id == a || id == c);
    sum += value;
  });
  EXPECT_EQ(sum, 4);
}

TEST(SlotMap, BehavesLikeAMapUnderRandomWork) {
  std::mt19937 random(3);
  SlotMap<int> map;
  std::vector<std::pair<SlotId, int>> alive;
  std::vector<SlotId> dead;
  for (int step = 0; step < 50'000; ++step) {
    if (alive.empty() || random() % 2 == 0) {
      alive.emplace_back(map.insert(step), step);
    } else {
      const std::size_t at = random() % alive.size();
      ASSERT_EQ(map.erase(alive[at].first), alive[at].second);
      dead.push_back(alive[at].first);
      alive[at] = alive.back();
      alive.pop_back();
    }
    if (!alive.empty()) {
      const auto& [id, value] = alive[random() % alive.size()];
      ASSERT_EQ(*map.find(id), value);
    }
    if (!dead.empty()) {
      ASSERT_EQ(map.find(dead[random() % dead.size()]), nullptr);
    }
    ASSERT_EQ(map.size(), alive.size());
  }
}

}  // namespace
}  // namespace ssx
