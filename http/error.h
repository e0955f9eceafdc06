// Everything that can go wrong with HTTP bytes or with an exchange, and the one table that says
// which status a peer is told.
//
// Thread: immutable values
// Owner:  -
// Life:   -
// Bounds: every limit of options.h that a peer can hit has exactly one value here
#pragma once

#include <string_view>
#include <system_error>

#include "http/status.h"

namespace ssx::http {

enum class Errc : int {
  kOk = 0,

  // The request line (RFC 9112 3).
  kBadMethod,           ///< the method holds a byte that is no tchar, or is empty
  kMethodTooLong,       ///< ParserLimits::method_max
  kUnknownMethod,       ///< a token that names no method we know, or CONNECT (RFC 9110 9.1)
  kBadTarget,           ///< the request-target holds a byte no URI may hold, or has no legal form
  kTargetTooLong,       ///< ParserLimits::target_max
  kBadVersion,          ///< not "HTTP/" DIGIT "." DIGIT, or HTTP/0.x
  kUnsupportedVersion,  ///< well formed, and its major version is not 1 (RFC 9110 6.2)
  kRequestLineTooLong,  ///< ParserLimits::request_line_max
  kLeadingLines,        ///< more empty lines before the request than ParserLimits::leading_crlf_max
  kBadLineEnd,          ///< a bare CR or a bare LF where CRLF belongs (RFC 9112 2.2)

  // The percent-encoded path (target.h).
  kPathTooLong,      ///< ParserLimits::path_max
  kTooManySegments,  ///< ParserLimits::segments_max
  kBadEscape,        ///< "%" that two hex digits do not follow
  kEncodedControl,   ///< %00, or another control character in the path
  kEncodedSlash,     ///< %2F or %5C in the path: one resource to us, another to a proxy
  kBadUtf8,          ///< the decoded path is not UTF-8 (overlong forms and surrogates included)
  kAboveRoot,        ///< dot segments that climb above "/"

  // Field lines (RFC 9112 5).
  kBadFieldName,      ///< empty, not a token, without a colon, or whitespace before the colon
  kBadFieldValue,     ///< a control character in the value
  kObsoleteFold,      ///< a line that begins with whitespace (RFC 9112 5.2)
  kFieldNameTooLong,  ///< ParserLimits::field_name_max
  kFieldLineTooLong,  ///< ParserLimits::field_line_max
  kTooManyFields,     ///< ParserLimits::field_count_max
  kHeadTooLong,       ///< ParserLimits::head_max

  // What the fields mean (RFC 9112 3.2 and 6).
  kMissingHost,       ///< HTTP/1.1 without Host
  kDuplicateHost,     ///< two Host lines
  kBadHost,           ///< not uri-host [ ":" port ]: list, user information, path, bad IPv6, port 0
  kNotSecure,         ///< the target says https, and the connection is not secured (RFC 9110 7.4)
  kBadContentLength,  ///< anything but 1 to 19 digits
  kDuplicateContentLength,     ///< two Content-Length lines, equal or not
  kBadTransferEncoding,        ///< not a list of codings that ends with one "chunked"
  kUnknownTransferCoding,      ///< a coding other than "chunked"
  kTransferEncodingAndLength,  ///< both present (RFC 9112 6.1)
  kTransferEncodingInHttp10,   ///< HTTP/1.0 knows no transfer codings (RFC 9112 6.1)
  kUnknownExpectation,         ///< a member of Expect other than "100-continue" (RFC 9110 10.1.1)

  // The chunked body (RFC 9112 7.1).
  kBadChunkSize,           ///< no hex digit, more than 16 of them, or above 2^63 - 1
  kBadChunkExtension,      ///< not ";" name [ "=" value ]
  kChunkExtensionTooLong,  ///< ParserLimits::chunk_extension_max
  kBadChunkEnd,            ///< the chunk's data is not followed by CRLF
  kChunkOverhead,          ///< ParserLimits::chunk_overhead_base and chunk_overhead_ratio
  kBadTrailer,             ///< a trailer line that is no field line
  kTrailerTooLong,         ///< ParserLimits::trailer_max
  kTooManyTrailers,        ///< ParserLimits::trailer_count_max

  // What handlers and clients take apart or put together.
  kBadUrl,               ///< no absolute URL, or one that two programs could read in two ways
  kUnsupportedScheme,    ///< neither http nor https
  kUrlTooLong,           ///< Url::kSizeMax
  kTooManyParams,        ///< HttpOptions::query_params_max
  kTooManyCookies,       ///< HttpOptions::cookie_pairs_max
  kNotForm,              ///< a body whose Content-Type is not application/x-www-form-urlencoded
  kNotMultipart,         ///< a body whose Content-Type is not multipart/form-data
  kBadBoundary,          ///< no boundary, or one that RFC 2046 5.1.1 does not allow
  kBadMultipart,         ///< a delimiter that something other than a line's end follows
  kUnfinishedMultipart,  ///< a body that ends before its final boundary
  kBadPartHeader,        ///< a line that is no field, or no Content-Disposition with a name
  kTooManyParts,         ///< MultipartLimits::parts_max
  kPartTooLarge,         ///< what a handler gave MultipartReader::Part as size_max
  kPartHeaderTooLong,    ///< MultipartLimits::part_header_max
  kTooManyPartFields,    ///< MultipartLimits::part_fields_max
  kFilenameTooLong,      ///< Multipart::kFilenameMax
  kBadMediaType,         ///< no media type, or a parameter twice
  kBadSignature,         ///< a signed value that nobody with one of the keys has signed
  kSignatureExpired,     ///< one that was good until some time ago
  kBadCookie,            ///< a handler's cookie that a browser would refuse or misread
  kBadEvent,             ///< a handler's event whose name or id holds CR, LF or NUL
  kBadSigningKey,        ///< a key of fewer than ValueSigner::kKeySizeMin bytes, or none

  // The status line (RFC 9112 4): what a server answers to our client.
  kBadStatus,          ///< not three digits from 100 on, or a control character in the reason
  kStatusLineTooLong,  ///< ParserLimits::request_line_max

  // The client (client/client.h): first what its caller asked for, then what became of it.
  kReservedField,         ///< a field that the client writes itself: Host, Content-Length, ...
  kTlsNotBuilt,           ///< https, or a proxy over it: not in this build
  kBodyNotAsAnnounced,    ///< a streamed body came to another length than its own
  kBodyWriterFailed,      ///< what streams the body threw
  kBodyNotRepeatable,     ///< a redirect asks for a streamed body a second time
  kTooManyWaiting,        ///< ClientOptions::waiting_per_host
  kConnectTimedOut,       ///< ClientTimeouts::connect
  kUploadTimedOut,        ///< ClientTimeouts::idle, while sending
  kResponseHeadTimedOut,  ///< ClientTimeouts::head
  kResponseBodyTimedOut,  ///< ClientTimeouts::idle, while receiving
  kExchangeTimedOut,      ///< ClientTimeouts::total
  kNoResponse,            ///< the connection ended before the first byte of a response
  kResponseCutShort,      ///< the connection ended inside a response
  kResponseTooLarge,      ///< ClientOptions::body_max
  kTooManyInterim,        ///< ClientOptions::interim_max
  kUnexpectedUpgrade,     ///< 101, and nobody asked for it
  kBadRedirect,           ///< a Location that leads to no URL
  kTooManyRedirects,      ///< ClientOptions::redirects_max
  kRedirectLoop,          ///< a redirect to what was asked before

  // The exchange; the parsers never report these.
  kBodyTooLarge,          ///< HttpOptions::body_max
  kUnknownContentCoding,  ///< Content-Encoding of a request, where bodies are decoded
  kBadContentCoding,      ///< a body that is not of its Content-Encoding, or damaged
  kContentRatio,          ///< BodyDecodingOptions::ratio_max
  kHeadTimedOut,          ///< Timeouts::header
  kBodyTimedOut,          ///< Timeouts::body or Timeouts::body_min_rate
  kSpoolFull,             ///< HttpOptions::upload_tmp_total, or no space left for the body
  kHandlerFailed,         ///< the handler threw
  kHandlerTimedOut,       ///< Timeouts::handler
  kOverloaded,            ///< a limit of the server, not of this peer
  kTooManyRequests,       ///< HttpOptions::request_rates
  kClientDenied,          ///< the client that a trusted proxy names is not let in (net::Admission)
  kNotADate,              ///< no date of RFC 9110 5.6.7 (date.h)
};

/// The number of values of Errc; they are 0 .. kErrcCount - 1 without a gap.
inline constexpr int kErrcCount = static_cast<int>(Errc::kNotADate) + 1;

/// The one table: what the peer is told. kOk is 200; kNotADate never travels and is 400.
[[nodiscard]] Status status_of(Errc code) noexcept;

/// One plain sentence fragment without a full stop, e.g. "two Content-Length fields".
[[nodiscard]] std::string_view to_string(Errc code) noexcept;

const std::error_category& http_category() noexcept;
std::error_code make_error_code(Errc code) noexcept;

}  // namespace ssx::http

template <>
struct std::is_error_code_enum<ssx::http::Errc> : std::true_type {};
