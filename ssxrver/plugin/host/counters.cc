#include "ssxrver/plugin/host/counters.h"

#include "ssxrver/plugin/host/environment.h"

namespace ssx::plugins {

using CounterField = metrics::Field<Counters>;

std::array<CounterField, 11> counter_fields(std::string_view plugin) {
  const metrics::Label label{"plugin", plugin};
  return {
      CounterField{"ssxrver_plugins_calls_total", "Requests given to handlers of plugins.",
                   &Counters::calls, label},
      CounterField{"ssxrver_plugins_failures_total", "Handlers of plugins that failed.",
                   &Counters::failures, label},
      CounterField{"ssxrver_plugins_misuses_total",
                   "What plugins did at the border that may not be done.", &Counters::misuses,
                   label},
      CounterField{"ssxrver_plugins_cancelled_total",
                   "Work of plugins that nobody waited for any more.", &Counters::cancelled, label},
      CounterField{"ssxrver_plugins_messages_total",
                   "WebSocket messages, or pieces, given to plugins.", &Counters::messages, label},
      CounterField{"ssxrver_plugins_sockets_total", "WebSockets of plugins.", &Counters::sockets,
                   label},
      CounterField{"ssxrver_plugins_stale_ids_total",
                   "Work of plugins for a WebSocket that had ended.", &Counters::ids_stale, label},
      CounterField{"ssxrver_plugins_queries_total",
                   "What plugins asked of databases: statements, begins, commits, batches of rows.",
                   &Counters::queries, label},
      CounterField{"ssxrver_plugins_query_failures_total",
                   "What databases, or their pools, refused plugins.", &Counters::query_failures,
                   label},
      CounterField{"ssxrver_plugins_counters_max_hits_total",
                   "Counters of plugins that were refused.", &Counters::counters_max_hit, label},
      CounterField{"ssxrver_plugins_pending", "Requests that wait for the answer of a plugin.",
                   &Counters::pending, label},
  };
}

CounterBlocks::CounterBlocks(Environment& environment, std::string_view name)
    : environment_(environment), blocks_(environment.worker_count() + 1) {
  metrics::Registry* const registry = environment.registry();
  if (registry == nullptr) return;
  const auto fields = counter_fields(name);
  for (const Counters& block : blocks_)
    registrations_.push_back(registry->attach<Counters>(fields, block));
}

void CounterBlocks::add(metrics::Counter Counters::*counter) noexcept {
  if (const auto worker = environment_.current_worker()) {
    (blocks_[*worker].*counter).add();
    return;
  }
  const MutexLock lock(mutex_);
  (blocks_.back().*counter).add();
}

std::uint64_t CounterBlocks::sum(metrics::Counter Counters::*counter) const noexcept {
  std::uint64_t all = 0;
  for (const Counters& block : blocks_) all += (block.*counter).value();
  return all;
}

std::int64_t CounterBlocks::pending() const noexcept {
  std::int64_t all = 0;
  for (const Counters& block : blocks_) all += block.pending.value();
  return all;
}

}  // namespace ssx::plugins
