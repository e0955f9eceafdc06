// Makes a handler of HTTP that answers handshakes, and WebSockets of those that are good.
//
// Thread: make_handler() before the server starts; the handler on every worker
// Owner:  the Router has the handler, which has the Route
// Life:   that of the server; the Service's is longer
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
#include "websocket/handlers.h"
#include "websocket/handshake.h"
#include "websocket/route.h"
#include "websocket/service.h"
#include "websocket/session.h"

namespace ssx::websocket {

namespace internal {

/// Without on_upgrade there is nobody to make data that cannot be made of nothing.
template <class T>
Upgrade<T> plain_upgrade() {
  if constexpr (std::default_initializable<T>) return T{};
  return reject(http::Status::kInternalServerError);
}

}  // namespace internal

/// For GET. `name` is that of the route in logs.
template <class T>
http::Handler make_handler(Service& service, std::string name, Handlers<T> handlers) {
  auto on_upgrade = std::move(handlers.on_upgrade);
  Options options = std::move(handlers.limits);
  auto route = std::make_shared<const Route>(std::move(name), std::move(options),
                                             std::move(handlers).take_callbacks());
  return http::make_handler(
      [&service, route = std::move(route),
       on_upgrade = std::move(on_upgrade)](const http::Request& request) -> http::Response {
        const Handshake handshake = accept_handshake(request, route->options, false);
        if (handshake.error != Errc::kOk) return refusal(handshake.error);
        Upgrade<T> upgrade = on_upgrade ? on_upgrade(request) : internal::plain_upgrade<T>();
        if (upgrade.is_rejected()) return upgrade.take_answer();
        auto make = [&service, &route = *route,
                     agreed = Agreed{handshake.subprotocol, handshake.deflate},
                     data = upgrade.take_data()](
                        net::Connection& connection) mutable -> std::unique_ptr<net::Protocol> {
          WorkerState& state = service.worker(connection.table().worker());
          return std::make_unique<SessionOf<T>>(connection, route, state, agreed, std::move(data));
        };
        http::Response answer = http::Response::switch_protocols("websocket", std::move(make));
        add_fields(answer, handshake);
        upgrade.add_fields_to(answer);
        return answer;
      });
}

}  // namespace ssx::websocket
