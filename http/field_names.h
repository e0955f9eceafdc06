// The field names that the server itself, its file handler or most handlers look at, as numbers:
// a comparison of two of them is one instruction, and a lookup by one is one bit test.
//
// Thread: immutable values
// Owner:  -
// Life:   -
// Bounds: at most 64 names, so that the set of those present fits one word
#pragma once

#include <cstdint>
#include <string_view>

namespace ssx::http {

enum class FieldName : std::uint8_t {
  kOther,  ///< every name that is not below
  kAccept,
  kAcceptCharset,
  kAcceptEncoding,
  kAcceptLanguage,
  kAccessControlRequestHeaders,
  kAccessControlRequestMethod,
  kAuthorization,
  kCacheControl,
  kConnection,
  kContentDisposition,
  kContentEncoding,
  kContentLanguage,
  kContentLength,
  kContentLocation,
  kContentRange,
  kContentType,
  kCookie,
  kDate,
  kDnt,
  kExpect,
  kForwarded,
  kFrom,
  kHost,
  kIfMatch,
  kIfModifiedSince,
  kIfNoneMatch,
  kIfRange,
  kIfUnmodifiedSince,
  kKeepAlive,
  kLastEventId,
  kMaxForwards,
  kOrigin,
  kPragma,
  kProxyAuthorization,
  kProxyConnection,
  kRange,
  kReferer,
  kSecChUa,
  kSecFetchDest,
  kSecFetchMode,
  kSecFetchSite,
  kSecFetchUser,
  kSecWebSocketExtensions,
  kSecWebSocketKey,
  kSecWebSocketProtocol,
  kSecWebSocketVersion,
  kTe,
  kTrailer,
  kTransferEncoding,
  kUpgrade,
  kUpgradeInsecureRequests,
  kUserAgent,
  kVia,
  kXForwardedFor,
  kXForwardedHost,
  kXForwardedProto,
  kXRealIp,
  kXRequestId,
  kXRequestedWith,
};

inline constexpr int kFieldNameCount = static_cast<int>(FieldName::kXRequestedWith) + 1;
static_assert(kFieldNameCount <= 64);

/// The number of a name, whatever its case; kOther when it has none.
[[nodiscard]] FieldName find_field_name(std::string_view text) noexcept;

/// The lower-case spelling; empty for kOther.
[[nodiscard]] std::string_view to_string(FieldName name) noexcept;

}  // namespace ssx::http
