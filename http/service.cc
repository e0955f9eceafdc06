#include "http/service.h"

#include <utility>

#include "http/fallback.h"
#include "http/session.h"

namespace ssx::http {

Service::Service(Router router, const HttpOptions& options, unsigned workers, Handler fallback)
    : Service(std::make_shared<const Router>(std::move(router)), options, workers,
              std::move(fallback)) {}

Service::Service(std::shared_ptr<const Router> router, const HttpOptions& options, unsigned workers,
                 Handler fallback)
    : options_(options),
      default_limits_(RouteLimits::from(options)),
      fallback_{fallback ? std::move(fallback) : Handler(&answer_without_route), default_limits_,
                ""} {
  for (unsigned index = 0; index < workers; ++index) {
    workers_.push_back(std::make_unique<WorkerState>(*this, index, router));
  }
}

std::unique_ptr<net::Protocol> Service::make_session(std::uint32_t worker) {
  return std::make_unique<Session>(*workers_[worker]);
}

Result<void> Service::log_accesses(const AccessLogOptions& options, LineSink sink) {
  SSX_TRY(auto rules, AccessLog::Rules::create(options, sink));
  for (const auto& worker : workers_) {
    worker->access_log = std::make_unique<AccessLog>(*rules, worker->index, worker->counters);
  }
  access_rules_ = std::move(rules);
  return {};
}

bool Service::reserve_spool(std::uint64_t bytes) noexcept {
  if (spooled_.fetch_add(bytes, std::memory_order_relaxed) + bytes <= options_.upload_tmp_total)
    return true;
  release_spool(bytes);
  return false;
}

void Service::release_spool(std::uint64_t bytes) noexcept {
  spooled_.fetch_sub(bytes, std::memory_order_relaxed);
}

}  // namespace ssx::http
