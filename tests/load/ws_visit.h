// What a FakeServer says to a client of WebSockets.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "ssxrver/base/bytes.h"
#include "ssxrver/load/client_frame.h"
#include "tests/load/fake_server.h"
#include "websocket/frame_writer.h"
#include "websocket/handshake_key.h"

namespace ssx::load::test {

/// The answer to a handshake.
inline std::string accept(const std::string& request) {
  constexpr std::string_view kName = "Sec-WebSocket-Key: ";
  const auto at = request.find(kName) + kName.size();
  const auto key = websocket::accept_key(request.substr(at, 24));
  return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
         "Sec-WebSocket-Accept: " +
         std::string(key.data(), key.size()) + "\r\n\r\n";
}

/// False: nobody was there.
inline bool shake_hands(Visit& visit) {
  const std::string request = visit.read_request();
  if (request.empty()) return false;
  visit.send(accept(request));
  return true;
}

/// A server's.
inline std::string frame(const std::string& payload) {
  return websocket::make_frame(websocket::Opcode::kBinary, as_bytes(payload));
}

/// What a client's frame with so much payload has for bytes.
inline std::size_t client_frame_bytes(std::size_t payload) {
  return make_client_frame(websocket::Opcode::kBinary, true, std::string(payload, 'e')).size();
}

}  // namespace ssx::load::test
