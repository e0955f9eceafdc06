// A route as the sessions of one worker see it: one reference leads to all that they share.
//
// Thread: loop-only
// Owner:  shared by the sessions of one worker on one route
// Life:   from the first of them to the last
// Bounds: -
#pragma once

#include <memory>
#include <utility>

#include "ssxrver/base/local_ref.h"
#include "websocket/route.h"

namespace ssx::websocket {

class WorkerState;

class RouteHere final : public LocalShared {
 public:
  /// `route` outlives it.
  RouteHere(const Route& route, WorkerState& state) noexcept : route_(route), state_(state) {}
  /// One of WorkerState::here(), which forgets it in time.
  RouteHere(std::shared_ptr<const Route> route, WorkerState& state) noexcept
      : route_(*route), state_(state), kept_(std::move(route)) {}
  ~RouteHere() override;

  [[nodiscard]] const Route& route() const noexcept { return route_; }
  [[nodiscard]] WorkerState& state() const noexcept { return state_; }

 private:
  const Route& route_;
  WorkerState& state_;
  const std::shared_ptr<const Route> kept_;  ///< null: its user sees to that
};

}  // namespace ssx::websocket
