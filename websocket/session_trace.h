// What a session does with each message, but for one load: nothing, unless the log is at DEBUG. (i)
//
// Thread: loop-only
// Owner:  Session
// Life:   -
// Bounds: -
#pragma once

#include "ssxrver/base/log.h"
#include "websocket/session.h"

namespace ssx::websocket {

inline void Session::trace(Way way, const FrameHeader& header, ByteView payload) const {
  if constexpr (SSX_LEVEL_DEBUG >= SSX_LOG_FLOOR) {
    if (log::enabled(log::Level::kDebug)) [[unlikely]]
      log_frame(way, header, payload);
  }
}

}  // namespace ssx::websocket
