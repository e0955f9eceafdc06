// Frames as a client sends them (RFC 6455 5.2, 5.3).
//
// Thread: any
// Owner:  values
// Life:   one call
// Bounds: -
#pragma once

#include <string>
#include <string_view>

#include "websocket/frame.h"

namespace ssx::load {

/// Masked with a key of zeros, or with this one. `fin`: it is the message's last one.
[[nodiscard]] std::string make_client_frame(websocket::Opcode opcode, bool fin,
                                            std::string_view payload,
                                            const websocket::MaskKey& key = {});

}  // namespace ssx::load
