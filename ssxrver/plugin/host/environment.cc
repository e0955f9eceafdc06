#include "ssxrver/plugin/host/environment.h"

#include <fmt/format.h>

#include <utility>

#include "ssxrver/net/event_loop.h"
#include "ssxrver/net/tcp_server.h"
#include "ssxrver/net/worker.h"

namespace ssx::plugins {

Environment::Environment(App& app, EnvironmentOptions options)
    : app_(app), options_(std::move(options)), worker_count_(app.worker_count()) {}

void Environment::open() {
  SSX_ASSERT(app_.worker_count() == worker_count_);
  for (const auto& worker : app_.server().workers())
    loops_.push_back({&worker->loop(), worker->index()});
}

Expected<WebSocketRouteOptions, std::string> Environment::socket_options(
    std::string_view json) const {
  if (options_.socket_options) return options_.socket_options(json);
  if (json.empty()) return WebSocketRouteOptions();
  return UnexpectedOf<std::string>("this server reads no options of a route");
}

RuledRoutes Environment::apply_rules(std::string_view plugin, const std::vector<NamedRoute>& all,
                                     std::size_t index) const {
  if (options_.route_rules) return options_.route_rules(plugin, all, index);
  return std::vector<NamedRoute>{all[index]};
}

Expected<db::Database*, std::string> Environment::find_database(std::string_view name) const {
  if (options_.databases == nullptr || options_.databases->empty()) {
    return UnexpectedOf<std::string>(fmt::format("no database \"{}\": none is configured",
                                                 name.substr(0, db::kDatabaseNameMax)));
  }
  if (db::Database* const found = options_.databases->find(name)) return found;
  std::string names;
  for (const auto& each : *options_.databases) {
    names.append(names.empty() ? "\"" : ", \"").append(each.first).append("\"");
  }
  return UnexpectedOf<std::string>(fmt::format("no database \"{}\": configured: {}",
                                               name.substr(0, db::kDatabaseNameMax), names));
}

std::optional<std::uint32_t> Environment::current_worker() const noexcept {
  const net::EventLoop* const current = net::EventLoop::current();
  if (current == nullptr) return std::nullopt;
  for (const ssxrver_loop& each : loops_) {
    if (each.loop == current) return each.index;
  }
  return std::nullopt;
}

std::optional<std::string_view> Environment::keep_name(std::string_view name) {
  const MutexLock lock(mutex_);
  const auto found = names_.find(name);
  if (found != names_.end()) return *found;
  if (names_.size() >= kNamesMax) return std::nullopt;
  return *names_.emplace(name).first;
}

}  // namespace ssx::plugins
