#include "ssxrver/base/mpsc_queue.h"

#include <gtest/gtest.h>

#include <memory>

namespace ssx {
namespace {

TEST(MpscQueue, IsFirstInFirstOut) {
  MpscQueue<int> queue;
  EXPECT_FALSE(queue.pop());
  for (int i = 0; i < 5; ++i) queue.push(i);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(queue.pop(), i);
  EXPECT_FALSE(queue.pop());
  queue.push(7);
  EXPECT_EQ(queue.pop(), 7);
}

TEST(MpscQueue, TakesMoveOnlyValuesAndDestroysThoseThatNobodyPopped) {
  const auto watched = std::make_shared<int>(1);
  {
    MpscQueue<std::shared_ptr<int>> queue;
    queue.push(watched);
    queue.push(watched);
    EXPECT_EQ(watched.use_count(), 3);
    EXPECT_TRUE(queue.pop());
    EXPECT_EQ(watched.use_count(), 2);  // not kept alive by the node that stays as the new stub
  }
  EXPECT_EQ(watched.use_count(), 1);
  MpscQueue<std::unique_ptr<int>> queue;
  queue.push(std::make_unique<int>(3));
  EXPECT_EQ(**queue.pop(), 3);
}

}  // namespace
}  // namespace ssx
