#include <fmt/format.h>

#include "ssxrver/config/text_values.h"
#include "tests/docs/limit_tables.h"
#include "websocket/extensions.h"
#include "websocket/frame.h"
#include "websocket/subprotocols.h"

namespace ssx::config {
namespace {

using websocket::Errc;
using websocket::Extensions;
constexpr auto kNone = http::Errc::kOk;

const Limit kWebSockets[] = {
    {"pages of other origins", "websocket.allowed_origins", nullptr, "{}", kNone,
     "`Counters::answers`", true, Errc::kForbiddenOrigin},
    {"subprotocols that are offered", "",
     [](const ServerConfig&) { return std::to_string(websocket::kSubprotocolsMax); }, "{}", kNone,
     "`Counters::answers`", false, Errc::kBadSubprotocols},
    {"extensions that are offered", "",
     [](const ServerConfig&) {
       return fmt::format("{} of {} parameters, {}", Extensions::kMax, Extensions::kParamsMax,
                          show_size(Extensions::kBytesMax));
     },
     "{}", kNone, "`Counters::answers`", false, Errc::kTooManyExtensions},
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
     "messages are sent as they are", kNone, "`DeflateBudget::refused`"},
    {"a peer that says nothing is sent a ping", "websocket.ping_interval", nullptr, "a ping", kNone,
     "`pings_out`"},
    {"ping to the next byte", "websocket.pong_timeout", nullptr, "reset", kNone,
     "`failed[kPongTimedOut]`"},
    {"without a message", "websocket.idle_timeout", nullptr, "{}", kNone, "`failed[kIdleTimedOut]`",
     true, Errc::kIdleTimedOut},
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
     "`failed[kSendQueueFull]`, `dropped`", false, Errc::kSendQueueFull},
    {"unsent bytes of all peers", "websocket.backpressure.global_max", nullptr,
     "`websocket.backpressure.low` is the bound of each", kNone, "`unsent_max_hit`"},
    {"topics of a WebSocket", "websocket.max_subscriptions", nullptr, "it does not subscribe",
     kNone, "`subscriptions_max_hit`"},
    {"messages collected for one write", "websocket.delay_write.max_messages", nullptr,
     "they leave", kNone, "`messages_out`"},
    {"the time of the first of them", "websocket.delay_write.max_delay", nullptr, "they leave",
     kNone, "`messages_out`"},
};

}  // namespace

std::span<const Limit> websocket_limits() { return kWebSockets; }

}  // namespace ssx::config
