// The memory that contexts of permessage-deflate may have together.
//
// Thread: any
// Owner:  whoever serves: one for a process, or for a route
// Life:   longer than every DeflatePool that counts on it
// Bounds: ServiceOptions::deflate_memory for what sends. What receives is counted, but not refused:
//         the peer may compress, since we have agreed to it
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace ssx::websocket {

class DeflateBudget {
 public:
  explicit DeflateBudget(std::size_t max) noexcept : max_(max) {}
  DeflateBudget(const DeflateBudget&) = delete;
  DeflateBudget& operator=(const DeflateBudget&) = delete;

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
