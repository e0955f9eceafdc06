// Handshakes: what is accepted has a key, a subprotocol that both sides know, an origin that is let
// in, and parameters that a second reader of the offers finds in them.
//
// An input is a byte of choices, then lines: the values of Sec-WebSocket-Extensions, -Protocol,
// Origin and Sec-WebSocket-Key, and whatever fields follow.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "http/request_parser.h"
#include "ssxrver/base/assert.h"
#include "ssxrver/base/strings.h"
#include "tests/fuzz/fuzz.h"
#include "websocket/client_handshake.h"
#include "websocket/extensions.h"
#include "websocket/handshake.h"

namespace {

using namespace ssx::websocket;
using ssx::http::FieldName;

constexpr std::string_view kDeflate = "permessage-deflate";

Options options_of(unsigned choices) {
  Options options;
  options.subprotocols = {"chat", "b"};
  if ((choices & 1) != 0) options.allowed_origins = {"https://a.example"};
  if ((choices & 2) != 0) options.allowed_origins = {"any"};
  options.deflate.mode = (choices & 4) != 0 ? DeflateMode::kOff : DeflateMode::kBoth;
  options.deflate.server_context_takeover = (choices & 8) != 0;
  options.deflate.client_context_takeover = (choices & 16) != 0;
  options.deflate.server_max_window_bits = (choices & 32) != 0 ? 12 : 15;
  options.deflate.client_max_window_bits = (choices & 64) != 0 ? 10 : 15;
  return options;
}

std::string request_of(std::string_view lines) {
  std::string text = "GET / HTTP/1.1\r\nHost: a.example\r\n";
  text += "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n";
  const std::string_view names[] = {
      "Sec-WebSocket-Extensions: ", "Sec-WebSocket-Protocol: ", "Origin: ", "Sec-WebSocket-Key: "};
  std::size_t index = 0;
  ssx::for_each_part(lines, '\n', [&](std::string_view line) {
    if (!line.empty()) text.append(index < 4 ? names[index] : "").append(line).append("\r\n");
    ++index;
  });
  return text + "\r\n";
}

/// Reads one offer without quotes, the slow way; nothing when it must not be taken.
std::optional<std::map<std::string, std::string>> good_offer(std::string_view offer) {
  std::map<std::string, std::string> params;
  bool is_first = true;
  bool is_good = true;
  ssx::for_each_part(offer, ';', [&](std::string_view part) {
    std::string name(ssx::trim(part.substr(0, part.find('='))));
    std::transform(name.begin(), name.end(), name.begin(), ssx::ascii_lower);
    const bool has_value = part.find('=') != std::string_view::npos;
    const std::string value(has_value ? ssx::trim(part.substr(part.find('=') + 1)) : "");
    if (is_first) {
      is_good = name == kDeflate && !has_value;
    } else if (name == "server_max_window_bits" || name == "client_max_window_bits") {
      const auto bits = ssx::parse_uint(value);
      const bool is_window = bits && *bits >= 9 && *bits <= 15 && std::to_string(*bits) == value;
      is_good = is_good && (is_window || (name[0] == 'c' && !has_value));
    } else {
      is_good = is_good && !has_value &&
                (name == "server_no_context_takeover" || name == "client_no_context_takeover");
    }
    is_good = is_good && (is_first || params.emplace(name, value).second);
    is_first = false;
  });
  if (!is_good) return std::nullopt;
  return params;
}

/// Whether an offer of the list, which has no quotes, allows for `params`.
bool allows(std::string_view offers, const DeflateParams& params) {
  bool is_allowed = false;
  ssx::for_each_part(offers, ',', [&](std::string_view part) {
    const auto offer = good_offer(ssx::trim(part));
    if (!offer) return;
    const auto bits = [&offer](const char* name) {
      const auto found = offer->find(name);
      return found == offer->end() || found->second.empty() ? 15 : std::stoi(found->second);
    };
    is_allowed =
        is_allowed ||
        (params.server_max_window_bits <= bits("server_max_window_bits") &&
         params.client_max_window_bits <= bits("client_max_window_bits") &&
         (params.client_max_window_bits == 15 || offer->contains("client_max_window_bits")) &&
         (params.server_no_context_takeover || !offer->contains("server_no_context_takeover")));
  });
  return is_allowed;
}

void check_deflate(const Handshake& handshake, const Options& options, std::string_view offers) {
  const DeflateParams& params = *handshake.deflate;
  SSX_ASSERT(options.deflate.mode != DeflateMode::kOff);
  SSX_ASSERT(params.server_max_window_bits >= 9 &&
             params.server_max_window_bits <= options.deflate.server_max_window_bits);
  SSX_ASSERT(params.client_max_window_bits >= 9 &&
             params.client_max_window_bits <= options.deflate.client_max_window_bits);
  SSX_ASSERT(params.server_no_context_takeover || options.deflate.server_context_takeover);
  SSX_ASSERT(params.client_no_context_takeover || options.deflate.client_context_takeover);
  SSX_ASSERT(handshake.extensions.starts_with(kDeflate));
  if (offers.find('"') == std::string_view::npos) SSX_ASSERT(allows(offers, params));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const Options options = options_of(data[0]);
  const std::string bytes = request_of(ssx::fuzz::text(data + 1, size - 1));
  const ssx::http::ParserLimits limits;
  ssx::http::RequestParser parser(limits);
  ssx::http::Head head;
  if (parser.parse(bytes, head).progress != ssx::http::Progress::kDone) return 0;
  const ssx::http::Params params;
  const ssx::http::Body body;
  const ssx::net::SocketAddress peer;
  const ssx::http::Request request(head, head.path, params, body, peer, 0);

  const Handshake handshake = accept_handshake(request, options, (data[0] & 128) != 0);
  if (handshake.error != Errc::kOk) {
    SSX_ASSERT(static_cast<int>(refusal(handshake.error).status()) >= 400);
    return 0;
  }
  const auto key = request.header(FieldName::kSecWebSocketKey);
  SSX_ASSERT(key && is_key(*key));
  SSX_ASSERT(is_allowed_origin(request, options, (data[0] & 128) != 0));
  const auto offered = request.header(FieldName::kSecWebSocketProtocol).value_or("");
  SSX_ASSERT(handshake.subprotocol.empty() || handshake.subprotocol == "chat" ||
             handshake.subprotocol == "b");
  if (head.fields.next(FieldName::kSecWebSocketProtocol, 0) < head.fields.size()) {
    SSX_ASSERT(handshake.subprotocol.empty() ||
                   head.fields.has_token(FieldName::kSecWebSocketProtocol, handshake.subprotocol),
               offered);
  }
  std::string offers;
  for (const auto& field : head.fields) {
    if (field.id == FieldName::kSecWebSocketExtensions) offers.append(field.value).append(",");
  }
  SSX_ASSERT(handshake.deflate.has_value() == !handshake.extensions.empty());
  if (handshake.deflate) check_deflate(handshake, options, offers);
  ssx::http::Response answer;
  add_fields(answer, handshake);
  SSX_ASSERT(answer.bad_field().empty());
  SSX_ASSERT(std::ranges::count(answer.fields(), '\n') <= 3);
  return 0;
}
