// What all instances of plugins of a server share: its App, its loops, its metrics.
//
// Thread: built and opened by the control thread before the server starts; then any thread
// Owner:  who owns the App (the daemon, a test)
// Life:   longer than every Instance, and than what the Registry is asked
// Bounds: kNamesMax different names of instances and counters
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ssxrver/app/app.h"
#include "ssxrver/app/route_options.h"
#include "ssxrver/base/mutex.h"
#include "ssxrver/base/result.h"
#include "ssxrver/db/databases.h"
#include "ssxrver/metrics/registry.h"
#include "ssxrver/plugin/abi.h"
#include "ssxrver/plugin/host/named_route.h"

/// One worker, as the border names it.
struct ssxrver_loop {
  ssx::net::EventLoop* loop;
  std::uint32_t index;
};

namespace ssx::plugins {

struct EnvironmentOptions {
  /// Null: nothing is scraped.
  metrics::Registry* registry = nullptr;
  /// What a JSON object with keys of `websocket` says, on top of the configuration's own; of ""
  /// that alone. Empty: the defaults, and no plugin may choose.
  using SocketOptions =
      std::function<Expected<WebSocketRouteOptions, std::string>(std::string_view)>;
  SocketOptions socket_options = {};
  /// What the configuration says of routes that plugins name; empty: nothing.
  RouteRules route_rules = {};
  /// Null: there are none. They outlive the loops.
  db::Databases* databases = nullptr;
};

class Environment {
 public:
  static constexpr std::size_t kNamesMax = 16384;

  explicit Environment(App& app, EnvironmentOptions options = {});
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  /// Between App::bind() and App::serve(): from here on its loops are known.
  void open();

  [[nodiscard]] App& app() const noexcept { return app_; }
  [[nodiscard]] metrics::Registry* registry() const noexcept { return options_.registry; }
  /// The error names it, and those that there are.
  [[nodiscard]] Expected<db::Database*, std::string> find_database(std::string_view name) const;
  [[nodiscard]] Expected<WebSocketRouteOptions, std::string> socket_options(
      std::string_view json) const;
  /// As the configuration has it.
  [[nodiscard]] RuledRoutes apply_rules(std::string_view plugin, const std::vector<NamedRoute>& all,
                                        std::size_t index) const;

  [[nodiscard]] std::uint32_t worker_count() const noexcept { return worker_count_; }
  /// The worker whose loop runs on this thread.
  [[nodiscard]] std::optional<std::uint32_t> current_worker() const noexcept;
  /// Null before open(), and for a worker that there is none of.
  [[nodiscard]] ssxrver_loop* loop(std::uint32_t worker) noexcept {
    return worker < loops_.size() ? &loops_[worker] : nullptr;
  }

  /// The same address for the same text; it lives as long as this. Nothing when there are too many.
  [[nodiscard]] std::optional<std::string_view> keep_name(std::string_view name);

 private:
  App& app_;
  const EnvironmentOptions options_;
  const std::uint32_t worker_count_;
  std::vector<ssxrver_loop> loops_;
  Mutex mutex_;
  std::set<std::string, std::less<>> names_ SSX_GUARDED_BY(mutex_);
};

}  // namespace ssx::plugins
