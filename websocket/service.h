// What the WebSockets of a server share: one WorkerState per worker, and how a route becomes a
// handler of HTTP.
//
// Thread: built before the server starts; then immutable, but for the WorkerStates, each loop-only
// Owner:  App (or a test)
// Life:   longer than every session
// Bounds: -
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "websocket/deflate_budget.h"
#include "websocket/options.h"
#include "websocket/worker_state.h"

namespace ssx::websocket {

class Service {
 public:
  /// `deflate_memory`: bytes that the contexts of permessage-deflate may take together.
  explicit Service(std::size_t deflate_memory = DeflateOptions().memory_budget)
      : deflate_budget_(deflate_memory) {}

  /// Once, before the server starts.
  void open(unsigned workers) {
    for (unsigned i = 0; i < workers; ++i)
      workers_.push_back(std::make_unique<WorkerState>(deflate_budget_));
  }

  [[nodiscard]] WorkerState& worker(std::uint32_t index) noexcept { return *workers_[index]; }
  [[nodiscard]] std::size_t worker_count() const noexcept { return workers_.size(); }

 private:
  DeflateBudget deflate_budget_;
  std::vector<std::unique_ptr<WorkerState>> workers_;
};

}  // namespace ssx::websocket
