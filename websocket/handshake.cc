#include "websocket/handshake.h"

#include <algorithm>

#include "http/origin.h"
#include "ssxrver/base/strings.h"
#include "websocket/extensions.h"
#include "websocket/subprotocols.h"

namespace ssx::websocket {
namespace {

using http::FieldName;
using http::Fields;

// RFC 9110 7.8: who sends Upgrade names it in Connection.
constexpr std::string_view kUpgradeFields =
    "Upgrade: websocket\r\n"
    "Connection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\n";

/// The value of a field that may come only once; nothing when it comes never or more often.
std::optional<std::string_view> only(const Fields& fields, FieldName name) noexcept {
  const std::size_t line = fields.next(name, 0);
  if (line == fields.size() || fields.next(name, line + 1) < fields.size()) return std::nullopt;
  return fields[line].value;
}

bool has_body(const Fields& fields) noexcept {
  const auto length = fields.find(FieldName::kContentLength);
  return fields.contains(FieldName::kTransferEncoding) || (length && parse_uint(*length) != 0);
}

// RFC 6455 4.2.1, items 1 to 6.
Errc check_request(const http::Request& request) {
  const Fields& fields = request.fields();
  if (request.method() != http::Method::kGet) return Errc::kNotGet;
  if (request.version() != http::Version::kHttp11) return Errc::kNotHttp11;
  if (has_body(fields)) return Errc::kHasBody;
  if (!fields.has_token(FieldName::kUpgrade, "websocket") ||
      !fields.has_token(FieldName::kConnection, "upgrade")) {
    return Errc::kNoUpgrade;
  }
  if (only(fields, FieldName::kSecWebSocketVersion) != "13") return Errc::kBadVersion;
  const auto key = only(fields, FieldName::kSecWebSocketKey);
  return key && is_key(*key) ? Errc::kOk : Errc::kBadKey;
}

/// All but the choice among the offers.
Handshake accept(const http::Request& request, const Options& options, bool secure,
                 Extensions& offers) {
  Handshake handshake;
  handshake.error = check_request(request);
  if (handshake.error != Errc::kOk) return handshake;
  if (!is_allowed_origin(request, options, secure)) {
    handshake.error = Errc::kForbiddenOrigin;
    return handshake;
  }
  const Fields& fields = request.fields();
  handshake.error = choose_subprotocol(fields, options.subprotocols, handshake.subprotocol);
  if (handshake.error != Errc::kOk) return handshake;
  handshake.error = offers.parse(fields);
  if (handshake.error != Errc::kOk) return handshake;
  handshake.accept = accept_key(*fields.find(FieldName::kSecWebSocketKey));
  return handshake;
}

}  // namespace

bool is_allowed_origin(const http::Request& request, const Options& options, bool secure) noexcept {
  const Fields& fields = request.fields();
  const bool is_page = fields.contains(FieldName::kOrigin);
  const auto text = only(fields, FieldName::kOrigin);
  const auto origin = text ? http::Origin::parse(*text) : std::nullopt;
  return std::any_of(options.allowed_origins.begin(), options.allowed_origins.end(),
                     [&request, &origin, is_page, secure](std::string_view allowed) {
                       if (allowed == "any") return true;
                       if (allowed == "same" && !is_page) return true;
                       if (allowed == "same" || allowed == "page")
                         return origin && http::is_origin_of(*origin, request.host(), secure);
                       const auto listed = http::Origin::parse(allowed);
                       return listed && origin && *listed == *origin;
                     });
}

Handshake accept_handshake(const http::Request& request, const Options& options, bool secure) {
  Extensions offers;
  Handshake handshake = accept(request, options, secure, offers);
  if (handshake.error == Errc::kOk)
    handshake.deflate = accept_deflate(offers, options.deflate, handshake.extensions);
  return handshake;
}

Handshake accept_plain_handshake(const http::Request& request, const Options& options,
                                 bool secure) {
  Extensions offers;
  return accept(request, options, secure, offers);
}

http::Response refusal(Errc error) {
  http::Response response(status_of(error));
  if (response.status() == http::Status::kMethodNotAllowed) response.set("Allow", "GET");
  if (response.status() == http::Status::kUpgradeRequired) {
    response.prepared_fields(kUpgradeFields);  // 4.4
  }
  return response;
}

void add_fields(http::Response& answer, const Handshake& handshake) {
  answer.set("Sec-WebSocket-Accept", {handshake.accept.data(), handshake.accept.size()});
  if (!handshake.subprotocol.empty()) answer.set("Sec-WebSocket-Protocol", handshake.subprotocol);
  if (!handshake.extensions.empty()) answer.set("Sec-WebSocket-Extensions", handshake.extensions);
}

}  // namespace ssx::websocket
