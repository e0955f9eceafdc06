#include "websocket/worker_state.h"

#include <utility>

#include "websocket/session.h"

namespace ssx::websocket {

void MessageBlock::Done::call(Continuation& self) noexcept {
  auto& done = static_cast<Done&>(self);
  (done.session_->*done.tell_)();
}

WorkerState::WorkerState(DeflateBudget& budget) : deflate_pool(budget) {}
WorkerState::~WorkerState() = default;

std::unique_ptr<MessageBlock> WorkerState::take_block() {
  if (spare_.empty()) return std::make_unique<MessageBlock>();
  auto block = std::move(spare_.back());
  spare_.pop_back();
  return block;
}

void WorkerState::give_back(std::unique_ptr<MessageBlock> block) noexcept {
  block->handler.reset();
  if (spare_.size() == kSpareMax || block->text.capacity() > kSpareBytesMax) return;
  block->text.clear();
  block->utf8.reset();
  if (spare_.capacity() == 0) spare_.reserve(kSpareMax);
  spare_.push_back(std::move(block));
}

// A session leaves the list when it is done, which may be at once.
void WorkerState::close_all(CloseCode code) {
  std::vector<Session*> open;
  for (Session* session = sessions.front(); session != nullptr; session = sessions.next(*session))
    open.push_back(session);
  for (Session* const session : open) session->close(code, {});
}

}  // namespace ssx::websocket
