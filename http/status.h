// Status codes of RFC 9110 15 and of the registry, and their reason phrases.
//
// Thread: immutable values
// Owner:  -
// Life:   -
// Bounds: a handler may send 200 .. 599; a number that is not here goes without a reason phrase
#pragma once

#include <cstdint>
#include <string_view>

namespace ssx::http {

enum class Status : std::uint16_t {
  kContinue = 100,
  kSwitchingProtocols = 101,
  kEarlyHints = 103,

  kOk = 200,
  kCreated = 201,
  kAccepted = 202,
  kNonAuthoritative = 203,
  kNoContent = 204,
  kResetContent = 205,
  kPartialContent = 206,

  kMultipleChoices = 300,
  kMovedPermanently = 301,
  kFound = 302,
  kSeeOther = 303,
  kNotModified = 304,
  kTemporaryRedirect = 307,
  kPermanentRedirect = 308,

  kBadRequest = 400,
  kUnauthorized = 401,
  kPaymentRequired = 402,
  kForbidden = 403,
  kNotFound = 404,
  kMethodNotAllowed = 405,
  kNotAcceptable = 406,
  kProxyAuthenticationRequired = 407,
  kRequestTimeout = 408,
  kConflict = 409,
  kGone = 410,
  kLengthRequired = 411,
  kPreconditionFailed = 412,
  kContentTooLarge = 413,
  kUriTooLong = 414,
  kUnsupportedMediaType = 415,
  kRangeNotSatisfiable = 416,
  kExpectationFailed = 417,
  kMisdirectedRequest = 421,
  kUnprocessableContent = 422,
  kTooEarly = 425,
  kUpgradeRequired = 426,
  kPreconditionRequired = 428,
  kTooManyRequests = 429,
  kFieldsTooLarge = 431,
  kUnavailableForLegalReasons = 451,

  kInternalServerError = 500,
  kNotImplemented = 501,
  kBadGateway = 502,
  kServiceUnavailable = 503,
  kGatewayTimeout = 504,
  kVersionNotSupported = 505,
  kInsufficientStorage = 507,
};

[[nodiscard]] constexpr int to_int(Status status) noexcept { return static_cast<int>(status); }

/// "Not Found"; empty for a number that is not in the enum.
[[nodiscard]] std::string_view reason_phrase(Status status) noexcept;

/// "HTTP/1.1 404 Not Found\r\n", ready to be sent; empty for a number that is not in the enum.
[[nodiscard]] std::string_view status_line(Status status) noexcept;

/// True where the RFC forbids content: 1xx, 204 and 304 (RFC 9110 6.4.1).
[[nodiscard]] constexpr bool forbids_content(Status status) noexcept {
  return to_int(status) < 200 || status == Status::kNoContent || status == Status::kNotModified;
}

}  // namespace ssx::http
