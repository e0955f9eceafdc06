// A handler of a plugin as one of http: called at once, on a task thread, or by a coroutine.
//
// Thread: every worker, and task threads, at the same time
// Owner:  shared by the handlers that are made of it
// Life:   until the last of them goes: then the plugin is told, once (release)
// Bounds: one lease of the instance (kRoutes)
#pragma once

#include <memory>
#include <string>

#include "http/handler.h"
#include "ssxrver/app/route_settings.h"
#include "ssxrver/plugin/abi.h"
#include "ssxrver/plugin/host/instance.h"
#include "ssxrver/plugin/host/leases.h"

namespace ssx::plugins {

class HandlerRoute {
 public:
  /// `name`: "GET /notes/{id}", for the log.
  HandlerRoute(Instance& instance, std::string name, const ssxrver_handler& handler);
  ~HandlerRoute();
  HandlerRoute(const HandlerRoute&) = delete;
  HandlerRoute& operator=(const HandlerRoute&) = delete;

  /// `run_on` does not matter to one that answers later.
  [[nodiscard]] static http::Handler make_handler(std::shared_ptr<const HandlerRoute> route,
                                                  RunOn run_on);

 private:
  [[nodiscard]] http::Response call_now(const http::Request& request) const;
  [[nodiscard]] http::Response call_on_task_thread(const http::Request& request) const;
  [[nodiscard]] Task<http::Response> call_later(const http::Request& request) const;
  std::int32_t call(const http::Request& request, ssxrver_exchange& exchange,
                    ssxrver_operation& started) const noexcept;

  Instance& instance_;
  Lease lease_;
  const std::string name_;
  const char* const label_;
  const ssxrver_handler handler_;
};

}  // namespace ssx::plugins
