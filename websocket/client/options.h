// What can be chosen about the client of WebSockets.
//
// Thread: immutable once given to a Client
// Owner:  whoever makes a Client; copied into it
// Life:   that of the Client and its sockets
// Bounds: every limit has a default, an error (websocket/error.h) and a counter (counters.h)
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "http/client/client_request.h"
#include "http/options.h"
#include "ssxrver/net/options.h"
#include "websocket/options.h"

namespace ssx::websocket {

/// Who is asked again, and when: with each failure in a row the delay doubles.
struct ReconnectOptions {
  bool enabled = false;
  milliseconds first_delay{500};
  milliseconds delay_max{30000};
  /// How much of a delay is left to chance: many clients of a server that has gone shall not come
  /// back at the same moment.
  unsigned jitter_percent = 100;
  std::uint32_t attempts_max = 0;    ///< failures in a row, then on_failed; 0 = no end
  milliseconds stable_after{10000};  ///< a connection that stood so long ends the row
  bool operator==(const ReconnectOptions&) const = default;
};

/// A way to servers that cannot be reached directly. The proxy looks the server's name up.
struct ClientProxy {
  enum class Kind : std::uint8_t {
    kNone,
    kHttp,    ///< CONNECT (RFC 9110 9.3.6), with Basic credentials
    kSocks5,  ///< RFC 1928, with those of RFC 1929
  };
  Kind kind = Kind::kNone;
  std::string host = {};  ///< a name or an address
  std::uint16_t port = 3128;
  std::string user = {};  ///< without a user there are no credentials
  std::string password = {};
  bool operator==(const ClientProxy&) const = default;
};

struct ClientOptions {
  /// "ws://host:port/path?query". wss is not in this build (http::Errc::kTlsNotBuilt).
  std::string url = {};
  /// Of the request, e.g. Authorization. What frames it or belongs to the handshake is the client's
  /// to write: kReservedField.
  std::vector<http::ClientField> fields = {};
  std::string origin = {};             ///< of the page that a browser would have; empty = none
  std::string user_agent = "ssxrver";  ///< empty = none; a field of `fields` wins
  ClientProxy proxy = {};
  net::TcpOptions tcp = {};               ///< of its sockets; what a listener has says nothing
  milliseconds dial_timeout{10000};       ///< the name, and every address it has, together
  milliseconds handshake_timeout{10000};  ///< from there on to the 101, through the proxy
  /// Of the answer: request_line_max is that of the status line.
  http::ParserLimits parser = {};
  std::size_t interim_max = 8;  ///< 1xx before the answer
  /// Of the WebSocket. subprotocols and deflate are what is offered; allowed_origins and
  /// handshake_timeout say nothing.
  Options limits = {};
  /// A ClientSocket's receive_piece() gives what has come of a message: one of any length needs no
  /// memory, and message_max and frame_max may be as large.
  bool receive_pieces = false;
  ReconnectOptions reconnect = {};  ///< of Client::connect()
  bool operator==(const ClientOptions&) const = default;
};

}  // namespace ssx::websocket
