// Why there is no WebSocket: an Error, and what the server said of it.
//
// Thread: a value
// Owner:  whoever holds it
// Life:   any
// Bounds: `location` is a field of an answer (ClientOptions::parser)
#pragma once

#include <cstdint>
#include <string>

#include "ssxrver/base/error.h"
#include "ssxrver/base/result.h"

namespace ssx::websocket {

struct ConnectFailure {
  Error error;
  std::uint16_t status = 0;   ///< of an answer that did not switch
  std::string location = {};  ///< kRedirected: where to

  /// "handshake: server did not switch to websocket (403)"
  [[nodiscard]] std::string message() const {
    std::string text = error.message();
    if (status != 0) text += " (" + std::to_string(status) + ')';
    if (!location.empty()) text += ": " + location;
    return text;
  }
};

template <class T>
using Connected = Expected<T, ConnectFailure>;

}  // namespace ssx::websocket
