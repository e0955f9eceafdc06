#include "ssxrver/base/unique_function.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <utility>

namespace ssx {
namespace {

int twice(int value) { return 2 * value; }

TEST(UniqueFunction, CallsWhatItHolds) {
  UniqueFunction<int(int)> function = twice;
  EXPECT_EQ(function(21), 42);
  int offset = 1;
  function = [&offset](int value) { return value + offset; };
  offset = 5;
  EXPECT_EQ(function(1), 6);
}

TEST(UniqueFunction, IsEmptyUntilItHoldsSomething) {
  UniqueFunction<void()> function;
  EXPECT_FALSE(function);
  function = [] {};
  EXPECT_TRUE(function);
  function = nullptr;
  EXPECT_FALSE(function);
  function.reset();
  EXPECT_FALSE(UniqueFunction<void()>(nullptr));
}

/// Counts its living copies; `kBytes` decides between the inside and the heap.
template <std::size_t kBytes>
struct Counted {
  explicit Counted(int& count) : alive(&count) { ++*alive; }
  Counted(Counted&& other) noexcept : alive(other.alive) { ++*alive; }
  Counted(const Counted&) = delete;
  ~Counted() { --*alive; }
  int operator()() const { return *alive; }
  int* alive;
  std::array<char, kBytes> fill{};
};

template <std::size_t kBytes>
void moves_and_destroys() {
  int alive = 0;
  {
    UniqueFunction<int()> first = Counted<kBytes>(alive);
    EXPECT_EQ(alive, 1);
    UniqueFunction<int()> second = std::move(first);
    EXPECT_EQ(alive, 1);
    EXPECT_FALSE(first);  // NOLINT(bugprone-use-after-move): that it is empty is the point
    EXPECT_EQ(second(), 1);
    UniqueFunction<int()> third = Counted<kBytes>(alive);
    EXPECT_EQ(alive, 2);
    third = std::move(second);
    EXPECT_EQ(alive, 1);
    UniqueFunction<int()>& same = third;
    third = std::move(same);
    EXPECT_EQ(third(), 1);
  }
  EXPECT_EQ(alive, 0);
}

TEST(UniqueFunction, MovesAndDestroysASmallOneInside) { moves_and_destroys<8>(); }
TEST(UniqueFunction, MovesAndDestroysALargeOneOnTheHeap) { moves_and_destroys<500>(); }

TEST(UniqueFunction, HoldsMoveOnlyCaptures) {
  UniqueFunction<int()> function = [value = std::make_unique<int>(7)] { return *value; };
  EXPECT_EQ(std::exchange(function, nullptr)(), 7);
}

TEST(UniqueFunction, PassesArgumentsOn) {
  UniqueFunction<std::string(std::unique_ptr<int>, std::string&)> function =
      [](std::unique_ptr<int> number, std::string& text) {
        text += "!";
        return std::to_string(*number);
      };
  std::string text = "hey";
  EXPECT_EQ(function(std::make_unique<int>(3), text), "3");
  EXPECT_EQ(text, "hey!");
}

TEST(UniqueFunction, ResettingOneThatHoldsItselfEndsOnce) {
  struct Owner {
    UniqueFunction<void()> function;
  };
  auto owner = std::make_unique<Owner>();
  Owner& there = *owner;
  there.function = [owner = std::move(owner)] {};
  UniqueFunction<void()> taken = std::move(there.function);
  taken.reset();
  EXPECT_FALSE(taken);
}

}  // namespace
}  // namespace ssx
