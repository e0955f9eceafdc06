// A counter of the plugin's own: a cell per worker, and one for other threads. (i)
//
// Thread: add() any thread
// Owner:  the Instance
// Life:   that of the Instance; what it counted stays in the Registry's sums
// Bounds: one cell per worker, and one
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "ssxrver/base/mutex.h"
#include "ssxrver/metrics/counter.h"
#include "ssxrver/metrics/registry.h"
#include "ssxrver/plugin/abi.h"
#include "ssxrver/plugin/host/environment.h"

struct ssxrver_counter {
 public:
  /// The texts last as long as the Registry.
  ssxrver_counter(ssx::plugins::Environment& environment, std::string_view name,
                  std::string_view help);

  void add(std::uint64_t amount) noexcept;
  [[nodiscard]] std::uint64_t sum() const noexcept;

 private:
  struct alignas(64) Cell {
    ssx::metrics::Counter value;
  };

  ssx::plugins::Environment& environment_;
  ssx::Mutex mutex_;         ///< of the last cell
  std::vector<Cell> cells_;  ///< the last is that of other threads
  std::vector<ssx::metrics::Registry::Registration> registrations_;
};
