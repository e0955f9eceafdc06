#include "ssxrver/plugin/host/handler_route.h"

#include <utility>

#include "ssxrver/plugin/host/exchange.h"

namespace ssx::plugins {

HandlerRoute::HandlerRoute(Instance& instance, std::string name, const ssxrver_handler& handler)
    : instance_(instance),
      lease_(instance.leases(), LeaseKind::kRoutes),
      name_(std::move(name)),
      label_(instance.keep_label(name_)),
      handler_(copy_table(handler)) {}

HandlerRoute::~HandlerRoute() {
  if (handler_.release == nullptr) return;
  instance_.call_void(name_, [this] { handler_.release(handler_.state); });
}

[[gnu::always_inline]] inline std::int32_t HandlerRoute::call(
    const http::Request& request, ssxrver_exchange& exchange,
    ssxrver_operation& started) const noexcept {
  Instance::charge(label_);
  return instance_.call(name_, [this, &request, &exchange, &started] {
    return handler_.handle(handler_.state, to_border(request), &exchange, &started);
  });
}

http::Handler HandlerRoute::make_handler(std::shared_ptr<const HandlerRoute> route, RunOn run_on) {
  if ((route->handler_.flags & SSXRVER_HANDLER_LATER) != 0) {
    return http::Handler([route = std::move(route)](const http::Request& request) {
      return route->call_later(request);
    });
  }
  if (run_on == RunOn::kTasks) {
    return http::Handler([route = std::move(route)](const http::Request& request) {
      return route->call_on_task_thread(request);
    });
  }
  return http::Handler([route = std::move(route)](const http::Request& request) {
    return route->call_now(request);
  });
}

http::Response HandlerRoute::call_now(const http::Request& request) const {
  instance_.counters().of_worker(request.worker()).calls.add();
  http::Response response;
  ssxrver_exchange exchange{instance_, name_, response};
  ssxrver_operation started{};
  const std::int32_t status = call(request, exchange, started);
  if (status == SSXRVER_OK && exchange.state == ssxrver_exchange::State::kAnswered) [[likely]]
    return response;
  if (status == SSXRVER_PENDING) {
    instance_.misuse(name_, "it answers later, and has not said so (SSXRVER_HANDLER_LATER)");
    if (started.cancel != nullptr)
      instance_.call_void(name_, [&started] { started.cancel(started.state); });
  }
  conclude(exchange, status);
  return response;
}

// The counters of the worker are not this thread's.
http::Response HandlerRoute::call_on_task_thread(const http::Request& request) const {
  instance_.counters().add(&Counters::calls);
  http::Response response;
  ssxrver_exchange exchange{instance_, name_, response};
  ssxrver_operation started{};
  const std::int32_t status = call(request, exchange, started);
  conclude(exchange, status);
  return response;
}

Task<http::Response> HandlerRoute::call_later(const http::Request& request) const {
  instance_.counters().of_worker(request.worker()).calls.add();
  http::Response response;
  LaterExchange later(instance_, name_, request, response);
  const std::int32_t status = call(request, later.exchange(), *later.pending().started());
  Pending& pending = later.pending();  // GCC 12 would copy what a call gives to co_await
  if (status == SSXRVER_PENDING) co_await pending;
  conclude(later.exchange(), status);
  co_return response;
}

}  // namespace ssx::plugins
