#include "websocket/error.h"

#include <array>

#include "ssxrver/base/error_text.h"

namespace ssx::websocket {
namespace {

using http::Status;

struct Row {
  Errc code;
  Status status;
  CloseCode close;
  std::string_view text;
};

constexpr auto kTable = std::to_array<Row>({
    {Errc::kOk, Status::kOk, CloseCode::kNormal, "ok"},

    {Errc::kNotGet, Status::kMethodNotAllowed, CloseCode::kAbnormal, "method is not GET"},
    {Errc::kNotHttp11, Status::kBadRequest, CloseCode::kAbnormal, "not HTTP/1.1"},
    {Errc::kHasBody, Status::kBadRequest, CloseCode::kAbnormal, "a handshake with a body"},
    {Errc::kNoUpgrade, Status::kUpgradeRequired, CloseCode::kAbnormal,
     "no upgrade to websocket is asked for"},
    {Errc::kBadVersion, Status::kUpgradeRequired, CloseCode::kAbnormal, "version is not 13"},
    {Errc::kBadKey, Status::kBadRequest, CloseCode::kAbnormal, "malformed key"},
    {Errc::kBadSubprotocols, Status::kBadRequest, CloseCode::kAbnormal, "malformed subprotocols"},
    {Errc::kBadExtensions, Status::kBadRequest, CloseCode::kAbnormal, "malformed extensions"},
    {Errc::kTooManyExtensions, Status::kBadRequest, CloseCode::kAbnormal, "too many extensions"},
    {Errc::kForbiddenOrigin, Status::kForbidden, CloseCode::kAbnormal, "origin is not allowed"},
    {Errc::kHandshakeTimedOut, Status::kRequestTimeout, CloseCode::kAbnormal,
     "handshake took too long"},
    {Errc::kNotSwitched, Status::kBadGateway, CloseCode::kAbnormal,
     "server did not switch to websocket"},
    {Errc::kBadAccept, Status::kBadGateway, CloseCode::kAbnormal,
     "accept does not belong to the key"},
    {Errc::kUnaskedSubprotocol, Status::kBadGateway, CloseCode::kAbnormal,
     "subprotocol that was not offered"},
    {Errc::kUnaskedExtension, Status::kBadGateway, CloseCode::kMandatoryExtension,
     "extension that was not offered"},
    {Errc::kRedirected, Status::kBadGateway, CloseCode::kAbnormal, "server redirects"},
    {Errc::kConnectTimedOut, Status::kGatewayTimeout, CloseCode::kAbnormal,
     "connecting took too long"},

    {Errc::kReservedBits, Status::kBadRequest, CloseCode::kProtocolError, "reserved bits are set"},
    {Errc::kBadOpcode, Status::kBadRequest, CloseCode::kProtocolError, "unknown opcode"},
    {Errc::kUnmasked, Status::kBadRequest, CloseCode::kProtocolError, "unmasked frame"},
    {Errc::kMasked, Status::kBadRequest, CloseCode::kProtocolError, "masked frame"},
    {Errc::kFragmentedControl, Status::kBadRequest, CloseCode::kProtocolError,
     "fragmented control frame"},
    {Errc::kControlTooLong, Status::kBadRequest, CloseCode::kProtocolError,
     "control frame too long"},
    {Errc::kLengthNotMinimal, Status::kBadRequest, CloseCode::kProtocolError,
     "length in too many bytes"},
    {Errc::kLengthTooLarge, Status::kBadRequest, CloseCode::kProtocolError, "length too large"},
    {Errc::kUnexpectedContinuation, Status::kBadRequest, CloseCode::kProtocolError,
     "continuation of nothing"},
    {Errc::kExpectedContinuation, Status::kBadRequest, CloseCode::kProtocolError,
     "message inside another one"},
    {Errc::kFrameTooLong, Status::kBadRequest, CloseCode::kMessageTooBig, "frame too long"},
    {Errc::kMessageTooLong, Status::kBadRequest, CloseCode::kMessageTooBig, "message too long"},
    {Errc::kTooManyFragments, Status::kBadRequest, CloseCode::kPolicyViolation,
     "too many fragments"},
    {Errc::kTooManyEmptyFragments, Status::kBadRequest, CloseCode::kPolicyViolation,
     "too many empty fragments"},
    {Errc::kBadUtf8, Status::kBadRequest, CloseCode::kInvalidPayload, "text is not UTF-8"},
    {Errc::kBadDeflate, Status::kBadRequest, CloseCode::kInvalidPayload,
     "malformed compressed message"},
    {Errc::kInflateRatio, Status::kBadRequest, CloseCode::kMessageTooBig, "compressed too well"},

    {Errc::kBadCloseSize, Status::kBadRequest, CloseCode::kProtocolError,
     "close frame of one byte"},
    {Errc::kBadCloseCode, Status::kBadRequest, CloseCode::kProtocolError,
     "close code that may not be sent"},

    {Errc::kControlRate, Status::kBadRequest, CloseCode::kPolicyViolation,
     "too many control frames"},
    {Errc::kAssemblyTimedOut, Status::kBadRequest, CloseCode::kPolicyViolation,
     "message took too long"},
    {Errc::kPongTimedOut, Status::kBadRequest, CloseCode::kAbnormal, "no pong came"},
    {Errc::kIdleTimedOut, Status::kBadRequest, CloseCode::kNormal, "idle too long"},
    {Errc::kReadTimedOut, Status::kBadRequest, CloseCode::kPolicyViolation,
     "nothing was read for too long"},
    {Errc::kCloseTimedOut, Status::kBadRequest, CloseCode::kAbnormal, "no close frame came"},
    {Errc::kLifetimeOver, Status::kBadRequest, CloseCode::kGoingAway, "connection too old"},
    {Errc::kSendQueueFull, Status::kBadRequest, CloseCode::kTryAgainLater, "reads too slowly"},
    {Errc::kSendStalled, Status::kBadRequest, CloseCode::kAbnormal, "takes nothing"},
    {Errc::kHandlerFailed, Status::kBadRequest, CloseCode::kInternalError, "handler failed"},
    {Errc::kConnectionLost, Status::kBadRequest, CloseCode::kAbnormal, "connection lost"},
    {Errc::kNotOpen, Status::kBadRequest, CloseCode::kAbnormal, "not open"},
});
static_assert(kTable.size() == kErrcCount);

constexpr const Row& row(Errc code) noexcept { return kTable[static_cast<std::size_t>(code)]; }

static_assert(is_in_order(kTable),
              "the table has one row for each value, in the order of the enum");

}  // namespace

http::Status status_of(Errc code) noexcept { return row(code).status; }

CloseCode close_code_of(Errc code) noexcept { return row(code).close; }

std::string_view to_string(Errc code) noexcept { return row(code).text; }

const std::error_category& websocket_category() noexcept {
  static const TextCategory<Errc, kErrcCount> category("websocket");
  return category;
}

std::error_code make_error_code(Errc code) noexcept {
  return {static_cast<int>(code), websocket_category()};
}

}  // namespace ssx::websocket
