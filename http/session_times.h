// What the parts of Session say about times in the same way. (i)
//
// Thread: loop-only
// Owner:  -
// Life:   -
// Bounds: -
#pragma once

#include <algorithm>

#include "http/options.h"
#include "ssxrver/net/connection.h"

namespace ssx::http {

/// 0 = never.
[[nodiscard]] inline milliseconds sooner(milliseconds a, milliseconds b) noexcept {
  if (a.count() == 0 || b.count() == 0) return a + b;
  return std::min(a, b);
}

inline void set_deadline(net::Connection& connection, milliseconds timeout) {
  if (timeout.count() > 0) {
    connection.set_deadline(timeout);
  } else {
    connection.clear_deadline();
  }
}

}  // namespace ssx::http
