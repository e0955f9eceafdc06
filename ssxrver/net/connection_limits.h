// How many connections there may be, over all workers and per worker, counted exactly: a place is
// taken for a connection that is there, and an attempt that fails leaves no trace that another
// could take for a connection.
//
// Thread: any thread, but a worker's places are taken by one (its own, or the accept thread)
// Owner:  TcpServer
// Life:   longer than the acceptors and workers
// Bounds: WorkerOptions: connections, connections_per_worker, overload_percent
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "ssxrver/net/options.h"

namespace ssx::net {

class ConnectionLimits {
 public:
  /// Descriptors that are no connections: listeners, logs, files being served.
  static constexpr std::uint64_t kReservedFiles = 64;

  /// `file_limit`: RLIMIT_NOFILE's soft value, for `connections` -1.
  ConnectionLimits(const WorkerOptions& options, std::uint64_t file_limit);

  /// Takes a place on this worker; false when it or the whole server is full.
  [[nodiscard]] bool try_add(unsigned worker) noexcept;
  /// Takes a place on the worker whose turn it is; none when every one is full. Accept thread only.
  [[nodiscard]] std::optional<unsigned> try_add(Balance balance) noexcept;
  /// There is no place on this worker just now; one of the whole server another may take first.
  [[nodiscard]] bool is_full(unsigned worker) const noexcept;
  /// There is none on any. Exact for the accept thread, because nobody else takes places.
  [[nodiscard]] bool is_full() const noexcept;
  /// Gives a place back.
  void remove(unsigned worker) noexcept;
  [[nodiscard]] std::uint64_t max() const noexcept { return max_; }
  /// From here on idle connections are closed, oldest first.
  [[nodiscard]] std::uint64_t soft_max() const noexcept { return soft_max_; }
  [[nodiscard]] std::uint64_t total() const noexcept {
    return total_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t of(unsigned worker) const noexcept {
    return workers_[worker].count.load(std::memory_order_relaxed);
  }

 private:
  struct alignas(64) PerWorker {
    std::atomic<std::uint64_t> count{0};
  };

  [[nodiscard]] std::optional<unsigned> try_add_round_robin() noexcept;
  [[nodiscard]] unsigned least_loaded() const noexcept;

  const unsigned worker_count_;
  const std::uint64_t max_;
  const std::uint64_t soft_max_;
  const std::uint64_t per_worker_max_;
  const std::unique_ptr<PerWorker[]> workers_;
  unsigned next_ = 0;
  alignas(64) std::atomic<std::uint64_t> total_{0};
};

}  // namespace ssx::net
