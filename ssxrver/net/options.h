// What can be chosen about sockets, loops and workers. The keys of the JSON file are named beside
// each field.
//
// Thread: immutable once validated
// Owner:  whoever starts a server; copied into it
// Life:   longer than the server
// Bounds: every field says its range; tests/config tries both ends
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ssxrver/base/clock.h"
#include "ssxrver/net/rate.h"

namespace ssx::net {

using std::chrono::milliseconds;
using std::chrono::seconds;

enum class AcceptMode : std::uint8_t {
  kThread,     ///< one accept thread hands sockets to the workers over eventfd: exact balance
  kReusePort,  ///< one listener per worker (SO_REUSEPORT): fewest wake-ups per connection
  kExclusive,  ///< one listener in every worker's epoll (EPOLLEXCLUSIVE)
};

enum class Balance : std::uint8_t { kRoundRobin, kLeastConnections };

enum class OverloadAction : std::uint8_t {
  kPause,   ///< stop accepting; clients wait in the backlog
  kReject,  ///< accept and reset
};

/// Whether connections begin with a header of the PROXY protocol, which names the client.
enum class ProxyMode : std::uint8_t {
  kOff,
  kOn,        ///< each does, and comes from a trusted proxy; who is none is reset
  kOptional,  ///< those of trusted proxies may; all others are clients themselves
};

/// TCP options (`tcp` object). They apply to new connections.
struct TcpOptions {
  bool nodelay = true;               ///< `nodelay`: no Nagle delay; responses leave corked anyway
  bool quickack = false;             ///< `quickack`
  bool keepalive = true;             ///< `keepalive`: probes find peers that vanished
  seconds keepalive_idle{60};        ///< `keepalive_idle`: 1 s .. 32767 s
  seconds keepalive_interval{10};    ///< `keepalive_interval`: 1 s .. 32767 s
  int keepalive_count = 6;           ///< `keepalive_count`: 1 .. 127
  int backlog = 4096;                ///< `backlog`: 1 .. 65535; the kernel cuts it to somaxconn
  int fastopen = 0;                  ///< `fastopen`: queue length, 0 = off
  seconds defer_accept{0};           ///< `defer_accept`: 0 = off
  milliseconds user_timeout{30000};  ///< `user_timeout`: unacknowledged data older than this: end
  int send_buffer = 0;               ///< `send_buffer` bytes, 0 = the kernel tunes it
  int recv_buffer = 0;               ///< `recv_buffer` bytes, 0 = the kernel tunes it
  int notsent_lowat = 0;             ///< `notsent_lowat` bytes, 0 = off
  bool operator==(const TcpOptions&) const = default;
};

/// One event loop (`loop` object).
struct LoopOptions {
  std::size_t max_events = 32;   ///< `max_events` taken per turn: 1 .. 65536
  milliseconds stall_warn{100};  ///< `stall_warn`: a turn longer than this is logged; 0 = off
  /// `stall_kill`: a turn that lasts so long ends the process by SIGABRT, for a supervisor to start
  /// it again; longer than stall_warn; 0 = off.
  milliseconds stall_kill{0};
  std::size_t tasks_per_turn = 1024;   ///< posted tasks run in one turn
  std::size_t timers_per_turn = 1024;  ///< timers fired in one turn
  /// What no two values of these may be: the end comes before its warning.
  [[nodiscard]] bool kills_too_early() const noexcept {
    return stall_kill.count() != 0 && stall_kill <= stall_warn;
  }
  bool operator==(const LoopOptions&) const = default;
};

/// One connection.
struct ConnectionOptions {
  std::size_t output_high = 1 << 20;    ///< queued bytes above which reading pauses
  std::size_t output_low = 256 << 10;   ///< queued bytes below which on_drain is called
  std::size_t input_max = 1 << 20;      ///< bytes a protocol may leave unconsumed (else kOverflow)
  milliseconds linger_timeout{2000};    ///< `http.timeouts.linger`: a closing peer may send so long
  std::size_t linger_bytes = 64 << 10;  ///< and how much
  bool operator==(const ConnectionOptions&) const = default;
};

/// The pool of workers (top level and `loop`, `limits` objects).
struct WorkerOptions {
  unsigned count = 4;                       ///< `worker_processes`: 1 .. 1024 I/O threads
  AcceptMode accept = AcceptMode::kThread;  ///< `loop.accept`
  Balance balance = Balance::kRoundRobin;   ///< `loop.balance`
  std::size_t max_accept_batch = 64;  ///< `loop.max_accept_batch`: 1 .. 4096 sockets per wake-up
  std::int64_t connections_per_worker = -1;    ///< `worker_connections`: -1 = no limit of its own
  std::int64_t connections = -1;               ///< `limits.connections`: -1 = from the file limit
  std::int64_t connections_auto_max = 100000;  ///< what that -1 may come to (hardened: 20000)
  unsigned overload_percent = 90;  ///< `limits.overload_percent`: 1 .. 100, closes idle ones
  OverloadAction overload_action = OverloadAction::kPause;  ///< `limits.overload_action`
  std::vector<unsigned> cores;       ///< `cpu_affinity`: main thread, then each worker; empty = off
  std::vector<std::string> blocked;  ///< `blocks_ip`: addresses and CIDR ranges, IPv4 and IPv6
  bool operator==(const WorkerOptions&) const = default;
};

/// Who may connect, and how often (`access` and `limits` objects).
struct AccessOptions {
  std::vector<std::string> allow = {};  ///< `access.allow`: when there are any, only those
  std::vector<std::string> deny = {};   ///< `access.deny`: those never, whatever `allow` says
  /// `access.trusted_proxies`: addresses and networks; "unix" = whoever uses a unix socket.
  std::vector<std::string> trusted_proxies = {};
  /// `limits.connections_per_ip`: of an IPv4 address or an IPv6 /64 network; 0 = no limit.
  std::uint32_t connections_per_ip = 0;
  Rate accept_rate_per_ip = {};  ///< `limits.accept_rate_per_ip`: the same for new connections
  /// How long a proxy may take to send its header: `http.timeouts.first_byte`, where that is on.
  milliseconds proxy_header_timeout{10000};
  bool operator==(const AccessOptions&) const = default;
};

/// When memory runs out (`limits.memory`).
struct MemoryOptions {
  /// `limits.memory` bytes: 0 = the control group's limit, where it has one; -1 = not watched.
  std::int64_t max = 0;
  unsigned save_percent = 80;    ///< connections are not kept, idle ones end after half their time
  unsigned refuse_percent = 90;  ///< 503 for new requests
  unsigned stop_percent = 95;    ///< nobody is accepted
  /// When memory is short, idle connections end after half of this (`http.timeouts.idle`); 0 = not.
  milliseconds idle_timeout{0};
  bool operator==(const MemoryOptions&) const = default;
};

/// Where to listen (an entry of `listeners`, or `address` + `port`).
struct ListenOptions {
  std::string name;                   ///< for logs
  std::string address = "127.0.0.1";  ///< IPv4 or IPv6 literal, "*" for every address
  std::uint16_t port = 4507;          ///< 0 = any free port
  std::string unix_path;      ///< a unix socket instead; a leading '@' means the abstract namespace
  unsigned unix_mode = 0660;  ///< its permissions
  int inherited_fd = -1;      ///< a descriptor that is listening already
  std::string systemd_name;   ///< the one of this name in LISTEN_FDNAMES; the daemon looks it up
  bool reuse_port = false;    ///< SO_REUSEPORT; set by AcceptMode::kReusePort
  bool ipv6_only = true;      ///< IPV6_V6ONLY
  ProxyMode proxy = ProxyMode::kOff;  ///< `proxy_protocol`; without it, `access.proxy_protocol`
  bool operator==(const ListenOptions&) const = default;
};

}  // namespace ssx::net
