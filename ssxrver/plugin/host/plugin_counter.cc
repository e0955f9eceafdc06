#include "ssxrver/plugin/host/plugin_counter.h"

#include <array>

using ssx::MutexLock;
using ssx::plugins::Environment;

ssxrver_counter::ssxrver_counter(Environment& environment, std::string_view name,
                                 std::string_view help)
    : environment_(environment), cells_(environment.worker_count() + 1) {
  auto* const registry = environment.registry();
  if (registry == nullptr) return;
  const std::array fields{ssx::metrics::Field<Cell>{name, help, &Cell::value}};
  for (const Cell& cell : cells_) registrations_.push_back(registry->attach<Cell>(fields, cell));
}

void ssxrver_counter::add(std::uint64_t amount) noexcept {
  if (const auto worker = environment_.current_worker()) return cells_[*worker].value.add(amount);
  const MutexLock lock(mutex_);
  cells_.back().value.add(amount);
}

std::uint64_t ssxrver_counter::sum() const noexcept {
  std::uint64_t all = 0;
  for (const Cell& cell : cells_) all += cell.value.value();
  return all;
}
