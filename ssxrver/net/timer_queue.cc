#include "ssxrver/net/timer_queue.h"

#include <algorithm>
#include <utility>

namespace ssx::net {

TimerId TimerQueue::add(TimePoint due, Duration period, UniqueFunction<void()> callback) {
  const TimerId id = timers_.insert({period, std::move(callback), 0});
  push({due, next_sequence_++, id});
  return id;
}

bool TimerQueue::cancel(TimerId id) {
  const Timer* timer = timers_.find(id);
  if (timer == nullptr) return false;
  if (timer->heap_index < heap_.size() && heap_[timer->heap_index].id == id) {
    remove_at(timer->heap_index);
  }
  // Erased values are destroyed after the bookkeeping: a callback may own what cancels other
  // timers.
  const auto erased = timers_.erase(id);
  return true;
}

bool TimerQueue::run_due(TimePoint now, std::size_t budget) {
  // Timers that callbacks add from here on wait for the next call, or a zero delay would starve the
  // loop.
  const std::uint64_t newest = next_sequence_;
  for (; !heap_.empty() && heap_.front().due <= now; --budget) {
    if (budget == 0 || heap_.front().sequence >= newest) return true;
    const Entry entry = heap_.front();
    remove_at(0);
    Timer* timer = timers_.find(entry.id);
    if (timer->period == Duration::zero()) {
      auto fired = timers_.erase(entry.id);
      fired->callback();
      continue;
    }
    timer->heap_index = SIZE_MAX;  // cancel() from inside the callback finds it out of the heap
    UniqueFunction<void()> callback = std::move(timer->callback);
    callback();
    timer = timers_.find(entry.id);
    if (timer == nullptr) continue;
    timer->callback = std::move(callback);
    // Periods that were missed are skipped, not caught up in a burst.
    const auto missed = (now - entry.due) / timer->period;
    push({entry.due + (missed + 1) * timer->period, next_sequence_++, entry.id});
  }
  return false;
}

void TimerQueue::push(Entry entry) {
  heap_.push_back(entry);
  place(heap_.size() - 1, entry);
  sift_up(heap_.size() - 1);
}

void TimerQueue::remove_at(std::size_t index) {
  const Entry last = heap_.back();
  heap_.pop_back();
  if (index == heap_.size()) return;
  place(index, last);
  sift_up(index);
  sift_down(timers_.find(last.id)->heap_index);
}

void TimerQueue::sift_up(std::size_t index) {
  const Entry entry = heap_[index];
  while (index > 0) {
    const std::size_t parent = (index - 1) / 2;
    if (!entry.before(heap_[parent])) break;
    place(index, heap_[parent]);
    index = parent;
  }
  place(index, entry);
}

void TimerQueue::sift_down(std::size_t index) {
  const Entry entry = heap_[index];
  while (true) {
    std::size_t child = 2 * index + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size() && heap_[child + 1].before(heap_[child])) ++child;
    if (!heap_[child].before(entry)) break;
    place(index, heap_[child]);
    index = child;
  }
  place(index, entry);
}

void TimerQueue::place(std::size_t index, const Entry& entry) {
  heap_[index] = entry;
  timers_.find(entry.id)->heap_index = index;
}

}  // namespace ssx::net
