// What other threads have handed to a worker that it has not come to yet: how much that is.
//
// Thread: any thread
// Owner:  WorkerState, and the handles of its sockets
// Life:   that of the last of them
// Bounds: `max` bytes wait, each thing kEach more than its own; what does not fit is refused and
//         counted
//
// A worker that is behind has no slow peer to blame: no policy of a socket would bound this.
#pragma once

#include <atomic>
#include <cstdint>

namespace ssx::websocket {

class Posted {
 public:
  static constexpr std::uint64_t kEach = 256;  ///< of the mailbox, for each

  explicit Posted(std::uint64_t max) noexcept : max_(max) {}

  /// Before it is posted. False: it is not to be.
  [[nodiscard]] bool add(std::uint64_t bytes) noexcept {
    if (add_anyway(bytes) <= max_) [[likely]]
      return true;
    take(bytes);
    refused_.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  /// What must not be refused. How much waits now.
  std::uint64_t add_anyway(std::uint64_t bytes) noexcept {
    return waiting_.fetch_add(bytes + kEach, std::memory_order_relaxed) + bytes + kEach;
  }
  /// When the worker comes to it.
  void take(std::uint64_t bytes) noexcept {
    waiting_.fetch_sub(bytes + kEach, std::memory_order_relaxed);
  }

  [[nodiscard]] std::uint64_t waiting_bytes() const noexcept {
    return waiting_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t refused() const noexcept {
    return refused_.load(std::memory_order_relaxed);
  }

 private:
  const std::uint64_t max_;
  std::atomic<std::uint64_t> waiting_{0};
  std::atomic<std::uint64_t> refused_{0};
};

}  // namespace ssx::websocket
