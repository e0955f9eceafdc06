// Which parameters of permessage-deflate two sides agree on (RFC 7692 7.1). Pure.
//
// Thread: pure functions, values
// Owner:  -
// Life:   -
// Bounds: those of Extensions
//
// DeflateOptions says the most that we lend: a window that is larger, or a context that is kept
// where the options say that none is, is never agreed on.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "websocket/error.h"
#include "websocket/extensions.h"
#include "websocket/options.h"

namespace ssx::websocket {

/// What holds for a connection.
struct DeflateParams {
  bool server_no_context_takeover = false;
  bool client_no_context_takeover = false;
  int server_max_window_bits = 15;  ///< 9 .. 15
  int client_max_window_bits = 15;  ///< 9 .. 15; 8 to a client that cannot compress then
  bool operator==(const DeflateParams&) const = default;
};

/// The server's side: of the first offer that can be taken; nothing when there is none. `answer` is
/// then the value of Sec-WebSocket-Extensions, else empty.
///
/// An offer is passed over (7.1: the server declines it) when a parameter is unknown, comes twice,
/// or has a bad value; when it asks for a window of 8 bits, which zlib does not make (7.1.2.1); and
/// when it does not let us choose the client's window although client_max_window_bits is below 15.
[[nodiscard]] std::optional<DeflateParams> accept_deflate(const Extensions& offers,
                                                          const DeflateOptions& options,
                                                          std::string& answer);

/// The client's side: the value of Sec-WebSocket-Extensions; empty with DeflateMode::kOff.
[[nodiscard]] std::string offer_deflate(const DeflateOptions& options);

/// Checks what a server has made of offer_deflate(options). `agreed` stays empty when it took
/// nothing. kUnaskedExtension: another extension, two, or parameters that are no answer to the
/// offer (7.1: the client must fail the connection).
[[nodiscard]] Errc check_deflate_answer(const Extensions& answer, const DeflateOptions& options,
                                        std::optional<DeflateParams>& agreed);

}  // namespace ssx::websocket
