// What is counted about an instance of a plugin: one block per worker, and one for other threads.
//
// Thread: add() any thread; a block of a worker has one writer, that of the others a lock
// Owner:  the Instance
// Life:   that of the Instance; what it counted stays in the Registry's sums
// Bounds: one block per worker, and one
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "ssxrver/base/mutex.h"
#include "ssxrver/metrics/counter.h"
#include "ssxrver/metrics/registry.h"

namespace ssx::plugins {

class Environment;

struct alignas(64) Counters {
  metrics::Counter calls;           ///< of handlers of requests
  metrics::Counter failures;        ///< that gave an error, or threw: 500
  metrics::Counter misuses;         ///< of the border: no answer, two of them, another thread
  metrics::Counter cancelled;       ///< requests and messages whose client had gone, or time was up
  metrics::Counter messages;        ///< given to WebSocket handlers, or pieces of them
  metrics::Counter sockets;         ///< opened
  metrics::Counter ids_stale;       ///< work for a WebSocket that had ended, or was none of its own
  metrics::Counter queries;         ///< given to databases, and begins, commits, batches
  metrics::Counter query_failures;  ///< of them
  metrics::Counter counters_max_hit;  ///< counters refused: Instance::kCountersMax
  metrics::Gauge pending;             ///< requests that wait for their answer
};

/// What they are called, with the label `plugin`.
[[nodiscard]] std::array<metrics::Field<Counters>, 11> counter_fields(std::string_view plugin);

class CounterBlocks {
 public:
  /// `name`: that of the instance, which lasts as long as the Registry.
  CounterBlocks(Environment& environment, std::string_view name);

  [[nodiscard]] Counters& of_worker(std::uint32_t worker) noexcept { return blocks_[worker]; }
  /// On whatever thread.
  void add(metrics::Counter Counters::*counter) noexcept;
  /// Over all blocks.
  [[nodiscard]] std::uint64_t sum(metrics::Counter Counters::*counter) const noexcept;
  [[nodiscard]] std::int64_t pending() const noexcept;

 private:
  Environment& environment_;
  Mutex mutex_;                   ///< of the last block
  std::vector<Counters> blocks_;  ///< the last is that of other threads
  std::vector<metrics::Registry::Registration> registrations_;
};

}  // namespace ssx::plugins
