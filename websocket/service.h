// What the WebSockets of a server share: one WorkerState per worker, and how a route becomes a
// handler of HTTP.
//
// Thread: built before the server starts; then immutable, but for the WorkerStates, each loop-only
// Owner:  App (or a test)
// Life:   longer than every session
// Bounds: ServiceOptions
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "websocket/deflate_budget.h"
#include "websocket/options.h"
#include "websocket/worker_state.h"

namespace ssx::websocket {

class Service {
 public:
  /// Once, before the server starts.
  void open(unsigned workers, const ServiceOptions& options = {}) {
    deflate_budget_ = std::make_unique<DeflateBudget>(options.deflate_memory);
    for (unsigned i = 0; i < workers; ++i)
      workers_.push_back(std::make_unique<WorkerState>(*deflate_budget_));
  }

  [[nodiscard]] WorkerState& worker(std::uint32_t index) noexcept { return *workers_[index]; }
  [[nodiscard]] std::size_t worker_count() const noexcept { return workers_.size(); }

 private:
  std::unique_ptr<DeflateBudget> deflate_budget_;  ///< goes after those that take from it
  std::vector<std::unique_ptr<WorkerState>> workers_;
};

}  // namespace ssx::websocket
