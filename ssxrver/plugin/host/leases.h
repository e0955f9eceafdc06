// What holds an instance of a plugin: how much of which kind is under way that may still call it.
//
// Thread: any
// Owner:  the Instance
// Life:   that of the Instance, which ends with no lease left
// Bounds: -
//
// Whatever begins something takes its lease before that what began it gives up its own, so that the
// total is never 0 in between. What goes on until it is told to stop is no work to be waited for:
// when that alone is left, the loops are left, which ends it. At 0, with its routes gone, nothing
// calls the plugin any more, but a call may still be about to return: one turn of every loop later
// (Instance::leave_loop) none is.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace ssx::plugins {

enum class LeaseKind : std::uint8_t {
  kRoutes,    ///< handlers that are still in a table of routes
  kRequests,  ///< that wait for their answer
  kBodies,    ///< of answers that are being sent
  kSockets,
  kTimers,   ///< that fire once
  kWaits,    ///< operations of the host that the plugin waits for
  kTasks,    ///< on task threads, or on the way there
  kPosts,    ///< functions on their way to a loop
  kQueries,  ///< what it waits for from a database
  kTransactions,
  kRowStreams,
  kRepeats,  ///< timers that fire again and again: no work
};
inline constexpr std::size_t kLeaseKindCount = 12;

class Leases {
 public:
  void take(LeaseKind kind) noexcept {
    of(kind).fetch_add(1, std::memory_order_relaxed);
    if (kind != LeaseKind::kRepeats) work_.fetch_add(1, std::memory_order_relaxed);
    total_.fetch_add(1, std::memory_order_relaxed);
  }
  void give_back(LeaseKind kind) noexcept {
    of(kind).fetch_sub(1, std::memory_order_relaxed);
    if (kind != LeaseKind::kRepeats) work_.fetch_sub(1, std::memory_order_release);
    total_.fetch_sub(1, std::memory_order_release);
  }

  [[nodiscard]] std::uint64_t total() const noexcept {
    return total_.load(std::memory_order_acquire);
  }
  /// Of the total, what ends by itself.
  [[nodiscard]] std::uint64_t work() const noexcept {
    return work_.load(std::memory_order_acquire);
  }
  [[nodiscard]] std::uint64_t count(LeaseKind kind) const noexcept {
    return kinds_[static_cast<std::size_t>(kind)].load(std::memory_order_relaxed);
  }
  /// "2 sockets, 1 timer"; empty when nothing holds it.
  [[nodiscard]] std::string to_string() const;

 private:
  [[nodiscard]] std::atomic<std::uint64_t>& of(LeaseKind kind) noexcept {
    return kinds_[static_cast<std::size_t>(kind)];
  }

  std::atomic<std::uint64_t> total_{0};
  std::atomic<std::uint64_t> work_{0};
  std::array<std::atomic<std::uint64_t>, kLeaseKindCount> kinds_{};
};

/// One of them, for as long as it is there.
class [[nodiscard]] Lease {
 public:
  Lease() noexcept = default;
  Lease(Leases& leases, LeaseKind kind) noexcept : leases_(&leases), kind_(kind) {
    leases.take(kind);
  }
  Lease(Lease&& other) noexcept
      : leases_(std::exchange(other.leases_, nullptr)), kind_(other.kind_) {}
  Lease& operator=(Lease&& other) noexcept {
    if (this != &other) {
      end();
      leases_ = std::exchange(other.leases_, nullptr);
      kind_ = other.kind_;
    }
    return *this;
  }
  ~Lease() { end(); }

  void end() noexcept {
    if (leases_ != nullptr) std::exchange(leases_, nullptr)->give_back(kind_);
  }

 private:
  Leases* leases_ = nullptr;
  LeaseKind kind_ = LeaseKind::kRoutes;
};

}  // namespace ssx::plugins
