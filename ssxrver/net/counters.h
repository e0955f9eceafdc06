// What one worker counts about its connections.
//
// Thread: one writer (the worker), many readers
// Owner:  Worker
// Life:   that of the worker
// Bounds: -
#pragma once

#include "ssxrver/metrics/counter.h"

namespace ssx::net {

struct alignas(64) Counters {
  metrics::Counter opened;  ///< connections that reached a protocol
  metrics::Counter closed;  ///< connections that have ended, however
  metrics::Counter bytes_in;
  metrics::Counter bytes_out;
  metrics::Counter stale_ids;             ///< work for a connection that had ended
  metrics::Counter deadlines;             ///< connections whose deadline passed
  metrics::Counter output_high_hit;       ///< limit: output_high (reading was paused)
  metrics::Counter input_max_hit;         ///< limit: input_max (closed)
  metrics::Counter idle_closed;           ///< idle connections closed under overload
  metrics::Counter linger_timeout_hit;    ///< limit: linger_timeout (closed)
  metrics::Counter linger_bytes_hit;      ///< limit: linger_bytes (reset)
  metrics::Counter drain_idle_grace_hit;  ///< limit: a drain's idle_grace (closed)
  metrics::Counter drain_timeout_hit;     ///< limit: a drain's timeout (reset, or closed)
  metrics::Counter tcp_timeouts;  ///< limits: tcp.keepalive_*, tcp.user_timeout (the system's)
  metrics::Counter resets;        ///< connections the peer reset
  metrics::Gauge active;
};

/// What an Acceptor counts.
struct alignas(64) AcceptCounters {
  metrics::Counter accepted;
  metrics::Counter blocked;  ///< reset: `blocks_ip`
  metrics::Counter denied;   ///< reset: `access.deny`, or not in `access.allow`
  metrics::Counter limit_connections_per_ip_hit;  ///< reset: `limits.connections_per_ip`
  metrics::Counter limit_accept_rate_per_ip_hit;  ///< reset: `limits.accept_rate_per_ip`
  metrics::Counter proxy_untrusted;               ///< reset: a proxy's listener, and no proxy
  metrics::Counter proxy_malformed;               ///< reset: not a header of the PROXY protocol
  metrics::Counter proxy_timeouts;                ///< reset: that header did not come in time
  metrics::Counter limit_memory_hit;              ///< `limits.memory`: accepting paused
  metrics::Counter aborted;                ///< gone before it was accepted (ECONNABORTED, EPROTO)
  metrics::Counter paused;                 ///< no descriptor or memory left: accepting paused
  metrics::Counter limit_connections_hit;  ///< `limits.connections` or `worker_connections`
  metrics::Counter rejected;               ///< accepted and reset (overload_action "reject")
  metrics::Counter accept_batch_hit;       ///< `loop.max_accept_batch`: the rest in the next turn
  metrics::Counter wakeups;                ///< eventfd writes to hand sockets over
};

/// What a UdpServer counts. Datagrams that it drops are in exactly one of the lines below.
struct alignas(64) UdpCounters {
  metrics::Counter received;
  metrics::Counter bytes_in;
  metrics::Counter sent;
  metrics::Counter bytes_out;
  metrics::Counter limit_packet_max_hit;       ///< longer than `max_packet`
  metrics::Counter limit_source_port_min_hit;  ///< from port 0, or a port below the lowest
  metrics::Counter limit_rate_per_source_hit;  ///< `rate_per_source`
  metrics::Counter empty;                      ///< nothing in it
  metrics::Counter own_address;                ///< our own socket's address is given as its source
  metrics::Counter limit_reply_ratio_hit;      ///< replies not earned (`reply_ratio`), or too long
  metrics::Counter send_no_room;               ///< replies the kernel had no room for
  metrics::Counter send_errors;                ///< replies it refused
  metrics::Counter receive_errors;             ///< ICMP messages about replies, and worse
  metrics::Counter handler_errors;             ///< exceptions out of the handler
};

}  // namespace ssx::net
