// The only handle to a connection that may travel between threads.
//
// Thread: a value
// Owner:  whoever holds it; it owns nothing
// Life:   any; when the connection has ended it names nothing, and using it is a counted no-op
// Bounds: 12 bytes
#pragma once

#include <cstdint>

#include "ssxrver/base/slot_map.h"

namespace ssx::net {

struct ConnectionId {
  std::uint32_t worker = UINT32_MAX;
  SlotId slot;
  friend bool operator==(const ConnectionId&, const ConnectionId&) = default;
};

}  // namespace ssx::net
