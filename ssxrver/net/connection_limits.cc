#include "ssxrver/net/connection_limits.h"

#include <algorithm>

#include "ssxrver/base/assert.h"

namespace ssx::net {
namespace {

constexpr std::uint64_t kReservedFiles = ConnectionLimits::kReservedFiles;

// Without overflow, for values as large as "unlimited".
std::uint64_t percent_of(std::uint64_t value, unsigned percent) noexcept {
  return value / 100 * percent + value % 100 * percent / 100;
}

// `limits.connections` -1: min(connections_auto_max, 0.8 x (file limit - 64)).
std::uint64_t resolve_max(const WorkerOptions& options, std::uint64_t file_limit) noexcept {
  if (options.connections >= 0) return static_cast<std::uint64_t>(options.connections);
  const std::uint64_t usable = file_limit > kReservedFiles ? file_limit - kReservedFiles : 1;
  const auto most =
      static_cast<std::uint64_t>(std::max<std::int64_t>(1, options.connections_auto_max));
  return std::clamp<std::uint64_t>(percent_of(usable, 80), 1, most);
}

// Never above the limit, not even for a moment: two workers cannot both take the last place, and
// nobody who looks sees one too many.
bool add_below(std::atomic<std::uint64_t>& count, std::uint64_t limit) noexcept {
  std::uint64_t seen = count.load(std::memory_order_relaxed);
  do {
    if (seen >= limit) return false;
  } while (!count.compare_exchange_weak(seen, seen + 1, std::memory_order_relaxed));
  return true;
}

}  // namespace

ConnectionLimits::ConnectionLimits(const WorkerOptions& options, std::uint64_t file_limit)
    : worker_count_(options.count),
      max_(resolve_max(options, file_limit)),
      soft_max_(std::max<std::uint64_t>(1, percent_of(max_, options.overload_percent))),
      per_worker_max_(options.connections_per_worker < 0
                          ? UINT64_MAX
                          : static_cast<std::uint64_t>(options.connections_per_worker)),
      workers_(std::make_unique<PerWorker[]>(options.count)) {
  SSX_ASSERT(options.count > 0);
}

// The worker's count first: nobody else asks for those places, so nobody is refused for one that is
// given back in the next line.
bool ConnectionLimits::try_add(unsigned worker) noexcept {
  if (!add_below(workers_[worker].count, per_worker_max_)) return false;
  if (add_below(total_, max_)) return true;
  workers_[worker].count.fetch_sub(1, std::memory_order_relaxed);
  return false;
}

bool ConnectionLimits::is_full(unsigned worker) const noexcept {
  return total() >= max_ || of(worker) >= per_worker_max_;
}

bool ConnectionLimits::is_full() const noexcept {
  if (total() >= max_) return true;
  return per_worker_max_ != UINT64_MAX && of(least_loaded()) >= per_worker_max_;
}

std::optional<unsigned> ConnectionLimits::try_add(Balance balance) noexcept {
  if (balance == Balance::kRoundRobin) return try_add_round_robin();
  const unsigned worker = least_loaded();
  return try_add(worker) ? std::optional(worker) : std::nullopt;
}

void ConnectionLimits::remove(unsigned worker) noexcept {
  total_.fetch_sub(1, std::memory_order_relaxed);
  workers_[worker].count.fetch_sub(1, std::memory_order_relaxed);
}

std::optional<unsigned> ConnectionLimits::try_add_round_robin() noexcept {
  for (unsigned tries = 0; tries < worker_count_; ++tries) {
    const unsigned worker = next_;
    next_ = (next_ + 1) % worker_count_;
    if (try_add(worker)) return worker;
  }
  return std::nullopt;
}

unsigned ConnectionLimits::least_loaded() const noexcept {
  unsigned least = 0;
  for (unsigned worker = 1; worker < worker_count_; ++worker) {
    if (of(worker) < of(least)) least = worker;
  }
  return least;
}

}  // namespace ssx::net
