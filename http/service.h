// Everything the sessions of a server share: options, and one WorkerState per worker, which has the
// routes of that worker.
//
// Thread: built before the server starts; then immutable, but for the WorkerStates, each loop-only
// Owner:  App (or a test)
// Life:   longer than every session
// Bounds: HttpOptions
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "http/access_log.h"
#include "http/options.h"
#include "http/request_guard.h"
#include "http/router.h"
#include "http/worker_state.h"
#include "ssxrver/base/line_sink.h"
#include "ssxrver/base/result.h"
#include "ssxrver/net/overload.h"
#include "ssxrver/net/protocol.h"

namespace ssx::http {

class Service {
 public:
  /// `fallback` answers requests that no route is for, for instance a composed
  /// answer_without_route(); that itself when it is null.
  Service(Router router, const HttpOptions& options, unsigned workers, Handler fallback = nullptr);
  /// The same with a table that somebody shares out, and may replace: WorkerState::use().
  Service(std::shared_ptr<const Router> router, const HttpOptions& options, unsigned workers,
          Handler fallback = nullptr);

  /// A session for a new connection of this worker.
  [[nodiscard]] std::unique_ptr<net::Protocol> make_session(std::uint32_t worker);

  /// Before the server starts: a line for each exchange. The errors are those of
  /// AccessLog::Rules::create.
  Result<void> log_accesses(const AccessLogOptions& options, LineSink sink);

  /// Before the server starts. Without one every request is let in, and its peer is the client.
  void set_guard(std::unique_ptr<RequestGuard> guard) noexcept { guard_ = std::move(guard); }
  [[nodiscard]] RequestGuard* guard() const noexcept { return guard_.get(); }

  /// Before the server starts: without memory the workers keep nothing that they can do without.
  void watch_memory(const net::Overload& overload) noexcept {
    for (const auto& worker : workers_) worker->spare_memory.watch(overload);
  }

  [[nodiscard]] const HttpOptions& options() const noexcept { return options_; }
  /// Those of the options.
  [[nodiscard]] const RouteLimits& default_limits() const noexcept { return default_limits_; }
  /// What answers a request to a path that no route has.
  [[nodiscard]] const Route& fallback() const noexcept { return fallback_; }
  [[nodiscard]] WorkerState& worker(std::uint32_t index) noexcept { return *workers_[index]; }
  [[nodiscard]] std::size_t worker_count() const noexcept { return workers_.size(); }

  /// Bytes of bodies in spool files, over all workers.
  [[nodiscard]] bool reserve_spool(std::uint64_t bytes) noexcept;
  void release_spool(std::uint64_t bytes) noexcept;

 private:
  const HttpOptions options_;
  const RouteLimits default_limits_;
  const Route fallback_;
  std::unique_ptr<const AccessLog::Rules> access_rules_;
  std::unique_ptr<RequestGuard> guard_;
  std::vector<std::unique_ptr<WorkerState>> workers_;
  std::atomic<std::uint64_t> spooled_{0};
};

}  // namespace ssx::http
