#include "websocket/route_here.h"

#include "websocket/worker_state.h"

namespace ssx::websocket {

RouteHere::~RouteHere() {
  if (kept_ != nullptr) state_.forget(*this);
}

}  // namespace ssx::websocket
