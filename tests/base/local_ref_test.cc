#include "ssxrver/base/local_ref.h"

#include <gtest/gtest.h>

#include <utility>

namespace ssx {
namespace {

struct Thing : LocalShared {
  explicit Thing(int& count) : alive(count) { ++alive; }
  ~Thing() override { --alive; }
  int& alive;
  int value = 5;
};

TEST(LocalRef, TheLastReferenceDeletes) {
  int alive = 0;
  LocalRef<Thing> first(new Thing(alive));
  {
    LocalRef<Thing> second = first;
    const LocalRef<Thing> third(second);
    EXPECT_EQ(second->value, 5);
    first = {};
    EXPECT_EQ(alive, 1);
  }
  EXPECT_EQ(alive, 0);
  EXPECT_FALSE(first);
}

TEST(LocalRef, MovingTakesTheReferenceAlong) {
  int alive = 0;
  LocalRef<Thing> first(new Thing(alive));
  Thing* const raw = first.get();
  LocalRef<Thing> second(std::move(first));
  EXPECT_EQ(second.get(), raw);
  LocalRef<Thing> third;
  third = std::move(second);
  EXPECT_EQ(&*third, raw);
  EXPECT_EQ(alive, 1);
  third = LocalRef<Thing>(new Thing(alive));
  EXPECT_EQ(alive, 1);
}

TEST(LocalRef, AReferenceToTheBaseDeletesTheWhole) {
  int alive = 0;
  LocalRef<LocalShared> base;
  {
    const LocalRef<Thing> thing(new Thing(alive));
    base = thing;
  }
  EXPECT_EQ(alive, 1);
  base = {};
  EXPECT_EQ(alive, 0);
}

TEST(LocalRef, AssigningToItselfKeepsIt) {
  int alive = 0;
  LocalRef<Thing> thing(new Thing(alive));
  const LocalRef<Thing>& same = thing;
  thing = same;
  EXPECT_EQ(alive, 1);
  EXPECT_EQ(thing->value, 5);
}

}  // namespace
}  // namespace ssx
