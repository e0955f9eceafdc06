// What both faces of the client have: whom they ask, their route, and sessions that keep it alive.
//
// Thread: loop-only
// Owner:  shared between a face of the client and its session
// Life:   longer than every session of it
// Bounds: those of the route
#pragma once

#include <memory>
#include <utility>

#include "ssxrver/base/local_ref.h"
#include "ssxrver/coro/task.h"
#include "websocket/client/answer.h"
#include "websocket/client/dialer.h"
#include "websocket/client/failure.h"
#include "websocket/client/target.h"
#include "websocket/handlers.h"
#include "websocket/route.h"
#include "websocket/session.h"
#include "websocket/socket.h"

namespace ssx::websocket {

class ClientCore : public LocalShared {
 public:
  [[nodiscard]] const ClientTarget& target() const noexcept { return target_; }
  [[nodiscard]] const Route& route() const noexcept { return route_; }
  [[nodiscard]] Dialer& dialer() const noexcept { return *dialer_; }
  [[nodiscard]] LocalRef<RouteHere> here() const {
    return LocalRef<RouteHere>(new RouteHere(route_, dialer_->state()));
  }
  /// The connection has taken what had to wait: net::Protocol::on_drain.
  virtual void drained() {}

 protected:
  ClientCore(LocalRef<Dialer> dialer, ClientTarget target, Callbacks callbacks,
             WhenBlocked when_blocked);

  /// The route's on_open is called before it ends; the answer is told just before that.
  [[nodiscard]] Task<Connected<void>> dial();

  /// `connection` is there until on_close.
  virtual void on_answer(net::Connection& connection, ClientAnswer answer) = 0;

 private:
  const LocalRef<Dialer> dialer_;
  const ClientTarget target_;
  const Route route_;
};

namespace internal {

/// A base that is destroyed last: a session needs its route to the end.
class KeepsCore {
 protected:
  explicit KeepsCore(LocalRef<LocalShared> core) noexcept : core_(std::move(core)) {}
  ~KeepsCore() = default;

 private:
  const LocalRef<LocalShared> core_;
};

}  // namespace internal

class ClientSession final : private internal::KeepsCore, public Session {
 public:
  ClientSession(net::Connection& connection, const Agreed& agreed, LocalRef<ClientCore> core)
      : KeepsCore(core),
        Session(connection, core->here(), agreed),
        core_(*core),
        socket_(*this, NoData{}) {}

  [[nodiscard]] WebSocketBase& socket() noexcept override { return socket_; }
  void on_drain(net::Connection& connection) override {
    Session::on_drain(connection);
    core_.drained();
  }

 private:
  ClientCore& core_;
  WebSocket<NoData> socket_;
};

}  // namespace ssx::websocket
