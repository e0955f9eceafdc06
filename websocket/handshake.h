// The server's side of the opening handshake (RFC 6455 4.2): whether a request becomes a WebSocket,
// and what the answer says. Pure.
//
// Thread: pure functions, a value
// Owner:  whoever answers
// Life:   `subprotocol` looks into the options
// Bounds: those of Extensions, kSubprotocolsMax, and of the request's head
//
//   const Handshake handshake = accept_handshake(request, options, false);
//   if (handshake.error != Errc::kOk) return refusal(handshake.error);
//   add_fields(answer, handshake);  // to the 101
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "http/request.h"
#include "http/response.h"
#include "websocket/deflate_negotiation.h"
#include "websocket/error.h"
#include "websocket/handshake_key.h"
#include "websocket/options.h"

namespace ssx::websocket {

struct Handshake {
  Errc error = Errc::kOk;  ///< anything else: refuse; the rest says nothing then
  AcceptKey accept{};
  std::string_view subprotocol;          ///< one of Options::subprotocols; empty = none
  std::optional<DeflateParams> deflate;  ///< nothing = messages are not compressed
  std::string extensions;                ///< what the answer says of them; empty = no field
};

/// `secure`: the request came over TLS; see is_origin_of() of http/origin.h.
[[nodiscard]] Handshake accept_handshake(const http::Request& request, const Options& options,
                                         bool secure);

/// Without permessage-deflate, whatever is offered: a program that calls this alone has no code of
/// it.
[[nodiscard]] Handshake accept_plain_handshake(const http::Request& request, const Options& options,
                                               bool secure);

/// Options::allowed_origins. A request without Origin is no page's: "same" and "any" let it in, a
/// list of origins alone does not. "null" is let in by "any" only.
[[nodiscard]] bool is_allowed_origin(const http::Request& request, const Options& options,
                                     bool secure) noexcept;

/// What the client is told: status_of(error), and what could be asked for instead.
[[nodiscard]] http::Response refusal(Errc error);

/// To the 101: Sec-WebSocket-Accept, -Protocol and -Extensions.
void add_fields(http::Response& answer, const Handshake& handshake);

}  // namespace ssx::websocket
