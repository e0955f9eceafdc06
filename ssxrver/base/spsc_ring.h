// One producer, one consumer, no lock, no allocation after construction.
//
// Thread: push() the one producer; pop() the one consumer; empty() either
// Owner:  owns the values inside
// Life:   outlives both
// Bounds: the capacity given at construction, rounded up to a power of two
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "ssxrver/base/assert.h"

namespace ssx {

template <class T>
class SpscRing {
 public:
  explicit SpscRing(std::size_t capacity)
      : mask_(std::bit_ceil(capacity) - 1),
        slots_(std::make_unique<std::optional<T>[]>(mask_ + 1)) {
    SSX_ASSERT(capacity > 0);
  }

  /// False, and `value` untouched, when the ring is full.
  bool push(T&& value) {
    const std::size_t tail = tail_.load(std::memory_order_relaxed);
    if (tail - head_.load(std::memory_order_acquire) > mask_) return false;
    slots_[tail & mask_].emplace(std::move(value));
    tail_.store(tail + 1, std::memory_order_release);
    return true;
  }

  std::optional<T> pop() {
    const std::size_t head = head_.load(std::memory_order_relaxed);
    if (head == tail_.load(std::memory_order_acquire)) return std::nullopt;
    std::optional<T> value(std::move(slots_[head & mask_]));
    slots_[head & mask_].reset();
    head_.store(head + 1, std::memory_order_release);
    return value;
  }

  [[nodiscard]] bool empty() const noexcept {
    return head_.load(std::memory_order_acquire) == tail_.load(std::memory_order_acquire);
  }

 private:
  const std::size_t mask_;
  const std::unique_ptr<std::optional<T>[]> slots_;
  alignas(64) std::atomic<std::size_t> head_{0};
  alignas(64) std::atomic<std::size_t> tail_{0};
};

}  // namespace ssx
