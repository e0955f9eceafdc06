// The lines of one thread on their way to the back end: records in a ring of bytes.
//
// Record: RecordHeader, its arguments, padding to 8 bytes; a null site means: go on at the start.
//
// Thread: producer functions the thread that made it; consumer functions the back end
// Owner:  two, its thread and the back end; whoever leaves last frees it
// Life:   from the first line of a thread to its last line being formatted
// Bounds: the capacity given to create(); a record longer than half of it is never taken
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

#include "ssxrver/base/log.h"

namespace ssx::log {

class ThreadRing {
 public:
  /// Null when there is no memory. `capacity` is rounded up to a power of two.
  static ThreadRing* create(std::size_t capacity, std::uint32_t generation,
                            std::uint32_t thread) noexcept;

  /// The room that a record with `bytes` of arguments takes.
  static constexpr std::size_t record_size(std::size_t bytes) noexcept {
    return sizeof(RecordHeader) + ((bytes + 7) & ~std::size_t{7});
  }

  ThreadRing(const ThreadRing&) = delete;
  ThreadRing& operator=(const ThreadRing&) = delete;

  // Producer.
  /// Writes the header too. No arguments: no room.
  Slot reserve(const Site& site, std::uint32_t bytes, RecordFlags flags,
               std::uint64_t stamp) noexcept;
  /// Could ever hold such a record.
  [[nodiscard]] bool holds(std::uint32_t bytes) const noexcept {
    return record_size(bytes) <= capacity_ / 2;
  }
  /// With this record half of the ring is taken: time to wake the consumer.
  [[nodiscard]] bool filling(const Slot& slot) noexcept {
    if (slot.next - head_seen_ <= capacity_ / 2) [[likely]]
      return false;
    head_seen_ = head_.load(std::memory_order_acquire);
    return slot.next - head_seen_ > capacity_ / 2;
  }
  void count_lost() noexcept {
    lost_.store(lost_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint32_t generation() const noexcept { return generation_; }

  // Consumer.
  /// The oldest record, null when there is none.
  const RecordHeader* front() noexcept;
  /// Only after front() has given one.
  void pop() noexcept;
  /// Lines that found no room, since this was last asked.
  std::uint64_t take_lost() noexcept;
  /// The thread has ended: what is in here now is all.
  [[nodiscard]] bool closed() const noexcept { return closed_.load(std::memory_order_acquire); }

  // Either owner.
  /// The producer's last word; it must not touch the ring again.
  void leave_as_producer() noexcept {
    closed_.store(true, std::memory_order_release);
    leave();
  }
  void leave() noexcept {
    if (owners_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

  /// For the crash handler, when nobody else reads any more: the next record, and moves on.
  const RecordHeader* next_for_crash(std::uint64_t& position) const noexcept;
  [[nodiscard]] std::uint64_t head_for_crash() const noexcept {
    return head_.load(std::memory_order_relaxed);
  }

  ThreadRing* next_in_list = nullptr;  ///< RingList's

 private:
  using Block = std::unique_ptr<std::byte, void (*)(std::byte*)>;

  ThreadRing(Block block, std::size_t capacity, std::uint32_t generation, std::uint32_t thread);
  ~ThreadRing() = default;

  const RecordHeader* record_at(std::uint64_t& position, std::uint64_t tail) const noexcept;

  const Block block_;
  const std::size_t capacity_;
  const std::uint32_t generation_;
  const std::uint32_t thread_;
  std::atomic<int> owners_{2};
  std::atomic<bool> closed_{false};

  alignas(64) std::atomic<std::uint64_t> tail_{0};  // producer writes
  std::uint64_t head_seen_ = 0;
  std::atomic<std::uint64_t> lost_{0};

  alignas(64) std::atomic<std::uint64_t> head_{0};  // consumer writes
  std::uint64_t tail_seen_ = 0;
  std::uint64_t lost_taken_ = 0;
};

// In the header because it is the path of every line: inlined, the Slot stays in registers.
inline Slot ThreadRing::reserve(const Site& site, std::uint32_t bytes, RecordFlags flags,
                                std::uint64_t stamp) noexcept {
  const std::uint64_t tail = tail_.load(std::memory_order_relaxed);
  const std::size_t size = record_size(bytes);
  const std::size_t offset = tail & (capacity_ - 1);
  const std::size_t left = capacity_ - offset;
  const std::size_t skipped = left < size ? left : 0;
  const std::uint64_t next = tail + skipped + size;
  if (next - head_seen_ > capacity_) [[unlikely]] {
    head_seen_ = head_.load(std::memory_order_acquire);
    if (next - head_seen_ > capacity_) return {};
  }
  std::byte* at = block_.get() + offset;
  if (skipped != 0) [[unlikely]] {
    constexpr const Site* kSkip = nullptr;
    std::memcpy(at, &kSkip, sizeof kSkip);  // NOLINT: the pointer is meant
    at = block_.get();
  }
  auto* const header = new (at) RecordHeader{.site = &site,
                                             .stamp = stamp,
                                             .bytes = bytes,
                                             .suppressed = flags.suppressed,
                                             .thread = thread_,
                                             .cut = flags.cut,
                                             .formatted = flags.formatted};
  return {.arguments = reinterpret_cast<std::byte*>(header + 1), .tail = &tail_, .next = next};
}

/// Rings that the back end reads. Any thread adds without a lock; one thread walks and removes.
class RingList {
 public:
  void add(ThreadRing& ring) noexcept;
  [[nodiscard]] ThreadRing* first() const noexcept {
    return first_.load(std::memory_order_acquire);
  }
  /// Takes `ring` off the list. Only the thread that walks it.
  void remove(ThreadRing& ring) noexcept;

 private:
  std::atomic<ThreadRing*> first_{nullptr};
};

}  // namespace ssx::log
