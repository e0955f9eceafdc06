#include "websocket/worker_state.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "websocket/service.h"

namespace ssx::websocket {
namespace {

TEST(WorkerState, LendsItsBlocksAgain) {
  Service service;
  service.open(1);
  WorkerState& state = service.worker(0);
  auto block = state.take_block();
  const MessageBlock* const first = block.get();
  block->buffer.assign(std::string(1000, 'x'));
  EXPECT_FALSE(block->utf8.feed(as_bytes("\xFF")));
  state.give_back(std::move(block));
  block = state.take_block();
  EXPECT_EQ(block.get(), first);
  EXPECT_TRUE(block->buffer.empty());
  EXPECT_TRUE(block->utf8.is_complete());
}

TEST(WorkerState, KeepsNoLargeBlockAndNotTooMany) {
  Service service;
  service.open(1);
  WorkerState& state = service.worker(0);
  auto large = state.take_block();
  large->buffer.reserve(WorkerState::kSpareBytesMax + 1);
  const std::size_t capacity = large->buffer.capacity();
  state.give_back(std::move(large));
  EXPECT_LT(state.take_block()->buffer.capacity(), capacity);
  std::vector<std::unique_ptr<MessageBlock>> blocks;
  for (std::size_t i = 0; i <= WorkerState::kSpareMax; ++i) {
    blocks.push_back(state.take_block());
    blocks.back()->buffer.reserve(100);
  }
  for (auto& block : blocks) state.give_back(std::move(block));
  std::size_t kept = 0;
  for (auto& block : blocks) {
    block = state.take_block();
    kept += block->buffer.capacity() >= 100 ? 1 : 0;
  }
  EXPECT_EQ(kept, WorkerState::kSpareMax);
}

}  // namespace
}  // namespace ssx::websocket
