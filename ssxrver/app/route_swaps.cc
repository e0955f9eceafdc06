#include "ssxrver/app/route_swaps.h"

#include <utility>

namespace ssx {

RoutesResult not_running(const char* sentence) {
  return UnexpectedOf<RouteProblems>(RouteProblems{{sentence}});
}

void RouteSwaps::send(const std::shared_ptr<const http::Router>& table, Then then) {
  control_.assert_in_loop_thread();
  const Place place = swaps_.insert(swaps_.end(), {server_.workers().size(), std::move(then)});
  for (const auto& worker : server_.workers()) {
    http::WorkerState& state = service_.worker(worker->index());
    worker->loop().post([this, &state, table, place] {
      state.use(table);
      control_.post([this, place] { taken(place); });  // refused: end() tells
    });
  }
}

void RouteSwaps::taken(Place place) {
  if (--place->missing > 0) return;
  Then then = std::move(place->then);
  swaps_.erase(place);
  if (then) then({});
}

void RouteSwaps::end() {
  while (!swaps_.empty()) {
    Then then = std::move(swaps_.front().then);
    swaps_.pop_front();
    if (then) then(not_running("the server has ended"));
  }
}

}  // namespace ssx
