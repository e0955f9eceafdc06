#include "ssxrver/base/mutex.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

namespace ssx {
namespace {

struct Account {
  Mutex mutex;
  CondVar changed;
  int value SSX_GUARDED_BY(mutex) = 0;
};

TEST(Mutex, OneThreadAtATime) {
  Account account;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&account] {
      for (int j = 0; j < 1000; ++j) {
        const MutexLock lock(account.mutex);
        ++account.value;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const MutexLock lock(account.mutex);
  EXPECT_EQ(account.value, 4000);
}

TEST(CondVar, AWaiterHoldsTheMutexWhenItGoesOn) {
  Account account;
  std::thread writer([&account] {
    const MutexLock lock(account.mutex);
    account.value = 1;
    account.changed.notify_one();
  });
  {
    const MutexLock lock(account.mutex);
    while (account.value == 0) account.changed.wait(account.mutex);
    account.value = 2;
  }
  writer.join();
  const MutexLock lock(account.mutex);
  EXPECT_EQ(account.value, 2);
}

TEST(CondVar, WaitForSaysWhetherTheTimeWasUp) {
  Account account;
  const MutexLock lock(account.mutex);
  EXPECT_FALSE(account.changed.wait_for(account.mutex, std::chrono::nanoseconds(1)));
}

}  // namespace
}  // namespace ssx
