#include "ssxrver/coro/frame_pool.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace ssx {
namespace {

/// Each test gets a thread of its own, and with it an empty pool.
template <class Body>
void on_a_new_thread(const Body& body) {
  std::thread(body).join();
}

TEST(FramePool, HandsAFreedFrameOutAgain) {
  on_a_new_thread([] {
    void* const first = FramePool::allocate(100);
    FramePool::deallocate(first, 100);
    EXPECT_EQ(FramePool::pooled_for_test(), 1u);
    EXPECT_EQ(FramePool::allocate(128), first);  // the same class: 65 .. 128 bytes
    EXPECT_EQ(FramePool::pooled_for_test(), 0u);
    FramePool::deallocate(first, 128);
  });
}

TEST(FramePool, KeepsTheClassesApart) {
  on_a_new_thread([] {
    void* const small = FramePool::allocate(64);
    FramePool::deallocate(small, 64);
    void* const larger = FramePool::allocate(65);
    EXPECT_NE(larger, small);
    FramePool::deallocate(larger, 65);
    EXPECT_EQ(FramePool::pooled_for_test(), 2u);
  });
}

TEST(FramePool, PoolsUpToItsLargestClassAndNotOneByteMore) {
  on_a_new_thread([] {
    for (const std::size_t bytes : {FramePool::kBytesMax - 1, FramePool::kBytesMax}) {
      FramePool::deallocate(FramePool::allocate(bytes), bytes);
      EXPECT_EQ(FramePool::pooled_for_test(), 1u) << bytes;
    }
    const std::size_t over = FramePool::kBytesMax + 1;
    FramePool::deallocate(FramePool::allocate(over), over);
    EXPECT_EQ(FramePool::pooled_for_test(), 1u);
  });
}

TEST(FramePool, KeepsAtMostSoManyFramesOfAClass) {
  on_a_new_thread([] {
    std::vector<void*> frames;
    for (std::size_t i = 0; i < FramePool::kFramesMax + 1; ++i) {
      frames.push_back(FramePool::allocate(200));
    }
    for (std::size_t i = 0; i < frames.size(); ++i) {
      FramePool::deallocate(frames[i], 200);
      EXPECT_EQ(FramePool::pooled_for_test(), std::min<std::size_t>(i + 1, FramePool::kFramesMax));
    }
  });
}

/// Freed while the thread's objects are being destroyed, after the pool's own end.
struct FreesAtTheEnd {
  void* frame = nullptr;
  ~FreesAtTheEnd() {
    FramePool::deallocate(frame, 100);
    EXPECT_EQ(FramePool::pooled_for_test(), 0u);
  }
};

TEST(FramePool, AFrameFreedAfterThePoolHasEndedGoesToTheHeap) {
  on_a_new_thread([] {
    // Made before the pool notices its first free, so that it is destroyed after it.
    thread_local FreesAtTheEnd last;
    last.frame = FramePool::allocate(100);
    FramePool::deallocate(FramePool::allocate(50), 50);
    EXPECT_EQ(FramePool::pooled_for_test(), 1u);
  });
}

#ifdef SSX_POISON_FRAMES
TEST(FramePoolDeathTest, AddressSanitizerSeesTheUseOfAPooledFrame) {
  auto* const frame = static_cast<volatile char*>(FramePool::allocate(100));
  FramePool::deallocate(const_cast<char*>(frame), 100);
  EXPECT_DEATH(frame[50] = 1, "use-after-poison");
}
#endif

}  // namespace
}  // namespace ssx
