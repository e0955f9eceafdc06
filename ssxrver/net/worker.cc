#include "ssxrver/net/worker.h"

#include <fmt/core.h>

#include <utility>

#include "ssxrver/base/log.h"
#include "ssxrver/sys/event.h"

namespace ssx::net {

Result<std::unique_ptr<Worker>> Worker::create(std::uint32_t index, const LoopOptions& loop_options,
                                               const ConnectionOptions& connection,
                                               OpenFunction open) {
  SSX_TRY(std::unique_ptr<EventLoop> loop, EventLoop::create(loop_options));
  SSX_TRY(sys::UniqueFd eventfd, sys::eventfd_create());
  std::unique_ptr<Worker> worker(
      new Worker(index, std::move(loop), connection, std::move(eventfd), std::move(open)));
  SSX_TRY_VOID(worker->loop_->add(worker->inbox_, kReadable));
  return worker;
}

Worker::Worker(std::uint32_t index, std::unique_ptr<EventLoop> loop,
               const ConnectionOptions& connection, sys::UniqueFd eventfd, OpenFunction open)
    : index_(index),
      loop_(std::move(loop)),
      open_(std::move(open)),
      connections_(*loop_, connection, index),
      inbox_(*this, std::move(eventfd)) {}

Worker::~Worker() {
  stop();
  join();
}

Result<void> Worker::start(std::optional<unsigned> core, UniqueFunction<void()> on_start) {
  SSX_TRY(thread_, Thread::start(fmt::format("worker-{}", index_), core,
                                 [this, on_start = std::move(on_start)]() mutable {
                                   loop_->run(std::move(on_start));
                                 }));
  return {};
}

bool Worker::wake() {
  if (told_.exchange(true, std::memory_order_acq_rel)) return false;
  if (const auto signalled = sys::eventfd_signal(inbox_.fd()); !signalled) {
    told_.store(false, std::memory_order_release);
    SSX_LOG_RATED(ERROR, std::chrono::seconds(1), "{}", signalled.error().message());
  }
  return true;
}

void Worker::take_in() {
  told_.exchange(false, std::memory_order_acq_rel);
  std::size_t answered = 0;
  for (std::size_t taken = 0; taken < kTakenPerTurn && answered < kAnsweredPerTurn; ++taken) {
    auto socket = ring_.pop();
    if (!socket) return;
    if (socket->accepted.has_spoken) ++answered;
    open(*std::move(socket));
  }
  (void)wake();  // the rest in the next turn: those who are connected come first
}

void Worker::discard_handed_over(const std::function<void(const Accepted&)>& visit) {
  while (const auto socket = ring_.pop()) visit(socket->accepted);
}

void Worker::Inbox::on_ready(Readiness) {
  (void)sys::eventfd_take(eventfd_.get());
  worker_.take_in();
}

}  // namespace ssx::net
