// How far a proxy has made a way to somebody else.
//
// Thread: a value
// Owner:  whoever holds it
// Life:   any
// Bounds: -
#pragma once

#include <cstddef>
#include <cstdint>

#include "ssxrver/base/error.h"
#include "ssxrver/net/error.h"

namespace ssx::net {

struct TunnelStep {
  enum class Progress : std::uint8_t { kNeedMore, kDone, kFailed };

  Progress progress = Progress::kNeedMore;
  std::size_t consumed = 0;    ///< bytes that need not be shown again
  Error error{Errc::kOk, ""};  ///< kFailed: why
};

}  // namespace ssx::net
