// Everything that can go wrong with a WebSocket, and the one table that says what the peer is told:
// a status before the upgrade, a close code after it.
//
// Thread: immutable values
// Owner:  -
// Life:   -
// Bounds: every limit of options.h that a peer can hit has exactly one value here
#pragma once

#include <string_view>
#include <system_error>

#include "http/status.h"
#include "websocket/close_code.h"

namespace ssx::websocket {

enum class Errc : int {
  kOk = 0,

  // The opening handshake (RFC 6455 4.2.1): answered with a status.
  kNotGet,              ///< another method than GET
  kNotHttp11,           ///< HTTP/1.0 cannot be upgraded
  kHasBody,             ///< nobody could tell the body from frames
  kNoUpgrade,           ///< Upgrade does not name websocket, or Connection does not name Upgrade
  kBadVersion,          ///< Sec-WebSocket-Version is not 13: 426, which names 13
  kBadKey,              ///< Sec-WebSocket-Key is not there, there twice, or not 16 bytes in base64
  kBadSubprotocols,     ///< a member of Sec-WebSocket-Protocol is no token, or comes twice
  kBadExtensions,       ///< Sec-WebSocket-Extensions does not follow its grammar (9.1)
  kTooManyExtensions,   ///< more, or longer, than Extensions takes
  kForbiddenOrigin,     ///< Options::allowed_origins
  kHandshakeTimedOut,   ///< ClientOptions::handshake_timeout; a server's is a handler's 503
  kNotSwitched,         ///< to a client: the answer is not 101
  kBadAccept,           ///< to a client: Sec-WebSocket-Accept is not that of our key
  kUnaskedSubprotocol,  ///< to a client: one that we did not offer
  kUnaskedExtension,    ///< to a client: one that we did not offer, or with other parameters
  kRedirected,          ///< to a client: the answer says where else to ask
  kConnectTimedOut,     ///< to a client: ClientOptions::dial_timeout

  // Frames (5.2).
  kReservedBits,            ///< RSV1, RSV2 or RSV3 without an extension that defines it
  kBadOpcode,               ///< 3 .. 7 or 11 .. 15
  kUnmasked,                ///< from a client (5.1)
  kMasked,                  ///< from a server (5.1)
  kFragmentedControl,       ///< a control frame without FIN (5.5)
  kControlTooLong,          ///< more than 125 bytes (5.5)
  kLengthNotMinimal,        ///< a length in more bytes than it needs
  kLengthTooLarge,          ///< the most significant bit of a length is set
  kUnexpectedContinuation,  ///< a continuation of nothing (5.4)
  kExpectedContinuation,    ///< a new message inside another one (5.4)
  kFrameTooLong,            ///< Options::frame_max
  kMessageTooLong,          ///< Options::message_max, inflated
  kTooManyFragments,        ///< Options::fragments_max
  kTooManyEmptyFragments,   ///< Options::empty_fragments_max
  kBadUtf8,                 ///< a text or the reason of a close that is not UTF-8 (8.1)
  kBadDeflate,              ///< a compressed message that is none (RFC 7692 7.2.2)
  kInflateRatio,            ///< DeflateOptions::ratio_max

  // Closing (5.5.1, 7.4).
  kBadCloseSize,  ///< a close frame of one byte
  kBadCloseCode,  ///< one that may not be sent

  // Times and quantities.
  kControlRate,       ///< Options::control_rate
  kAssemblyTimedOut,  ///< Options::assembly_timeout
  kPongTimedOut,      ///< Options::pong_timeout
  kIdleTimedOut,      ///< Options::idle_timeout
  kReadTimedOut,      ///< Options::read_timeout
  kCloseTimedOut,     ///< Options::close_timeout
  kLifetimeOver,      ///< Options::max_lifetime
  kSendQueueFull,     ///< BackpressureOptions::max, or what all connections may keep
  kSendStalled,       ///< Options::send_stall_timeout
  kHandlerFailed,     ///< a handler threw
  kConnectionLost,    ///< it ended without a close frame
  kNotOpen,           ///< something was to be sent, and the WebSocket is closing or has closed
};

inline constexpr int kErrcCount = static_cast<int>(Errc::kNotOpen) + 1;

/// What a peer is told whose handshake failed so.
[[nodiscard]] http::Status status_of(Errc code) noexcept;

/// What a close frame says of it; kAbnormal where none can be sent any more.
[[nodiscard]] CloseCode close_code_of(Errc code) noexcept;

/// "unmasked frame": for logs and for the reason of a close.
[[nodiscard]] std::string_view to_string(Errc code) noexcept;

const std::error_category& websocket_category() noexcept;
std::error_code make_error_code(Errc code) noexcept;

}  // namespace ssx::websocket

template <>
struct std::is_error_code_enum<ssx::websocket::Errc> : std::true_type {};
