#include "ssxrver/base/thread.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <cerrno>
#include <string>
#include <utility>

#include "tests/support/failing_threads.h"

namespace ssx {
namespace {

std::string own_name() {
  char name[16] = "";
  pthread_getname_np(pthread_self(), name, sizeof name);
  return name;
}

TEST(Thread, RunsItsBodyUnderItsName) {
  std::string name;
  auto thread = Thread::start("worker-1", std::nullopt, [&name] { name = own_name(); });
  ASSERT_TRUE(thread);
  EXPECT_TRUE(thread->joinable());
  thread->join();
  EXPECT_FALSE(thread->joinable());
  thread->join();  // twice is once
  EXPECT_EQ(name, "worker-1");
}

TEST(Thread, CutsANameThatIsTooLong) {
  std::string name;
  Thread::start("a-name-of-more-than-15-bytes", std::nullopt, [&name] {
    name = own_name();
  })->join();
  EXPECT_EQ(name, "a-name-of-more-");
}

// D11
TEST(Thread, IsAnErrorWhereTheSystemStartsNoMore) {
  const test::FailingThreads none(1);
  bool ran = false;
  const auto thread = Thread::start("x", std::nullopt, [&ran] { ran = true; });
  ASSERT_FALSE(thread);
  EXPECT_TRUE(thread.error().is_errno(EAGAIN)) << thread.error().message();
  EXPECT_EQ(none.refused(), 1);
  EXPECT_FALSE(ran);
}

TEST(Thread, RunsOnTheCoreThatWasAskedFor) {
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  unsigned core = 0;
  while (!CPU_ISSET(core, &allowed)) ++core;
  int count = 0;
  bool there = false;
  Thread::start("pinned", core, [&] {
    cpu_set_t mine;
    pthread_getaffinity_np(pthread_self(), sizeof mine, &mine);
    count = CPU_COUNT(&mine);
    there = CPU_ISSET(core, &mine) != 0;
  })->join();
  EXPECT_EQ(count, 1);
  EXPECT_TRUE(there);
}

TEST(Thread, ACoreThatIsNotThereIsNotAnError) {
  for (const unsigned core : {1023U, 1024U, 1U << 20}) {
    bool ran = false;
    auto thread = Thread::start("anywhere", core, [&ran] { ran = true; });
    ASSERT_TRUE(thread);
    thread->join();
    EXPECT_TRUE(ran) << core;
  }
}

TEST(Thread, IsJoinedWhenItIsDestroyedOrReplaced) {
  std::atomic<int> ended{0};
  {
    auto first = Thread::start("first", std::nullopt, [&ended] { ++ended; });
    auto second = Thread::start("second", std::nullopt, [&ended] { ++ended; });
    ASSERT_TRUE(first && second);
    *first = std::move(*second);
    EXPECT_GE(ended, 1);
  }
  EXPECT_EQ(ended, 2);
}

}  // namespace
}  // namespace ssx
