#include "websocket/session_trace.h"

#include "websocket/describe.h"

namespace ssx::websocket {

void Session::log_frame(Way way, const FrameHeader& header, ByteView payload) const {
  SSX_LOG_DEBUG("{}: {} {} {}", route().name, connection_.peer().to_string(),
                way == Way::kIn ? "<" : ">", describe(header, payload));
}

}  // namespace ssx::websocket
