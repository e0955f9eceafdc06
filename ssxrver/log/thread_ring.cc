#include "ssxrver/log/thread_ring.h"

#include <bit>
#include <cstdlib>
#include <new>
#include <utility>

#include "ssxrver/base/assert.h"

namespace ssx::log {

ThreadRing::ThreadRing(Block block, std::size_t capacity, std::uint32_t generation,
                       std::uint32_t thread)
    : block_(std::move(block)), capacity_(capacity), generation_(generation), thread_(thread) {}

ThreadRing* ThreadRing::create(std::size_t capacity, std::uint32_t generation,
                               std::uint32_t thread) noexcept {
  const std::size_t size = std::bit_ceil(capacity);
  // Not touched here: the pages come as the ring fills for the first time.
  Block block(static_cast<std::byte*>(std::malloc(size)), [](std::byte* p) { std::free(p); });
  if (block == nullptr) return nullptr;
  return new (std::nothrow) ThreadRing(std::move(block), size, generation, thread);
}

/// `position` moves over a skip. Null when it has reached `tail`.
const RecordHeader* ThreadRing::record_at(std::uint64_t& position,
                                          std::uint64_t tail) const noexcept {
  if (position == tail) return nullptr;
  const std::size_t offset = position & (capacity_ - 1);
  const auto* const header = reinterpret_cast<const RecordHeader*>(block_.get() + offset);
  if (header->site != nullptr) return header;
  position += capacity_ - offset;
  return reinterpret_cast<const RecordHeader*>(block_.get());
}

const RecordHeader* ThreadRing::front() noexcept {
  std::uint64_t head = head_.load(std::memory_order_relaxed);
  if (head == tail_seen_) {
    tail_seen_ = tail_.load(std::memory_order_acquire);
    if (head == tail_seen_) return nullptr;
  }
  return record_at(head, tail_seen_);
}

void ThreadRing::pop() noexcept {
  std::uint64_t head = head_.load(std::memory_order_relaxed);
  const RecordHeader* const record = record_at(head, tail_seen_);
  SSX_DCHECK(record != nullptr);
  head_.store(head + record_size(record->bytes), std::memory_order_release);
}

std::uint64_t ThreadRing::take_lost() noexcept {
  const std::uint64_t lost = lost_.load(std::memory_order_relaxed);
  return lost - std::exchange(lost_taken_, lost);
}

const RecordHeader* ThreadRing::next_for_crash(std::uint64_t& position) const noexcept {
  const RecordHeader* const record = record_at(position, tail_.load(std::memory_order_acquire));
  if (record != nullptr) position += record_size(record->bytes);
  return record;
}

void RingList::add(ThreadRing& ring) noexcept {
  ThreadRing* head = first_.load(std::memory_order_relaxed);
  do {
    ring.next_in_list = head;
  } while (!first_.compare_exchange_weak(head, &ring, std::memory_order_release,
                                         std::memory_order_relaxed));
}

void RingList::remove(ThreadRing& ring) noexcept {
  ThreadRing* head = &ring;
  // It leads the list unless others were added since; only this thread removes, so what follows the
  // head does not change.
  if (first_.compare_exchange_strong(head, ring.next_in_list, std::memory_order_acq_rel)) return;
  for (ThreadRing* before = head; before != nullptr; before = before->next_in_list) {
    if (before->next_in_list != &ring) continue;
    before->next_in_list = ring.next_in_list;
    return;
  }
  SSX_UNREACHABLE();
}

}  // namespace ssx::log
