// What can be chosen about WebSockets. The names that the `websocket` object of a configuration has
// for them stand beside each field.
//
// Thread: immutable once validated
// Owner:  whoever adds a route; copied into it
// Life:   longer than the route
// Bounds: every limit has a default, an error and a counter
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ssxrver/net/rate.h"

namespace ssx::websocket {

using std::chrono::milliseconds;

/// What happens to one who reads more slowly than he is sent to, when a message does not fit below
/// `max` any more.
enum class BackpressurePolicy : std::uint8_t {
  kCallback,    ///< it is not sent, and on_backpressure is told once more
  kDropNewest,  ///< it is not sent
  kDropOldest,  ///< those that have waited longest are not, and this one is
  kLatest,      ///< where messages wait, above `high`, one of each topic does: the latest
  kClose,       ///< 1013
};
inline constexpr std::size_t kBackpressurePolicyCount = 5;

/// `backpressure`
struct BackpressureOptions {
  std::size_t high = 1 << 20;   ///< `high`: unsent bytes above which on_backpressure is told
  std::size_t low = 256 << 10;  ///< `low`: then on_drain
  /// `max`: with the message being added. What waits behind a message in fragments does not count
  /// for the rest of that one.
  std::size_t max = 4 << 20;
  BackpressurePolicy policy = BackpressurePolicy::kClose;  ///< `policy`
  bool operator==(const BackpressureOptions&) const = default;
};

enum class DeflateMode : std::uint8_t {
  kOff,
  kReceive,  ///< what comes may be compressed; what is sent is not
  kBoth,
};

/// `deflate`: permessage-deflate (RFC 7692)
struct DeflateOptions {
  DeflateMode mode = DeflateMode::kOff;  ///< `mode`
  bool server_context_takeover = false;  ///< `server_context_takeover`
  bool client_context_takeover = false;  ///< `client_context_takeover`
  int server_max_window_bits = 15;       ///< `server_max_window_bits`: 9 .. 15
  int client_max_window_bits = 15;       ///< `client_max_window_bits`: 9 .. 15
  int level = 6;                         ///< `level`: 1 .. 9
  int mem_level = 8;                     ///< `mem_level`: 1 .. 9
  std::size_t min_size = 256;            ///< `min_size`: shorter messages stay as they are
  std::uint64_t ratio_max = 100;         ///< `max_ratio`: bytes per byte, else 1009
  std::uint64_t ratio_free = 64 << 10;   ///< bytes before the ratio counts: short texts repeat much
  bool operator==(const DeflateOptions&) const = default;
};

/// `delay_write`: messages are collected, and leave with fewer system calls.
struct DelayWriteOptions {
  bool enabled = false;             ///< `enabled`
  std::uint32_t messages_max = 10;  ///< `max_messages`: then they leave
  milliseconds delay{10};           ///< `max_delay` of the first of them
  std::size_t buffer = 8 << 10;     ///< `init_buffer`: room for them, to begin with
  bool operator==(const DelayWriteOptions&) const = default;
};

struct Options {
  std::size_t message_max = 1 << 20;       ///< `max_message_size`, inflated; else 1009
  std::size_t frame_max = 1 << 20;         ///< `max_frame_size`, told by its header; else 1009
  std::uint32_t fragments_max = 1024;      ///< `max_fragments` of a message; else 1008
  std::uint32_t empty_fragments_max = 16;  ///< `max_empty_fragments` in a row; else 1008
  milliseconds assembly_timeout{30000};    ///< `assembly_timeout` of a message; else 1008
  net::Rate control_rate{50, std::chrono::seconds(1), 200};  ///< `control_rate`; else 1008
  milliseconds send_stall_timeout{30000};  ///< `send_stall_timeout`: no byte taken; reset
  std::size_t send_fragment_size = 0;      ///< `send_fragment_size`: 0 = a message is one frame
  bool utf8_check = true;                  ///< `utf8_check`: texts that are none; else 1007
  bool reply_ping = true;                  ///< `reply_ping`
  bool ignore_pong = true;                 ///< `ignore_pong`: on_pong hears of answers alone
  milliseconds ping_interval{30000};       ///< `ping_interval`: 0 = none
  milliseconds pong_timeout{10000};        ///< `pong_timeout` after a ping; then the end
  milliseconds idle_timeout{0};            ///< `idle_timeout` without a part of a message; 0 = none
  milliseconds read_timeout{0};            ///< `read_timeout` without a byte; 0 = none
  milliseconds max_lifetime{0};            ///< `max_lifetime`: then 1001; 0 = none
  milliseconds close_timeout{5000};        ///< `close_timeout`: for the peer's close frame
  milliseconds handshake_timeout{5000};    ///< `handshake_timeout`: of what makes it wait; 503
  std::size_t read_buffer = 4096;          ///< `read_buffer`: room for a message in parts, at first
  std::size_t subscriptions_max = 1024;    ///< `max_subscriptions` of one socket
  std::vector<std::string> subprotocols = {};  ///< `subprotocols`, the best one first
  /// `allowed_origins`: "same" (as Host, or none), "page" (as Host), "any", or origins:
  /// "https://a.example"
  std::vector<std::string> allowed_origins = {"same"};
  BackpressureOptions backpressure = {};
  DeflateOptions deflate = {};
  DelayWriteOptions delay_write = {};
  bool operator==(const Options&) const = default;
};

/// Of all WebSockets of a server.
struct ServiceOptions {
  std::size_t deflate_memory = 256 << 20;  ///< `deflate.memory_budget`: then uncompressed
  /// `backpressure.global_max`: unsent bytes of all, of which each worker has an equal share; above
  /// it nobody may have more than `low`.
  std::size_t unsent_max = 1 << 30;
  bool operator==(const ServiceOptions&) const = default;
};

}  // namespace ssx::websocket
