#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "http/field_rules.h"
#include "http/origin.h"
#include "ssxrver/config/kinds.h"
#include "ssxrver/config/tables.h"
#include "ssxrver/config/text_values.h"

namespace ssx::config {
namespace {

using namespace std::chrono_literals;
using websocket::BackpressureOptions;
using websocket::BackpressurePolicy;
using websocket::DeflateMode;
using websocket::DeflateOptions;
using websocket::DelayWriteOptions;
using websocket::Options;
using websocket::ServiceOptions;

constexpr std::int64_t kMessageMax = std::int64_t{1} << 40;
constexpr std::int64_t kQueueMax = std::int64_t{1} << 40;
constexpr std::int64_t kCountMax = 1'000'000'000;
constexpr const char* kWhyBackpressure = "peers that read more slowly than they are sent to";
constexpr const char* kWhyDeflate = "messages in fewer bytes, for peers that offer it";
constexpr const char* kWhyDelay = "fewer system calls, for messages that may wait a moment";
constexpr const char* kOnly = "handlers that begin with \"websocket:\"";

template <class... Members>
auto limit(Members... members) {
  return in(&WebSocketRouteOptions::limits, members...);
}
template <class... Members>
auto global(Members... members) {
  return in(&ServerConfig::websocket, &WebSocketRouteOptions::limits, members...);
}

const char* object_to_subprotocol(const std::string& text) {
  return http::is_token(text) ? nullptr : "a name such as \"chat.v2\", without spaces";
}

const char* object_to_allowed_origin(const std::string& text) {
  if (text == "same" || text == "page" || text == "any") return nullptr;
  const auto origin = http::Origin::parse(text);
  const bool is_known = origin && origin->port != 0;
  return is_known ? nullptr
                  : "\"same\", \"page\", \"any\", or an origin such as \"https://app.example\"";
}

void add_message_limits(Table<WebSocketRouteOptions>& table) {
  const auto live = Reload::kLive;
  table
      .key("max_message_size", limit(&Options::message_max), Size{{1, kMessageMax}}, live,
           "of a message, inflated; else 1009")
      .hardened(64 << 10);
  table
      .key("max_frame_size", limit(&Options::frame_max), Size{{1, kMessageMax}}, live,
           "of a frame, by its header; else 1009; without the key max_message_size")
      .hardened(64 << 10);
  table
      .key("max_fragments", limit(&Options::fragments_max), Whole{{1, kCountMax}}, live,
           "frames of a message; else 1008")
      .hardened(64);
  table
      .key("max_empty_fragments", limit(&Options::empty_fragments_max), Whole{{0, kCountMax}}, live,
           "in a row, of a message; else 1008")
      .hardened(4);
  table
      .key("assembly_timeout", limit(&Options::assembly_timeout), Time{}, live,
           "from the first byte of a message to its last; else 1008; 0 = off")
      .hardened(10s);
  table
      .key("control_rate", limit(&Options::control_rate), RateText{}, live,
           "pings, pongs and the like of one peer; else 1008; empty = no limit")
      .hardened(net::Rate{10, 1s, 10});
}

void add_ways(Table<WebSocketRouteOptions>& table) {
  using ParseMode = WebSocketRouteOptions::ParseMode;
  const auto live = Reload::kLive;
  table
      .key("send_stall_timeout", limit(&Options::send_stall_timeout), Time{}, live,
           "a peer that takes no byte of what waits for it is reset; 0 = off")
      .hardened(10s);
  table.key("send_fragment_size", limit(&Options::send_fragment_size), Size{{0, kMessageMax}}, live,
            "longer messages are sent in frames of this size; 0 = in one");
  table.key("read_buffer", limit(&Options::read_buffer), Size{{0, 16 << 20}}, live,
            "room for a message that comes in parts, to begin with");
  table.key("parse_mode", &WebSocketRouteOptions::parse_mode,
            Choice<ParseMode>{{{"window", ParseMode::kWindow}, {"stream", ParseMode::kStream}}},
            live,
            "whole messages, or pieces as they come: what \"websocket:echo\" sends back, as "
            "fragments");
  table.key("utf8_check", limit(&Options::utf8_check), Switch{}, live,
            "texts that are not UTF-8 are 1007");
  table.key("reply_ping", limit(&Options::reply_ping), Switch{}, live, "pings are answered");
  table.key("ignore_pong", limit(&Options::ignore_pong), Switch{}, live,
            "handlers hear of no pong that is not the answer to a ping");
}

void add_times(Table<WebSocketRouteOptions>& table) {
  const auto live = Reload::kLive;
  table
      .key("ping_interval", limit(&Options::ping_interval), Time{}, live,
           "without a byte from the peer before it is sent a ping; 0 = none")
      .hardened(20s);
  table.key("pong_timeout", limit(&Options::pong_timeout), Time{}, live,
            "without a byte after that ping; then reset; 0 = off");
  table.key("idle_timeout", limit(&Options::idle_timeout), Time{}, live,
            "without a part of a message; then closed; 0 = off");
  table.key("max_lifetime", limit(&Options::max_lifetime), Time{}, live,
            "of a WebSocket; then 1001; 0 = off");
  table.key("handshake_timeout", limit(&Options::handshake_timeout), Time{}, live,
            "of a handshake that is made to wait, as by a slow hash of `auth`; then 503; 0 = off");
  table
      .key("close_timeout", limit(&Options::close_timeout), Time{.min = 1ms, .has_off = false},
           live, "for the peer's close frame; then reset")
      .hardened(2s);
  table.key("read_timeout", limit(&Options::read_timeout), Time{}, live,
            "without a byte; then closed; 0 = off");
}

void add_handshake_keys(Table<WebSocketRouteOptions>& table) {
  const auto live = Reload::kLive;
  table.key("subprotocols", limit(&Options::subprotocols),
            Words{{.length_max = 256, .what = "names", .objection = object_to_subprotocol}, 64},
            live, "that may be agreed on, the best one first");
  table
      .key("allowed_origins", limit(&Options::allowed_origins),
           Words{{.length_max = 1024, .what = "origins", .objection = object_to_allowed_origin},
                 256},
           live,
           "whose pages may connect, else 403: \"same\" = that of the Host, and peers that are no "
           "pages; \"page\" = only pages of the Host; \"any\"; or \"https://app.example\"")
      .hardened(std::vector<std::string>{"page"});
}

Table<BackpressureOptions> backpressure_keys() {
  using Policy = BackpressurePolicy;
  const auto live = Reload::kLive;
  Table<BackpressureOptions> table;
  table
      .key("high", &BackpressureOptions::high, Size{{1, kQueueMax}}, live,
           "unsent bytes of a peer above which handlers are told")
      .hardened(256 << 10);
  table
      .key("low", &BackpressureOptions::low, Size{{0, kQueueMax}}, live, "and told that it is over")
      .hardened(64 << 10);
  table
      .key("max", &BackpressureOptions::max, Size{{1, kQueueMax}}, live,
           "unsent bytes with the message that is added; what is above is for `policy`; a route "
           "that "
           "sends whole messages back needs max_message_size and 14")
      .hardened(1 << 20);
  table.key("policy", &BackpressureOptions::policy,
            Choice<Policy>{{{"callback", Policy::kCallback},
                            {"drop_newest", Policy::kDropNewest},
                            {"drop_oldest", Policy::kDropOldest},
                            {"latest", Policy::kLatest},
                            {"close", Policy::kClose}}},
            live,
            "\"callback\" and \"drop_newest\" leave out the message, \"drop_oldest\" those that "
            "wait longest, \"latest\" all but the newest of each topic; \"close\" ends with 1013");
  return table;
}

Table<DeflateOptions> deflate_keys() {
  const auto fresh = Reload::kNewConnections;
  const Whole bits{{9, 15}};
  Table<DeflateOptions> table;
  table.key("mode", &DeflateOptions::mode,
            Choice<DeflateMode>{{{"off", DeflateMode::kOff},
                                 {"receive", DeflateMode::kReceive},
                                 {"both", DeflateMode::kBoth}}},
            fresh, "permessage-deflate (RFC 7692): not at all, of what comes, or both ways");
  table.key("server_context_takeover", &DeflateOptions::server_context_takeover, Switch{}, fresh,
            "what is sent may refer to earlier messages: shorter, at the cost of memory");
  table.key("client_context_takeover", &DeflateOptions::client_context_takeover, Switch{}, fresh,
            "the same of what comes");
  table.key("server_max_window_bits", &DeflateOptions::server_max_window_bits, bits, fresh,
            "how far back that may refer, as a power of two, of what is sent");
  table.key("client_max_window_bits", &DeflateOptions::client_max_window_bits, bits, fresh,
            "the same of what comes");
  table.key("level", &DeflateOptions::level, Whole{{1, 9}}, fresh, "1 is fast, 9 is short");
  table.key("mem_level", &DeflateOptions::mem_level, Whole{{1, 9}}, fresh,
            "memory of a compressor: 1 is little, 9 is fast");
  table.key("min_size", &DeflateOptions::min_size, Size{{0, kMessageMax}}, fresh,
            "shorter messages are sent as they are");
  table.key("max_ratio", &DeflateOptions::ratio_max, Whole{{1, 1 << 20}}, fresh,
            "bytes of a message per byte that came, above 64k; else 1009");
  return table;
}

Table<DelayWriteOptions> delay_write_keys() {
  const auto live = Reload::kLive;
  Table<DelayWriteOptions> table;
  table.key("enabled", &DelayWriteOptions::enabled, Switch{}, live,
            "messages wait for others that leave with them");
  table.key("max_messages", &DelayWriteOptions::messages_max, Whole{{1, 65536}}, live,
            "that wait; then they leave");
  table.key("max_delay", &DelayWriteOptions::delay, Time{.min = 1ms, .max = 10s, .has_off = false},
            live, "of the first of them; then they leave");
  table.key("init_buffer", &DelayWriteOptions::buffer, Size{{256, 16 << 20}}, live,
            "room for them, at first");
  return table;
}

Table<WebSocketRouteOptions> plain_keys() {
  Table<WebSocketRouteOptions> table;
  table.key("enabled", &WebSocketRouteOptions::enabled, Switch{}, Reload::kLive,
            "off = routes of WebSockets answer 404, as if they were not there");
  add_message_limits(table);
  add_ways(table);
  add_times(table);
  add_handshake_keys(table);
  table
      .key("max_subscriptions", limit(&Options::subscriptions_max), Whole{{0, 1 << 20}},
           Reload::kLive, "topics of one WebSocket")
      .hardened(64);
  return table;
}

// ---- rules between keys

bool has(const json::Value& value, const char* key) { return value.find(key) != nullptr; }

void too_large(Reader& reader, const json::Value& value, const char* key, const char* other,
               std::size_t most) {
  const json::Value* found = value.find(key);
  const Reader::Step step(reader, key);
  reader.out_of_range(found != nullptr ? *found : value,
                      fmt::format("at most \"{}\", which is {}", other, show_size(most)));
}

/// Of the three, `max` is so many times `high`, and `high` so many times `low`.
constexpr std::size_t kStep = 4;

/// Those that are not there give way to those that are, and keep their distance.
void check_backpressure(Reader& reader, const json::Value& websocket, BackpressureOptions& limits) {
  const json::Value* value = websocket.find("backpressure");
  if (value == nullptr || value->object() == nullptr) return;
  if (!has(*value, "high")) {
    if (has(*value, "max")) limits.high = std::min(limits.high, limits.max / kStep);
    if (has(*value, "low")) limits.high = std::max(limits.high, limits.low);
    if (has(*value, "max")) limits.high = std::min(limits.high, limits.max);
  }
  if (!has(*value, "low")) limits.low = std::min(limits.low, limits.high / kStep);
  if (!has(*value, "max")) limits.max = std::max(limits.max, limits.high * kStep);
  const Reader::Step step(reader, "backpressure");
  if (limits.low > limits.high) too_large(reader, *value, "low", "high", limits.high);
  if (limits.high > limits.max) too_large(reader, *value, "high", "max", limits.max);
}

/// "abc" or "abcabc": nobody could say which one was meant.
void check_subprotocols(Reader& reader, const json::Value& websocket, const Options& options) {
  auto names = options.subprotocols;
  std::ranges::sort(names);
  const auto twin = std::ranges::adjacent_find(names);
  const json::Value* value = websocket.find("subprotocols");
  if (twin == names.end() || value == nullptr) return;
  const Reader::Step step(reader, "subprotocols");
  reader.error(*value, fmt::format("\"{}\" is there twice", *twin));
}

void check_limits(Reader& reader, const json::Value& value, WebSocketRouteOptions& websocket) {
  Options& limits = websocket.limits;
  const bool is_chosen = has(value, "max_frame_size");
  if (!is_chosen && has(value, "max_message_size")) limits.frame_max = limits.message_max;
  if (limits.frame_max > limits.message_max)
    too_large(reader, value, "max_frame_size", "max_message_size", limits.message_max);
  check_backpressure(reader, value, limits.backpressure);
  check_subprotocols(reader, value, limits);
}

/// A handler that does nothing but handshakes has one time: two would have to agree.
void check_handshake_timeout(Reader& reader, const json::Value& value, RouteOptions& route) {
  const auto time = route.websocket.limits.handshake_timeout;
  const json::Value* timeouts = value.find("timeouts");
  const json::Value* handler = timeouts != nullptr ? timeouts->find("handler") : nullptr;
  if (handler != nullptr && route.timeouts.handler != time) {
    const Reader::Step outer(reader, "timeouts");
    const Reader::Step inner(reader, "handler");
    reader.error(*handler, "of a WebSocket's route this is \"handshake_timeout\"");
  }
  route.timeouts.handler = time;
}

}  // namespace

ServerTable websocket_keys() {
  ServerTable table;
  table.merge(&ServerConfig::websocket, plain_keys(), {}, "");
  ServerTable backpressure;
  backpressure.merge(global(&Options::backpressure), backpressure_keys(), {}, "");
  backpressure.key(
      "global_max", in(&ServerConfig::websockets, &ServiceOptions::unsent_max),
      Size{{1, kQueueMax}}, Reload::kLive,
      "unsent bytes of all peers, an equal share for each I/O thread; above it nobody may "
      "have more than `low`");
  table.group("backpressure", std::move(backpressure), kWhyBackpressure);
  ServerTable deflate;
  deflate.merge(global(&Options::deflate), deflate_keys(), {}, "");
  deflate.key("memory_budget", in(&ServerConfig::websockets, &ServiceOptions::deflate_memory),
              Size{{0, kQueueMax}}, Reload::kNewConnections,
              "of all compressors and their like; who comes when it is used up is not compressed");
  table.group("deflate", std::move(deflate), kWhyDeflate);
  ServerTable delay_write;
  delay_write.merge(global(&Options::delay_write), delay_write_keys(), {}, "");
  table.group("delay_write", std::move(delay_write), kWhyDelay);
  table.check([](Reader& reader, const json::Value& value, ServerConfig& config) {
    check_limits(reader, value, config.websocket);
  });
  return table;
}

bool is_websocket(const RouteOptions& route) { return route.handler.starts_with("websocket:"); }

Table<WebSocketRouteOptions> websocket_route_keys() {
  Table<WebSocketRouteOptions> table = plain_keys();
  table.object("backpressure", limit(&Options::backpressure),
               std::make_shared<const Table<BackpressureOptions>>(backpressure_keys()),
               kWhyBackpressure);
  table.object("deflate", limit(&Options::deflate),
               std::make_shared<const Table<DeflateOptions>>(deflate_keys()), kWhyDeflate);
  table.object("delay_write", limit(&Options::delay_write),
               std::make_shared<const Table<DelayWriteOptions>>(delay_write_keys()), kWhyDelay);
  table.check([](Reader& reader, const json::Value& value, WebSocketRouteOptions& websocket) {
    check_limits(reader, value, websocket);
  });
  return table;
}

void add_websocket_keys(Table<RouteOptions>& table) {
  const auto field = [](auto... members) {
    return in(&RouteOptions::websocket, &WebSocketRouteOptions::limits, members...);
  };
  table
      .key("history", in(&RouteOptions::websocket, &WebSocketRouteOptions::history),
           Whole{{0, 1000}}, Reload::kLive,
           "messages of a room that are kept for who comes later; 64k at the most")
      .only_if([](const RouteOptions& route) { return route.handler == "websocket:chat"; },
               "the handler \"websocket:chat\"");
  table.merge(&RouteOptions::websocket, plain_keys(), is_websocket, kOnly);
  table
      .object("backpressure", field(&Options::backpressure),
              std::make_shared<const Table<BackpressureOptions>>(backpressure_keys()),
              kWhyBackpressure)
      .only_if(is_websocket, kOnly);
  table
      .object("deflate", field(&Options::deflate),
              std::make_shared<const Table<DeflateOptions>>(deflate_keys()), kWhyDeflate)
      .only_if(is_websocket, kOnly);
  table
      .object("delay_write", field(&Options::delay_write),
              std::make_shared<const Table<DelayWriteOptions>>(delay_write_keys()), kWhyDelay)
      .only_if(is_websocket, kOnly);
}

void check_websocket_route(Reader& reader, const json::Value& value, RouteOptions& route) {
  if (!is_websocket(route)) return;
  check_limits(reader, value, route.websocket);
  check_handshake_timeout(reader, value, route);
  const bool is_get =
      std::ranges::all_of(route.methods, [](const std::string& method) { return method == "GET"; });
  if (is_get) return;
  const json::Value* methods = value.find("methods");
  const Reader::Step step(reader, "methods");
  reader.error(methods != nullptr ? *methods : value, "a WebSocket begins with GET");
}

}  // namespace ssx::config
