// The client's side of the opening handshake (RFC 6455 4.1): what the request says, and whether the
// answer makes a WebSocket of the connection. Pure.
//
// Thread: pure functions, a value
// Owner:  whoever asks
// Life:   `subprotocol` looks into the options
// Bounds: those of Extensions, and of the answer's head
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "http/fields.h"
#include "http/status.h"
#include "websocket/deflate_negotiation.h"
#include "websocket/error.h"
#include "websocket/handshake_key.h"
#include "websocket/options.h"

namespace ssx::websocket {

/// The field lines of the request beside Host, each with its CRLF: Upgrade, Connection and those of
/// Sec-WebSocket. Options::subprotocols and Options::deflate are what is offered.
void append_request_fields(std::string& lines, const HandshakeKey& key, const Options& options);

struct ClientHandshake {
  Errc error = Errc::kOk;        ///< anything else: end the connection; the rest says nothing then
  std::string_view subprotocol;  ///< one of those offered; empty = none
  std::optional<DeflateParams> deflate;
};

/// kNotSwitched, kBadAccept, kUnaskedSubprotocol, kUnaskedExtension, kBadExtensions or
/// kTooManyExtensions.
[[nodiscard]] ClientHandshake check_answer(http::Status status, const http::Fields& fields,
                                           const HandshakeKey& key, const Options& options);

}  // namespace ssx::websocket
