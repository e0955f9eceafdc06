// Run under ThreadSanitizer: frames made on one thread and freed on another.
#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <vector>

#include "ssxrver/coro/frame_pool.h"
#include "ssxrver/coro/task.h"

namespace ssx {
namespace {

TEST(FramePoolThreads, FramesWanderFromThreadToThread) {
  constexpr std::size_t kFrames = 3 * FramePool::kFramesMax;
  std::vector<void*> frames(kFrames);
  for (int round = 0; round < 20; ++round) {
    std::thread([&frames] {
      for (auto& frame : frames) {
        frame = FramePool::allocate(300);
        std::memset(frame, 1, 300);
      }
    }).join();
    std::thread([&frames] {
      for (auto* const frame : frames) FramePool::deallocate(frame, 300);
      EXPECT_EQ(FramePool::pooled_for_test(), FramePool::kFramesMax);
    }).join();
  }
}

Task<int> answer(int value) { co_return value; }

TEST(FramePoolThreads, ATaskMadeHereMayEndElsewhere) {
  std::vector<Task<int>> tasks;
  for (int i = 0; i < 200; ++i) tasks.push_back(answer(i));
  std::thread([mine = std::move(tasks)]() mutable { mine.clear(); }).join();
}

}  // namespace
}  // namespace ssx
