#include "ssxrver/base/lazy.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace ssx {
namespace {

struct Counted {
  explicit Counted(std::atomic<int>& count, int its_number = 0) : alive(count), number(its_number) {
    ++alive;
  }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { --alive; }

  std::atomic<int>& alive;
  int number;
};

TEST(Lazy, MakesItOnceAtTheFirstUse) {
  std::atomic<int> alive = 0;
  {
    Lazy<Counted> lazy;
    EXPECT_EQ(lazy.if_made(), nullptr);
    Counted& made = lazy.get(alive, 1);
    EXPECT_EQ(alive, 1);
    EXPECT_EQ(lazy.if_made(), &made);
    EXPECT_EQ(&lazy.get(alive, 2), &made);
    EXPECT_EQ(made.number, 1);
    EXPECT_EQ(alive, 1);
  }
  EXPECT_EQ(alive, 0);
}

TEST(Lazy, OwesNothingForWhatWasNeverUsed) {
  std::atomic<int> alive = 0;
  { const Lazy<Counted> lazy; }
  EXPECT_EQ(alive, 0);
}

TEST(Lazy, ThreadsThatComeAtTheSameTimeGetTheSame) {
  constexpr int kThreads = 4;
  std::atomic<int> alive = 0;
  {
    Lazy<Counted> lazy;
    std::atomic<int> ready = 0;
    std::vector<Counted*> got(kThreads);
    std::vector<std::thread> threads;
    for (Counted*& mine : got) {
      threads.emplace_back([&lazy, &alive, &ready, &mine] {
        ++ready;
        while (ready < kThreads) std::this_thread::yield();
        mine = &lazy.get(alive);
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const Counted* mine : got) EXPECT_EQ(mine, lazy.if_made());
    EXPECT_EQ(alive, 1);
  }
  EXPECT_EQ(alive, 0);
}

}  // namespace
}  // namespace ssx
