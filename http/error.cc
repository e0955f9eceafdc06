#include "http/error.h"

#include <array>

#include "ssxrver/base/error_text.h"

namespace ssx::http {
namespace {

struct Row {
  Errc code;
  Status status;
  std::string_view text;
};

constexpr auto kTable = std::to_array<Row>({
    {Errc::kOk, Status::kOk, "ok"},

    {Errc::kBadMethod, Status::kBadRequest, "malformed method"},
    {Errc::kMethodTooLong, Status::kNotImplemented, "method too long"},
    {Errc::kUnknownMethod, Status::kNotImplemented, "method not implemented"},
    {Errc::kBadTarget, Status::kBadRequest, "malformed request-target"},
    {Errc::kTargetTooLong, Status::kUriTooLong, "request-target too long"},
    {Errc::kBadVersion, Status::kBadRequest, "malformed version"},
    {Errc::kUnsupportedVersion, Status::kVersionNotSupported, "version not supported"},
    {Errc::kRequestLineTooLong, Status::kUriTooLong, "request line too long"},
    {Errc::kLeadingLines, Status::kBadRequest, "too many empty lines before the request"},
    {Errc::kBadLineEnd, Status::kBadRequest, "bare CR or LF"},

    {Errc::kPathTooLong, Status::kUriTooLong, "path too long"},
    {Errc::kTooManySegments, Status::kBadRequest, "too many segments in the path"},
    {Errc::kBadEscape, Status::kBadRequest, "malformed percent-encoding"},
    {Errc::kEncodedControl, Status::kBadRequest, "encoded control character"},
    {Errc::kEncodedSlash, Status::kBadRequest, "encoded slash in the path"},
    {Errc::kBadUtf8, Status::kBadRequest, "path is not UTF-8"},
    {Errc::kAboveRoot, Status::kBadRequest, "path leaves the root"},

    {Errc::kBadFieldName, Status::kBadRequest, "malformed field name"},
    {Errc::kBadFieldValue, Status::kBadRequest, "control character in a field value"},
    {Errc::kObsoleteFold, Status::kBadRequest, "folded field line"},
    {Errc::kFieldNameTooLong, Status::kBadRequest, "field name too long"},
    {Errc::kFieldLineTooLong, Status::kFieldsTooLarge, "field line too long"},
    {Errc::kTooManyFields, Status::kFieldsTooLarge, "too many fields"},
    {Errc::kHeadTooLong, Status::kFieldsTooLarge, "head too long"},

    {Errc::kMissingHost, Status::kBadRequest, "no Host field"},
    {Errc::kDuplicateHost, Status::kBadRequest, "two Host fields"},
    {Errc::kBadHost, Status::kBadRequest, "malformed Host"},
    {Errc::kNotSecure, Status::kMisdirectedRequest, "https target without TLS"},
    {Errc::kBadContentLength, Status::kBadRequest, "malformed Content-Length"},
    {Errc::kDuplicateContentLength, Status::kBadRequest, "two Content-Length fields"},
    {Errc::kBadTransferEncoding, Status::kBadRequest, "malformed Transfer-Encoding"},
    {Errc::kUnknownTransferCoding, Status::kNotImplemented, "transfer coding not implemented"},
    {Errc::kTransferEncodingAndLength, Status::kBadRequest,
     "Transfer-Encoding beside Content-Length"},
    {Errc::kTransferEncodingInHttp10, Status::kBadRequest, "Transfer-Encoding in HTTP/1.0"},
    {Errc::kUnknownExpectation, Status::kExpectationFailed, "unknown expectation"},

    {Errc::kBadChunkSize, Status::kBadRequest, "malformed chunk size"},
    {Errc::kBadChunkExtension, Status::kBadRequest, "malformed chunk extension"},
    {Errc::kChunkExtensionTooLong, Status::kBadRequest, "chunk extension too long"},
    {Errc::kBadChunkEnd, Status::kBadRequest, "chunk data without CRLF behind it"},
    {Errc::kChunkOverhead, Status::kBadRequest, "more chunk framing than data"},
    {Errc::kBadTrailer, Status::kBadRequest, "malformed trailer field"},
    {Errc::kTrailerTooLong, Status::kBadRequest, "trailer section too long"},
    {Errc::kTooManyTrailers, Status::kBadRequest, "too many trailer fields"},

    {Errc::kBadUrl, Status::kBadRequest, "malformed URL"},
    {Errc::kUnsupportedScheme, Status::kBadRequest, "scheme is neither http nor https"},
    {Errc::kUrlTooLong, Status::kUriTooLong, "URL too long"},
    {Errc::kTooManyParams, Status::kBadRequest, "too many parameters"},
    {Errc::kTooManyCookies, Status::kBadRequest, "too many cookies"},
    {Errc::kNotForm, Status::kUnsupportedMediaType, "not application/x-www-form-urlencoded"},
    {Errc::kNotMultipart, Status::kUnsupportedMediaType, "not multipart/form-data"},
    {Errc::kBadBoundary, Status::kBadRequest, "malformed multipart boundary"},
    {Errc::kBadMultipart, Status::kBadRequest, "malformed multipart delimiter"},
    {Errc::kUnfinishedMultipart, Status::kBadRequest, "multipart body without its final boundary"},
    {Errc::kBadPartHeader, Status::kBadRequest, "malformed header of a part"},
    {Errc::kTooManyParts, Status::kContentTooLarge, "too many parts"},
    {Errc::kPartTooLarge, Status::kContentTooLarge, "part too large"},
    {Errc::kPartHeaderTooLong, Status::kBadRequest, "header of a part too long"},
    {Errc::kTooManyPartFields, Status::kBadRequest, "too many fields in a part"},
    {Errc::kFilenameTooLong, Status::kBadRequest, "filename too long"},
    {Errc::kBadMediaType, Status::kBadRequest, "malformed media type"},
    {Errc::kBadSignature, Status::kForbidden, "signature does not fit"},
    {Errc::kSignatureExpired, Status::kForbidden, "signature has expired"},
    {Errc::kBadCookie, Status::kInternalServerError, "cookie that no browser takes"},
    {Errc::kBadEvent, Status::kInternalServerError, "event that breaks its stream"},
    {Errc::kBadSigningKey, Status::kInternalServerError, "signing key too short, or none"},

    {Errc::kBadStatus, Status::kBadGateway, "malformed status line"},
    {Errc::kStatusLineTooLong, Status::kBadGateway, "status line too long"},

    {Errc::kReservedField, Status::kInternalServerError, "a field that the client writes itself"},
    {Errc::kTlsNotBuilt, Status::kInternalServerError, "https is not in this build"},
    {Errc::kBodyNotAsAnnounced, Status::kInternalServerError, "body not as long as announced"},
    {Errc::kBodyWriterFailed, Status::kInternalServerError, "what streams the body failed"},
    {Errc::kBodyNotRepeatable, Status::kBadGateway, "a streamed body cannot be sent twice"},
    {Errc::kTooManyWaiting, Status::kServiceUnavailable, "too many wait for a connection"},
    {Errc::kConnectTimedOut, Status::kGatewayTimeout, "not connected in time"},
    {Errc::kUploadTimedOut, Status::kGatewayTimeout, "request not taken in time"},
    {Errc::kResponseHeadTimedOut, Status::kGatewayTimeout,
     "head of the response not complete in time"},
    {Errc::kResponseBodyTimedOut, Status::kGatewayTimeout, "body of the response stands still"},
    {Errc::kExchangeTimedOut, Status::kGatewayTimeout, "exchange not complete in time"},
    {Errc::kNoResponse, Status::kBadGateway, "connection ended before a response"},
    {Errc::kResponseCutShort, Status::kBadGateway, "connection ended inside the response"},
    {Errc::kResponseTooLarge, Status::kBadGateway, "response too large"},
    {Errc::kTooManyInterim, Status::kBadGateway, "too many interim responses"},
    {Errc::kUnexpectedUpgrade, Status::kBadGateway, "upgrade that nobody asked for"},
    {Errc::kBadRedirect, Status::kBadGateway, "redirect to no URL"},
    {Errc::kTooManyRedirects, Status::kBadGateway, "too many redirects"},
    {Errc::kRedirectLoop, Status::kBadGateway, "redirect in a circle"},

    {Errc::kBodyTooLarge, Status::kContentTooLarge, "content too large"},
    {Errc::kUnknownContentCoding, Status::kUnsupportedMediaType, "content coding not known"},
    {Errc::kBadContentCoding, Status::kBadRequest, "content does not decode"},
    {Errc::kContentRatio, Status::kContentTooLarge, "content too small for what is in it"},
    {Errc::kHeadTimedOut, Status::kRequestTimeout, "head not complete in time"},
    {Errc::kBodyTimedOut, Status::kRequestTimeout, "body not complete in time"},
    {Errc::kSpoolFull, Status::kServiceUnavailable, "no room for the body"},
    {Errc::kHandlerFailed, Status::kInternalServerError, "handler failed"},
    {Errc::kHandlerTimedOut, Status::kServiceUnavailable, "handler took too long"},
    {Errc::kOverloaded, Status::kServiceUnavailable, "overloaded"},
    {Errc::kTooManyRequests, Status::kTooManyRequests, "too many requests"},
    {Errc::kClientDenied, Status::kForbidden, "this client is not let in"},
    {Errc::kNotADate, Status::kBadRequest, "not an HTTP date"},
});
static_assert(kTable.size() == kErrcCount);

constexpr const Row& row(Errc code) noexcept { return kTable[static_cast<std::size_t>(code)]; }

static_assert(is_in_order(kTable),
              "the table has one row for each value, in the order of the enum");

}  // namespace

Status status_of(Errc code) noexcept { return row(code).status; }

std::string_view to_string(Errc code) noexcept { return row(code).text; }

const std::error_category& http_category() noexcept {
  static const TextCategory<Errc, kErrcCount> category("http");
  return category;
}

std::error_code make_error_code(Errc code) noexcept {
  return {static_cast<int>(code), http_category()};
}

}  // namespace ssx::http
