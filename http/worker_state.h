// What the sessions of one worker take turns in using: a request is read, routed and answered in
// one go, so one set is enough and an idle connection needs none of it.
//
// Thread: loop-only (counters: any thread may read)
// Owner:  Service
// Life:   that of the server
// Bounds: kSpareMax incomplete requests' blocks are kept for reuse
//
// Its table of routes may be replaced between two turns. A request that is answered in one go is
// through with it by then; one that waits holds the table that it began with.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "http/access_log.h"
#include "http/counters.h"
#include "http/error_pages.h"
#include "http/exchange.h"
#include "http/held_routes.h"
#include "http/known_heads.h"
#include "http/response_writer.h"
#include "http/spare_memory.h"
#include "ssxrver/net/event_loop.h"

namespace ssx::http {

class Service;

class WorkerState {
 public:
  static constexpr std::size_t kSpareMax = 16;

  WorkerState(Service& service, std::uint32_t index, std::shared_ptr<const Router> router);

  /// From a function of its own on the loop (EventLoop::post), never from within a handler:
  /// requests that begin from here on find their routes there. The register of both tables is the
  /// same.
  void use(std::shared_ptr<const Router> router);
  [[nodiscard]] const Router& router() const noexcept { return routes_->router(); }
  /// For whoever waits with a route of it.
  [[nodiscard]] const LocalRef<HeldRoutes>& routes() const noexcept { return routes_; }
  /// Those of a route of this table or of an earlier one; with id 0 those of the options.
  [[nodiscard]] const RouteLimits& limits(LimitsId id) const noexcept {
    return id == 0 ? default_limits_ : router().limits(id);
  }

  /// What the next request is read into, and answered from if that needs no waiting.
  [[nodiscard]] Exchange& exchange() noexcept { return *exchange_; }
  /// The same, for a session that has to wait; another one takes its place.
  [[nodiscard]] std::unique_ptr<Exchange> take_exchange();
  void give_back(std::unique_ptr<Exchange> exchange) noexcept;

  /// Brings the Date field up to date, at most once per second.
  void update_time(const net::EventLoop& loop) {
    if (loop.now() >= next_second_) tell_time(loop);
  }
  /// Civil time at a moment close to the last update_time().
  [[nodiscard]] WallTime wall_time(TimePoint when) const noexcept {
    return wall_next_second_ + (when - next_second_);
  }

  Service& service;
  const std::uint32_t index;
  ResponseWriter writer;
  std::vector<char> path_scratch;
  KnownHeads known_heads;
  Counters counters;
  SpareMemory spare_memory;
  ErrorPages error_pages;
  std::unique_ptr<AccessLog> access_log;  ///< null: nobody wants the lines

 private:
  void tell_time(const net::EventLoop& loop);

  const RouteLimits& default_limits_;
  LocalRef<HeldRoutes> routes_;
  TimePoint next_second_ = TimePoint::min();
  WallTime wall_next_second_;
  std::unique_ptr<Exchange> exchange_;
  std::vector<std::unique_ptr<Exchange>> spare_;
};

}  // namespace ssx::http
