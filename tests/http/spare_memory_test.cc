#include "http/spare_memory.h"

#include <gtest/gtest.h>

#include <optional>

namespace ssx::http {
namespace {

using net::OverloadLevel;

class Holder final : public SpareMemory::Holder {
 public:
  int told = 0;

 private:
  void give_up() noexcept override { ++told; }
};

class SpareMemoryTest : public testing::Test {
 protected:
  net::Overload overload;
  Holder first;
  Holder second;
  SpareMemory memory;
};

TEST_F(SpareMemoryTest, IsOutAtTheLastLevelOnly) {
  memory.watch(overload);
  for (const auto level : {OverloadLevel::kNone, OverloadLevel::kSave, OverloadLevel::kRefuse}) {
    overload.set(level);
    EXPECT_FALSE(memory.is_out());
  }
  overload.set(OverloadLevel::kStop);
  EXPECT_TRUE(memory.is_out());
}

TEST_F(SpareMemoryTest, IsNeverOutWhenNobodyWatches) {
  overload.set(OverloadLevel::kStop);
  memory.add(first);
  memory.give_up();
  EXPECT_FALSE(memory.is_out());
  EXPECT_EQ(first.told, 0);
}

TEST_F(SpareMemoryTest, TellsEachHolderEachTimeWhileItIsOut) {
  memory.watch(overload);
  EXPECT_TRUE(memory.add(first));
  EXPECT_TRUE(memory.add(second));
  EXPECT_FALSE(memory.add(first)) << "once is enough";
  overload.set(OverloadLevel::kRefuse);
  memory.give_up();
  EXPECT_EQ(first.told, 0);
  overload.set(OverloadLevel::kStop);
  memory.give_up();
  memory.give_up();
  EXPECT_EQ(first.told, 2);
  EXPECT_EQ(second.told, 2);
}

TEST_F(SpareMemoryTest, ForgetsAHolderThatEnds) {
  memory.watch(overload);
  overload.set(OverloadLevel::kStop);
  std::optional<Holder> gone(std::in_place);
  memory.add(*gone);
  memory.add(first);
  gone.reset();
  memory.give_up();
  EXPECT_EQ(first.told, 1);
}

// A middleware may be used again when its first server has ended.
TEST_F(SpareMemoryTest, ReleasesItsHoldersWhenItEnds) {
  {
    SpareMemory brief;
    EXPECT_TRUE(brief.add(first));
  }
  EXPECT_TRUE(memory.add(first));
}

}  // namespace
}  // namespace ssx::http
