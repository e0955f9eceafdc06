// What can be chosen about the client.
//
// Thread: immutable once given to a Client
// Owner:  whoever makes a Client; copied into it
// Life:   that of the Client
// Bounds: every limit has a default, an error (error.h) and a counter (client/counters.h)
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "http/options.h"

namespace ssx::http {

/// Of one exchange.
struct ClientTimeouts {
  milliseconds connect{10000};  ///< the name, the wait for a place and the connection, together
  milliseconds head{30000};     ///< from the end of the request to that of the response's head
  milliseconds idle{30000};     ///< no byte of a body went, or came
  milliseconds total{300000};   ///< everything, redirects and the last byte included; 0 = off
  milliseconds expect{1000};    ///< how long to wait for 100 (Continue); the body goes then
  bool operator==(const ClientTimeouts&) const = default;
};

/// A proxy for every request (RFC 9112 3.2.2). Empty host: none.
struct ProxyOptions {
  std::string host;  ///< a name or an address
  std::uint16_t port = 3128;
  std::string user;  ///< Basic authentication (RFC 7617); without a user there is none
  std::string password;
  bool operator==(const ProxyOptions&) const = default;
};

struct ClientOptions {
  /// Of a response: request_line_max is that of the status line, leading_crlf_max and those of
  /// a target say nothing.
  ParserLimits parser{.head_max = 64 << 10};
  ClientTimeouts timeouts{};
  std::uint64_t body_max = 64 << 20;         ///< of a response that is kept whole
  std::size_t interim_max = 8;               ///< 1xx before the response
  std::size_t redirects_max = 10;            ///< followed; 0 = none is, and the 3xx is the response
  std::size_t redirect_body_max = 16 << 10;  ///< of a redirect, read to keep its connection
  std::size_t connections_per_host = 16;     ///< more requests wait
  std::size_t waiting_per_host = 1024;       ///< requests that wait for a place
  std::size_t idle_per_host = 8;             ///< connections kept for later; more are closed
  std::size_t idle_max = 64;                 ///< of all hosts; the one that rests longest is closed
  milliseconds idle_time{30000};             ///< a connection kept for later is closed after this
  ProxyOptions proxy{};
  std::string user_agent = "ssxrver";  ///< empty = none; a field of the request's own wins
  bool operator==(const ClientOptions&) const = default;
};

}  // namespace ssx::http
