// Makes a handler of HTTP that answers handshakes, and WebSockets of those that are good.
//
// Thread: make_handler() any; the handler on every worker
// Owner:  the Router has the handler, which shares the Route with the sessions that it made
// Life:   that of the server, or until the routes are replaced; the Service's is longer
// Bounds: Options
#pragma once

#include <concepts>
#include <memory>
#include <string>
#include <utility>

#include "http/handler.h"
#include "http/request.h"
#include "http/response.h"
#include "ssxrver/net/connection.h"
#include "ssxrver/net/connections.h"
#include "websocket/counters.h"
#include "websocket/handlers.h"
#include "websocket/handshake.h"
#include "websocket/route.h"
#include "websocket/service.h"
#include "websocket/session.h"

namespace ssx::websocket {

namespace internal {

/// Counts a good handshake that nothing has come of: with the frame of a coroutine that is
/// cancelled (Options::handshake_timeout, or the peer has gone), too.
class PendingUpgrade {
 public:
  explicit PendingUpgrade(Counters& counters) noexcept : counters_(counters) {}
  PendingUpgrade(const PendingUpgrade&) = delete;
  PendingUpgrade& operator=(const PendingUpgrade&) = delete;
  ~PendingUpgrade() {
    if (!accepted_) counters_.rejected.add();
  }
  void accept() noexcept { accepted_ = true; }

 private:
  Counters& counters_;
  bool accepted_ = false;
};

/// Makes WebSockets of good handshakes.
template <class T>
struct Upgrader {
  Service& service;
  std::shared_ptr<const Route> route;

  /// Without on_upgrade there is nobody to make data that cannot be made of nothing.
  [[nodiscard]] static Upgrade<T> plain_upgrade() {
    if constexpr (std::default_initializable<T>) return T{};
    return reject(http::Status::kInternalServerError);
  }

  [[nodiscard]] Counters& counters(const http::Request& request) const noexcept {
    return service.worker(request.worker()).counters;
  }
  [[nodiscard]] Handshake judge(const http::Request& request) const {
    Handshake handshake = accept_handshake(request, route->options, false);
    if (handshake.error != Errc::kOk) {
      counters(request).refused.add();
      counters(request).of(handshake.error).add();
    }
    return handshake;
  }
  [[nodiscard]] http::Response answer(const Handshake& handshake, Upgrade<T> upgrade,
                                      PendingUpgrade& pending) const {
    if (upgrade.is_rejected()) return upgrade.take_answer();
    pending.accept();
    auto make = [&service = service, route = route,
                 agreed = Agreed{handshake.subprotocol, handshake.deflate},
                 data = upgrade.take_data()](
                    net::Connection& connection) mutable -> std::unique_ptr<net::Protocol> {
      WorkerState& state = service.worker(connection.table().worker());
      return std::make_unique<SessionOf<T>>(connection, state.here(std::move(route)), agreed,
                                            std::move(data));
    };
    http::Response answer = http::Response::switch_protocols("websocket", std::move(make));
    add_fields(answer, handshake);
    upgrade.add_fields_to(answer);
    return answer;
  }
};

}  // namespace internal

/// For GET. `name` is that of the route in logs.
template <class T>
http::Handler make_handler(Service& service, std::string name, Handlers<T> handlers) {
  using internal::PendingUpgrade;
  using OnUpgrade = UpgradeHandler<T>;
  auto on_upgrade = std::move(handlers.on_upgrade).take();
  Options options = std::move(handlers.limits);
  internal::Upgrader<T> upgrader{
      service, service.share(std::make_unique<Route>(std::move(name), std::move(options),
                                                     std::move(handlers).take_callbacks()))};
  if (auto* later = std::get_if<typename OnUpgrade::Later>(&on_upgrade)) {
    return http::make_handler([upgrader, later = std::move(*later)](
                                  const http::Request& request) -> Task<http::Response> {
      const Handshake handshake = upgrader.judge(request);
      if (handshake.error != Errc::kOk) co_return refusal(handshake.error);
      PendingUpgrade pending(upgrader.counters(request));
      Upgrade<T> upgrade = co_await later(request);
      co_return upgrader.answer(handshake, std::move(upgrade), pending);
    });
  }
  return http::make_handler(
      [upgrader, now = std::get<typename OnUpgrade::Now>(std::move(on_upgrade))](
          const http::Request& request) -> http::Response {
        const Handshake handshake = upgrader.judge(request);
        if (handshake.error != Errc::kOk) return refusal(handshake.error);
        PendingUpgrade pending(upgrader.counters(request));
        Upgrade<T> upgrade = now ? now(request) : upgrader.plain_upgrade();
        return upgrader.answer(handshake, std::move(upgrade), pending);
      });
}

}  // namespace ssx::websocket
