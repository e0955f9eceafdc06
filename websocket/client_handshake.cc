#include "websocket/client_handshake.h"

#include "websocket/extensions.h"
#include "websocket/subprotocols.h"

namespace ssx::websocket {
namespace {

using http::FieldName;

std::string_view text_of(const auto& characters) noexcept {
  return {characters.data(), characters.size()};
}

// RFC 6455 4.1, items 1 to 4 of what the client checks: Upgrade has one value, Connection may have
// more.
Errc check_switch(http::Status status, const http::Fields& fields, const HandshakeKey& key) {
  constexpr std::string_view kProtocol = "websocket";
  if (status != http::Status::kSwitchingProtocols ||
      !fields.has_token(FieldName::kUpgrade, kProtocol) ||
      fields.find("upgrade").value_or("").size() != kProtocol.size() ||
      !fields.has_token(FieldName::kConnection, "upgrade")) {
    return Errc::kNotSwitched;
  }
  constexpr std::string_view kAccept = "Sec-WebSocket-Accept";
  const std::size_t line = fields.next(kAccept, 0);
  const bool is_good = line < fields.size() && fields.next(kAccept, line + 1) == fields.size() &&
                       fields[line].value == text_of(accept_key(text_of(key)));
  return is_good ? Errc::kOk : Errc::kBadAccept;
}

}  // namespace

void append_request_fields(std::string& lines, const HandshakeKey& key, const Options& options) {
  lines.append("Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n");
  lines.append("Sec-WebSocket-Key: ").append(text_of(key)).append("\r\n");
  if (!options.subprotocols.empty()) {
    std::string_view before = "Sec-WebSocket-Protocol: ";
    for (const std::string& name : options.subprotocols) {
      lines.append(before).append(name);
      before = ", ";
    }
    lines.append("\r\n");
  }
  if (const std::string offer = offer_deflate(options.deflate); !offer.empty()) {
    lines.append("Sec-WebSocket-Extensions: ").append(offer).append("\r\n");
  }
}

ClientHandshake check_answer(http::Status status, const http::Fields& fields,
                             const HandshakeKey& key, const Options& options) {
  ClientHandshake handshake;
  handshake.error = check_switch(status, fields, key);
  if (handshake.error != Errc::kOk) return handshake;
  handshake.error = check_subprotocol(fields, options.subprotocols, handshake.subprotocol);
  if (handshake.error != Errc::kOk) return handshake;
  Extensions answer;
  handshake.error = answer.parse(fields);
  if (handshake.error != Errc::kOk) return handshake;
  handshake.error = check_deflate_answer(answer, options.deflate, handshake.deflate);
  return handshake;
}

}  // namespace ssx::websocket
