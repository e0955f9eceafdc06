#include "websocket/counter_fields.h"

#include <array>
#include <string_view>
#include <vector>

#include "ssxrver/metrics/field_rows.h"

namespace ssx::websocket {
namespace {

using Field = metrics::Field<Counters>;

constexpr Field kFields[] = {
    {"ssxrver_websocket_open", "WebSockets open now.", &Counters::open},
    {"ssxrver_websocket_opened_total", "Handshakes that became WebSockets.", &Counters::opened},
    {"ssxrver_websocket_refused_total", "Handshakes that are none, or not allowed.",
     &Counters::refused},
    {"ssxrver_websocket_rejected_total", "Good handshakes that a handler refused.",
     &Counters::rejected},
    {"ssxrver_websocket_messages_total", "Messages.", &Counters::messages_in, {"way", "in"}},
    {"ssxrver_websocket_messages_total", "Messages.", &Counters::messages_out, {"way", "out"}},
    {"ssxrver_websocket_bytes_total", "Bytes of payloads.", &Counters::bytes_in, {"way", "in"}},
    {"ssxrver_websocket_bytes_total", "Bytes of payloads.", &Counters::bytes_out, {"way", "out"}},
    {"ssxrver_websocket_pings_total", "Pings.", &Counters::pings_in, {"way", "in"}},
    {"ssxrver_websocket_pings_total", "Pings.", &Counters::pings_out, {"way", "out"}},
    {"ssxrver_websocket_lost_total", "Messages that still waited for room at the end.",
     &Counters::lost},
    {"ssxrver_websocket_backpressure_total", "How often somebody's unsent bytes went above high.",
     &Counters::backpressure},
    {"ssxrver_websocket_published_total", "Messages published to topics by sockets.",
     &Counters::published},
    {"ssxrver_websocket_delivered_total", "Published messages, per subscriber.",
     &Counters::delivered},
    {"ssxrver_websocket_posted_late_total", "Messages posted to a socket that was closing.",
     &Counters::posted_late},
    {"ssxrver_websocket_limit_hits_total",
     "Limits reached that end no WebSocket.",
     &Counters::unsent_max_hit,
     {"limit", "unsent_max"}},
    {"ssxrver_websocket_limit_hits_total",
     "Limits reached that end no WebSocket.",
     &Counters::subscriptions_max_hit,
     {"limit", "subscriptions_max"}},
};

/// In the order of BackpressurePolicy.
constexpr std::array<std::string_view, kBackpressurePolicyCount> kPolicies{
    "callback", "drop_newest", "drop_oldest", "latest", "close"};

std::uint64_t dropped_of(const Counters& counters, std::size_t index) {
  return counters.dropped[index].value();
}
std::uint64_t failed_of(const Counters& counters, std::size_t index) {
  return counters.failed[index].value();
}

std::vector<Field> make_fields() {
  std::vector<Field> fields(std::begin(kFields), std::end(kFields));
  metrics::append_rows(fields,
                       {"ssxrver_websocket_dropped_total",
                        "Messages that had no room, by the policy that they met.", "policy"},
                       &dropped_of, 0, kPolicies.size(),
                       [](std::size_t i) { return kPolicies[i]; });
  metrics::append_rows(fields,
                       {"ssxrver_websocket_failed_total",
                        "Handshakes refused and WebSockets ended by reason.", "reason"},
                       &failed_of, 1, kErrcCount,  // 0 is no error
                       [](std::size_t i) { return to_string(static_cast<Errc>(i)); });
  return fields;
}

}  // namespace

std::span<const Field> counter_fields() {
  static const std::vector<Field> fields = make_fields();
  return fields;
}

}  // namespace ssx::websocket
