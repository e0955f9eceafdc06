// Bytes that several may have together: contexts of permessage-deflate (ServiceOptions::
// deflate_memory), or what other threads have posted to a worker that it has not come to yet (its
// share of ServiceOptions::unsent_max: no socket reads slowly then, so no policy bounds that).
//
// Thread: any
// Owner:  Service (deflate); WorkerState and the handles of its sockets (posted)
// Life:   longer than whoever takes from it
// Bounds: `max` for try_take(). What must not be refused is counted only: contexts that receive,
//         since we have agreed that the peer may compress; the closes of handles
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace ssx::websocket {

class ByteBudget {
 public:
  explicit ByteBudget(std::size_t max) noexcept : max_(max) {}
  ByteBudget(const ByteBudget&) = delete;
  ByteBudget& operator=(const ByteBudget&) = delete;

  /// False when so much is not left; refused() counts it.
  [[nodiscard]] bool try_take(std::size_t bytes) noexcept {
    std::size_t used = used_.load(std::memory_order_relaxed);
    do {
      if (used > max_ || bytes > max_ - used) {
        refused_.fetch_add(1, std::memory_order_relaxed);
        return false;
      }
    } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
    return true;
  }
  /// Whatever is left.
  void take(std::size_t bytes) noexcept { used_.fetch_add(bytes, std::memory_order_relaxed); }
  void give_back(std::size_t bytes) noexcept { used_.fetch_sub(bytes, std::memory_order_relaxed); }

  [[nodiscard]] std::size_t max() const noexcept { return max_; }
  [[nodiscard]] std::size_t used() const noexcept { return used_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t refused() const noexcept {
    return refused_.load(std::memory_order_relaxed);
  }

 private:
  const std::size_t max_;
  std::atomic<std::size_t> used_{0};
  std::atomic<std::uint64_t> refused_{0};
};

}  // namespace ssx::websocket
