#include <fmt/format.h>

#include "http/client/http_connect.h"
#include "ssxrver/app/chat_rooms.h"
#include "ssxrver/config/text_values.h"
#include "tests/docs/limit_tables.h"
#include "websocket/client/options.h"
#include "websocket/extensions.h"
#include "websocket/frame.h"
#include "websocket/subprotocols.h"

namespace ssx::config {
namespace {

using http::HttpConnect;
using websocket::Errc;
using websocket::Extensions;
using Client = websocket::ClientOptions;
constexpr auto kNone = http::Errc::kOk;

std::string show_extensions() {
  return fmt::format("{} of {} parameters, {}", Extensions::kMax, Extensions::kParamsMax,
                     show_size(Extensions::kBytesMax));
}

/// What send() takes beside the bytes that nobody waits for.
std::string show_send_max() {
  const websocket::BackpressureOptions limits;
  return show_size(limits.max - limits.high - websocket::kHeaderMax);
}

const Limit kWebSockets[] = {
    {"pages of other origins", "websocket.allowed_origins", nullptr, "{}", kNone,
     "`failed[kForbiddenOrigin]`", true, Errc::kForbiddenOrigin},
    {"subprotocols that are offered", "",
     [](const ServerConfig&) { return std::to_string(websocket::kSubprotocolsMax); }, "{}", kNone,
     "`failed[kBadSubprotocols]`", false, Errc::kBadSubprotocols},
    {"extensions that are offered", "", [](const ServerConfig&) { return show_extensions(); }, "{}",
     kNone, "`failed[kTooManyExtensions]`", false, Errc::kTooManyExtensions},
    {"a handshake that is made to wait", "websocket.handshake_timeout", nullptr,
     "503, the coroutine is destroyed", kNone,
     "`rejected` by an on_upgrade; `refused[kHandlerTimedOut]` of `http`"},
    {"a message, inflated", "websocket.max_message_size", nullptr, "{}", kNone,
     "`failed[kMessageTooLong]`", false, Errc::kMessageTooLong},
    {"a frame, by its header", "websocket.max_frame_size", nullptr, "{}", kNone,
     "`failed[kFrameTooLong]`", false, Errc::kFrameTooLong},
    {"a control frame", "",
     [](const ServerConfig&) { return std::to_string(websocket::kControlPayloadMax); }, "{}", kNone,
     "`failed[kControlTooLong]`", false, Errc::kControlTooLong},
    {"fragments of a message", "websocket.max_fragments", nullptr, "{}", kNone,
     "`failed[kTooManyFragments]`", false, Errc::kTooManyFragments},
    {"empty fragments in a row", "websocket.max_empty_fragments", nullptr, "{}", kNone,
     "`failed[kTooManyEmptyFragments]`", false, Errc::kTooManyEmptyFragments},
    {"first to last byte of a message", "websocket.assembly_timeout", nullptr, "{}", kNone,
     "`failed[kAssemblyTimedOut]`", false, Errc::kAssemblyTimedOut},
    {"control frames of a peer", "websocket.control_rate", nullptr, "{}", kNone,
     "`failed[kControlRate]`", true, Errc::kControlRate},
    {"bytes per byte of a compressed message", "websocket.deflate.max_ratio", nullptr,
     "above 64k: {}", kNone, "`failed[kInflateRatio]`", false, Errc::kInflateRatio},
    {"memory of all that compress", "websocket.deflate.memory_budget", nullptr,
     "messages are sent as they are", kNone, "`ByteBudget::refused`"},
    {"a peer that says nothing is sent a ping", "websocket.ping_interval", nullptr, "a ping", kNone,
     "`pings_out`"},
    {"ping to the next byte", "websocket.pong_timeout", nullptr, "reset", kNone,
     "`failed[kPongTimedOut]`"},
    {"without a part of a message", "websocket.idle_timeout", nullptr, "{}", kNone,
     "`failed[kIdleTimedOut]`", true, Errc::kIdleTimedOut},
    {"without a byte", "websocket.read_timeout", nullptr, "{}", kNone, "`failed[kReadTimedOut]`",
     true, Errc::kReadTimedOut},
    {"age of a WebSocket", "websocket.max_lifetime", nullptr, "{}", kNone,
     "`failed[kLifetimeOver]`", true, Errc::kLifetimeOver},
    {"the peer's close frame", "websocket.close_timeout", nullptr, "reset", kNone,
     "`failed[kCloseTimedOut]`"},
    {"no byte of what waits is taken", "websocket.send_stall_timeout", nullptr, "reset", kNone,
     "`failed[kSendStalled]`"},
    {"unsent bytes of a peer, told of", "websocket.backpressure.high, websocket.backpressure.low",
     nullptr, "`on_backpressure`, then `on_drain`", kNone, "`backpressure`"},
    {"unsent bytes of a peer", "websocket.backpressure.max", nullptr,
     "`websocket.backpressure.policy`: {}, or not sent", kNone,
     "`failed[kSendQueueFull]`, `dropped` by policy", false, Errc::kSendQueueFull},
    {"unsent bytes of all peers", "websocket.backpressure.global_max", nullptr,
     "`websocket.backpressure.low` is the bound of each", kNone, "`unsent_max_hit`"},
    {"what other threads have sent to a worker that is behind", "websocket.backpressure.global_max",
     nullptr, "refused: `WebSocketHandle` says so, a publication is not delivered there; a line",
     kNone, "`ByteBudget::refused`"},
    {"topics of a WebSocket", "websocket.max_subscriptions", nullptr, "it does not subscribe",
     kNone, "`subscriptions_max_hit`"},
    {"messages collected for one write", "websocket.delay_write.max_messages", nullptr,
     "they leave", kNone, "`messages_out`"},
    {"the time of the first of them", "websocket.delay_write.max_delay", nullptr, "they leave",
     kNone, "`messages_out`"},
};

const Limit kChat[] = {
    {"rooms", "", [](const ServerConfig&) { return std::to_string(ChatRooms::kRoomsMax); }, "{}",
     kNone, "`rooms_max_hit`", false, Errc::kSendQueueFull},
    {"members of a room", "",
     [](const ServerConfig&) { return std::to_string(ChatRooms::kMembersMax); }, "{}", kNone,
     "`members_max_hit`", false, Errc::kSendQueueFull},
    {"name of a room or a member", "",
     [](const ServerConfig&) { return std::to_string(ChatRooms::kNameMax); }, "400", kNone,
     "`names_refused`"},
    {"a text", "", [](const ServerConfig&) { return show_size(ChatRooms::kTextMax); },
     "an `error` to who has said it", kNone, "`text_max_hit`"},
    {"the JSON that it comes in", "",
     [](const ServerConfig&) { return show_size(ChatRooms::kSentMax); },
     "an `error` to who has said it", kNone, "`sent_refused`"},
    {"messages of a room that are kept", "http.routes[].history",
     [](const ServerConfig&) { return std::to_string(WebSocketRouteOptions().history); },
     "the oldest is forgotten", kNone, "`history_max_hit`"},
    {"bytes of them", "",
     [](const ServerConfig&) { return show_size(ChatRooms::kHistoryBytesMax); },
     "the oldest is forgotten", kNone, "`history_bytes_max_hit`"},
};

const Limit kWebSocketClient[] = {
    {"a name, and all of its addresses", "ClientOptions::dial_timeout",
     [](const ServerConfig&) { return show_time(Client().dial_timeout); }, "error", kNone,
     "`failed[kConnectTimedOut]`"},
    {"connection to the 101, through a proxy", "ClientOptions::handshake_timeout",
     [](const ServerConfig&) { return show_time(Client().handshake_timeout); }, "error, close",
     kNone, "`failed[kHandshakeTimedOut]`"},
    {"whole head of the answer", "ClientOptions::parser",
     [](const ServerConfig&) { return show_size(Client().parser.head_max); }, "error, close", kNone,
     "`ClientCounters::failed[kHeadTooLong]`"},
    {"its status line", "ClientOptions::parser",
     [](const ServerConfig&) { return show_size(Client().parser.request_line_max); },
     "error, close", kNone, "`ClientCounters::failed[kStatusLineTooLong]`"},
    {"extensions in it", "", [](const ServerConfig&) { return show_extensions(); }, "error, close",
     kNone, "`failed[kTooManyExtensions]`"},
    {"1xx before it", "ClientOptions::interim_max",
     [](const ServerConfig&) { return std::to_string(Client().interim_max); }, "error, close",
     kNone, "`ClientCounters::failed[kTooManyInterim]`"},
    {"head of an HTTP proxy's answer", "",
     [](const ServerConfig&) { return show_size(HttpConnect::kLimits.head_max); }, "error, close",
     kNone, "`ClientCounters::failed[kHeadTooLong]`"},
    {"1xx before that", "",
     [](const ServerConfig&) { return std::to_string(HttpConnect::kInterimMax); }, "error, close",
     kNone, "`ClientCounters::failed[kTooManyInterim]`"},
    {"failures in a row", "ReconnectOptions::attempts_max",
     [](const ServerConfig&) -> std::string { return "none"; }, "`on_failed`", kNone, "`gave_up`"},
    {"time before the next attempt", "ReconnectOptions::first_delay, ReconnectOptions::delay_max",
     [](const ServerConfig&) {
       return show_time(Client().reconnect.first_delay) + ", " +
              show_time(Client().reconnect.delay_max);
     },
     "by chance, up to twice as long each time", kNone, "`retried`"},
    {"messages, or pieces of one, that nobody receives", "",
     [](const ServerConfig&) -> std::string { return "1"; }, "reading rests", kNone, "`rested`"},
    {"a message that comes, inflated", "Options::message_max",
     [](const ServerConfig&) { return show_size(Client().limits.message_max); }, "{}, error", kNone,
     "`failed[kMessageTooLong]`", false, Errc::kMessageTooLong},
    {"unsent bytes behind which send() waits", "BackpressureOptions::high",
     [](const ServerConfig&) { return show_size(Client().limits.backpressure.high); },
     "it waits for room", kNone, "`backpressure`"},
    {"what one send() takes", "BackpressureOptions::max",
     [](const ServerConfig&) { return show_send_max(); }, "error, not sent", kNone,
     "`send_max_hit`"},
};

}  // namespace

std::span<const Limit> websocket_limits() { return kWebSockets; }
std::span<const Limit> chat_limits() { return kChat; }
std::span<const Limit> websocket_client_limits() { return kWebSocketClient; }

}  // namespace ssx::config
