#include "ssxrver/net/task_pool.h"

#include <algorithm>
#include <string>

#include "ssxrver/base/assert.h"
#include "ssxrver/base/log.h"
#include "ssxrver/net/error.h"

namespace ssx::net {

Result<std::unique_ptr<TaskPool>> TaskPool::start(const TaskOptions& options) {
  auto pool = create(options);
  SSX_TRY_VOID(pool->launch());
  return pool;
}

std::unique_ptr<TaskPool> TaskPool::create(const TaskOptions& options) {
  return std::unique_ptr<TaskPool>(new TaskPool(options));
}

Result<void> TaskPool::launch() {
  SSX_ASSERT(threads_.empty());
  threads_.reserve(options_.threads);
  for (unsigned i = 0; i < options_.threads; ++i) {
    // When one cannot be had, the destructor joins those that run already.
    SSX_TRY(Thread thread,
            Thread::start("ssx-task-" + std::to_string(i), std::nullopt, [this] { work(); }));
    threads_.push_back(std::move(thread));
  }
  return {};
}

void TaskPool::stop(Pending pending) {
  std::deque<Entry> dropped;
  {
    const MutexLock lock(mutex_);
    SSX_ASSERT(std::ranges::find(ids_, std::this_thread::get_id()) == ids_.end());
    stopping_ = true;
    if (pending == Pending::kDrop) {
      dropped.swap(queue_);
      counters_.dropped.add(dropped.size());
      counters_.queued.set(0);
    }
  }
  arrived_.notify_all();
  room_.notify_all();
  const Error closed(ssx::Errc::kClosed, "task pool");
  for (auto& entry : dropped) entry(&closed);
  for (auto& thread : threads_) thread.join();
}

TaskPool::Admission TaskPool::admit() {
  if (stopping_) return Admission::kClosed;
  const bool has_threads = options_.threads > 0;
  if (has_threads && queue_.size() < options_.queue_limit) return Admission::kQueue;
  if (has_threads) counters_.queue_limit_hit.add();
  switch (options_.overflow) {
    case TaskOverflow::kReject:
      return has_threads ? Admission::kFull : Admission::kNoThreads;
    case TaskOverflow::kRunOnLoop:
      counters_.ran_on_loop.add();
      return Admission::kRunHere;
    case TaskOverflow::kBlock:
      break;
  }
  if (!has_threads) return Admission::kNoThreads;
  // Work that hands out work must not wait for itself.
  if (std::ranges::find(ids_, std::this_thread::get_id()) != ids_.end()) return Admission::kFull;
  while (!stopping_ && queue_.size() >= options_.queue_limit) room_.wait(mutex_);
  return stopping_ ? Admission::kClosed : Admission::kQueue;
}

void TaskPool::submit(Entry entry) {
  Admission admission = Admission::kQueue;
  {
    const MutexLock lock(mutex_);
    admission = admit();
    if (admission == Admission::kQueue) {
      queue_.push_back(std::move(entry));
      counters_.queued.add();
    }
  }
  switch (admission) {  // NOLINTBEGIN(bugprone-use-after-move): only kQueue has moved it
    case Admission::kQueue:
      arrived_.notify_one();
      return;
    case Admission::kRunHere: {
      const End end = entry(nullptr);
      const MutexLock lock(mutex_);
      count(end);
      return;
    }
    case Admission::kFull: {
      const Error full(Errc::kTaskQueueFull, "task queue");
      entry(&full);
      return;
    }
    case Admission::kClosed: {
      const Error closed(ssx::Errc::kClosed, "task pool");
      entry(&closed);
      return;
    }
    case Admission::kNoThreads: {
      const Error none(ssx::Errc::kUnsupported, "task threads");
      entry(&none);
      return;
    }
  }  // NOLINTEND(bugprone-use-after-move): as above
}

void TaskPool::work() {
  mutex_.lock();
  ids_.push_back(std::this_thread::get_id());
  for (;;) {
    while (queue_.empty() && !stopping_) arrived_.wait(mutex_);
    if (queue_.empty()) break;
    Entry entry = std::move(queue_.front());
    queue_.pop_front();
    counters_.queued.sub();
    mutex_.unlock();
    room_.notify_one();
    const End end = entry(nullptr);
    entry.reset();  // what the work captured ends here, without the lock
    mutex_.lock();
    count(end);
  }
  mutex_.unlock();
}

void TaskPool::count(End end) {
  switch (end) {
    case End::kDone:
      counters_.done.add();
      return;
    case End::kFailed:
      counters_.failed.add();
      return;
    case End::kAbandoned:
      counters_.abandoned.add();
      return;
    case End::kLate:
      counters_.late.add();
      return;
  }
}

Error internal::task_failed(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& error) {
    SSX_LOG_ERROR("work on a task thread threw: {}", error.what());
  } catch (...) {
    SSX_LOG_ERROR("work on a task thread threw something that is no std::exception");
  }
  return {Errc::kTaskFailed, "task"};
}

}  // namespace ssx::net
