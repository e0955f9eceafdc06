#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "ssxrver/config/kinds.h"
#include "ssxrver/config/special_kinds.h"
#include "ssxrver/config/tables.h"
#include "ssxrver/config/text_values.h"

namespace ssx::config {
namespace {

using namespace std::chrono_literals;
using net::ListenOptions;
using net::LoopOptions;
using net::TaskOptions;
using net::TcpOptions;
using net::UdpOptions;
using net::WorkerOptions;

constexpr std::int64_t kConnectionsMax = 10'000'000;
constexpr std::int64_t kSocketBufferMax = 1 << 30;
constexpr std::size_t kListenersMax = 64;
constexpr std::size_t kListMax = 65536;
constexpr std::size_t kRequestRatesMax = 64;
constexpr std::size_t kSystemdNameMax = 255;
// The longest that is made of the other keys: what -T prints can be read again.
constexpr std::size_t kListenerNameMax = std::string_view("systemd:").size() + kSystemdNameMax;
constexpr std::size_t kUnixPathMax = 107;

Table<TcpOptions> tcp_keys() {
  const auto reload = Reload::kNewConnections;
  const Range buffer{.min = 0, .max = kSocketBufferMax};
  const Time probe{.min = 1s, .max = 32767s, .has_off = false, .grain = 1s};
  Table<TcpOptions> table;
  table.key("nodelay", &TcpOptions::nodelay, Switch{}, reload,
            "no Nagle delay; answers leave in one piece anyway");
  table.key("quickack", &TcpOptions::quickack, Switch{}, reload, "acknowledge at once");
  table.key("keepalive", &TcpOptions::keepalive, Switch{}, reload,
            "probes find peers that vanished");
  table
      .key("keepalive_idle", &TcpOptions::keepalive_idle, probe, reload,
           "silence before the first probe")
      .hardened(30s);
  table
      .key("keepalive_interval", &TcpOptions::keepalive_interval, probe, reload,
           "between two probes")
      .hardened(5s);
  table
      .key("keepalive_count", &TcpOptions::keepalive_count, Whole{{1, 127}}, reload,
           "unanswered probes that end a connection")
      .hardened(4);
  table.key("backlog", &TcpOptions::backlog, Whole{{1, 65535}}, reload,
            "connections waiting for accept; the kernel cuts it to somaxconn");
  table.key("fastopen", &TcpOptions::fastopen, Whole{{0, 65535}}, reload,
            "TCP Fast Open queue; 0 = off");
  table.key("defer_accept", &TcpOptions::defer_accept, Time{.min = 1s, .max = 32767s, .grain = 1s},
            reload,
            "who connects is taken when its first bytes are there, or after about so long: a "
            "connection for each request costs a quarter less; 0 = off");
  table
      .key("user_timeout", &TcpOptions::user_timeout, Time{}, reload,
           "data unacknowledged for so long ends the connection; 0 = the kernel's own")
      .hardened(15s);
  table.key("send_buffer", &TcpOptions::send_buffer, Size{buffer}, reload,
            "0 = the kernel tunes it");
  table.key("recv_buffer", &TcpOptions::recv_buffer, Size{buffer}, reload,
            "0 = the kernel tunes it");
  table.key("notsent_lowat", &TcpOptions::notsent_lowat, Size{buffer}, reload,
            "unsent bytes below which the socket is writable; 0 = off");
  return table;
}

Choice<net::ProxyMode> proxy_modes() {
  return {{{"off", net::ProxyMode::kOff},
           {"on", net::ProxyMode::kOn},
           {"optional", net::ProxyMode::kOptional}}};
}

/// The listener's keys; it has one place: `unix`, `fd`, `systemd`, or else `address` and `port`.
Table<ListenOptions> listener_keys() {
  const auto restart = Reload::kRestart;
  const auto has_unix = [](const ListenOptions& at) { return !at.unix_path.empty(); };
  const auto no_unix = [](const ListenOptions& at) { return at.unix_path.empty(); };
  const auto no_fd = [](const ListenOptions& at) { return at.inherited_fd < 0; };
  const auto no_name = [](const ListenOptions& at) { return at.systemd_name.empty(); };
  const auto is_inet = [](const ListenOptions& at) {
    return at.unix_path.empty() && at.inherited_fd < 0 && at.systemd_name.empty();
  };
  const auto is_free = [](const ListenOptions& at) {
    return at.unix_path.empty() && at.inherited_fd < 0;
  };
  const char* inet = "a listener without \"unix\", \"fd\" and \"systemd\"";
  Table<ListenOptions> table;
  table.key("name", &ListenOptions::name, Text{.length_max = kListenerNameMax, .what = "a name"},
            restart, "for logs and messages; without one, the address");
  table
      .key("unix", &ListenOptions::unix_path,
           Text{.length_max = kUnixPathMax, .may_be_empty = false, .what = "a path"}, restart,
           "a unix socket; a leading \"@\" means the abstract namespace")
      .unset_if(no_unix);
  table.key("mode", &ListenOptions::unix_mode, Octal{}, restart, "permissions of the unix socket")
      .only_if(has_unix, "a listener with \"unix\"");
  table
      .key("fd", &ListenOptions::inherited_fd, Whole{{3, 1 << 20}}, restart,
           "a descriptor that is listening already")
      .only_if(no_unix, "a listener without \"unix\"")
      .unset_if(no_fd);
  table
      .key("systemd", &ListenOptions::systemd_name,
           Text{.length_max = kSystemdNameMax, .may_be_empty = false, .what = "a name"}, restart,
           "the descriptor of this name that systemd hands over (LISTEN_FDNAMES)")
      .only_if(is_free, "a listener without \"unix\" and \"fd\"")
      .unset_if(no_name);
  table
      .key("address", &ListenOptions::address,
           Text{.may_be_empty = false, .what = "an address", .objection = object_to_address},
           restart, "IPv4 or IPv6; \"*\" listens on all; without it, the top-level `address`")
      .only_if(is_inet, inet);
  table
      .key("port", &ListenOptions::port, Whole{{0, 65535}}, restart,
           "0 = any free port, which the log names; without it, the top-level `port`")
      .only_if(is_inet, inet);
  table.key("proxy_protocol", &ListenOptions::proxy, proxy_modes(), restart,
            "its connections begin with a header of the PROXY protocol; without it, "
            "`access.proxy_protocol`");
  table.key("reuse_port", &ListenOptions::reuse_port, Switch{}, restart,
            "lets other processes listen on the same port (SO_REUSEPORT)");
  table.later(R"({"protocols": ["http"], "tls": "off",
                  "transport": "epoll", "tcp": {}, "limits": {}, "owner": ""})");
  return table;
}

Table<http::RequestRateOptions> request_rate_keys() {
  using http::RequestRateOptions;
  Table<RequestRateOptions> table;
  table.key("match", &RequestRateOptions::match,
            Text{.what = "a path", .objection = object_to_path_prefix}, Reload::kLive,
            "a path, or with a final \"/*\" all that begin like it");
  table.key("rate", &RequestRateOptions::rate, RateText{}, Reload::kLive,
            "of one IPv4 address or IPv6 /64 network; empty = no limit");
  return table;
}

ServerTable loop_keys() {
  const auto restart = Reload::kRestart;
  ServerTable table;
  table.later(R"({"transport": "epoll"})");
  table.key("accept", in(&ServerConfig::workers, &WorkerOptions::accept),
            Choice<net::AcceptMode>{{{"thread", net::AcceptMode::kThread},
                                     {"reuseport", net::AcceptMode::kReusePort},
                                     {"exclusive", net::AcceptMode::kExclusive}}},
            restart,
            "who accepts: one thread that hands sockets on, a listener per I/O thread, or one "
            "listener in every loop");
  table.key("balance", in(&ServerConfig::workers, &WorkerOptions::balance),
            Choice<net::Balance>{{{"round_robin", net::Balance::kRoundRobin},
                                  {"least_connections", net::Balance::kLeastConnections}},
                                 {"cpu"}},
            restart, "which I/O thread the accept thread chooses");
  table.key("max_events", in(&ServerConfig::loop, &LoopOptions::max_events), Whole{{1, 65536}},
            restart, "events taken from the kernel in one turn");
  table
      .key("max_accept_batch", in(&ServerConfig::workers, &WorkerOptions::max_accept_batch),
           Whole{{1, 4096}}, restart, "sockets accepted per wake-up")
      .hardened(16);
  table.later(R"({"busy_poll": "0"})");
  table
      .key("stall_warn", in(&ServerConfig::loop, &LoopOptions::stall_warn), Time{.max = 1h},
           restart, "a turn longer than this is logged with the callback's name; 0 = off")
      .hardened(50ms);
  table
      .key("stall_kill", in(&ServerConfig::loop, &LoopOptions::stall_kill),
           Time{.min = 100ms, .max = 1h}, restart,
           "a turn that lasts so long ends the process by SIGABRT, for a supervisor to start it "
           "again; longer than `stall_warn`; 0 = off")
      .hardened(10s);
  table.later(R"({"rebalance_idle": "off"})");
  return table;
}

ServerTable tasks_keys() {
  using net::TaskOverflow;
  ServerTable table;
  table.key("queue_limit", in(&ServerConfig::tasks, &TaskOptions::queue_limit),
            Whole{{1, 16'777'216}}, Reload::kLive, "pieces of work that wait for a task thread");
  table.key("overflow", in(&ServerConfig::tasks, &TaskOptions::overflow),
            Choice<TaskOverflow>{{{"reject", TaskOverflow::kReject},
                                  {"block", TaskOverflow::kBlock},
                                  {"run_on_loop", TaskOverflow::kRunOnLoop}}},
            Reload::kRestart,
            "when that many wait: refuse, let the caller wait, or run the work on the caller");
  return table;
}

Table<UdpOptions> udp_keys() {
  const auto restart = Reload::kRestart;
  Table<UdpOptions> table;
  table.key("enabled", &UdpOptions::enabled, Switch{}, restart, "starts the UDP server");
  table.key("address", &UdpOptions::address,
            Text{.what = "an address", .objection = object_to_address_or_none}, restart,
            "IPv4 or IPv6, \"*\" = all; empty = the top-level `address`");
  table.key("port", &UdpOptions::port, Whole{{0, 65535}}, restart,
            "0 = any free port, which the log names");
  table
      .key("max_packet", &UdpOptions::packet_max, Size{{64, 65535}}, restart,
           "longer datagrams are dropped and counted")
      .hardened(1232);
  table.key("batch", &UdpOptions::batch, Whole{{1, 1024}}, restart, "datagrams per system call");
  table
      .key("reply_ratio", &UdpOptions::reply_ratio, Whole{{0, 100}}, restart,
           "bytes sent to a source per byte received, against amplification; 0 = no limit")
      .hardened(1);
  table
      .key("rate_per_source", &UdpOptions::rate_per_source, RateText{}, restart,
           "datagrams above it are dropped and counted; empty = no limit")
      .hardened(net::Rate{100, 1s, 100});
  table.later(R"({"gso": "off", "gro": "off"})");
  table.key("handler", &UdpOptions::handler, HandlerName{{{"echo"}, {}}, {}, {"plugin:"}}, restart,
            "what answers");
  return table;
}

}  // namespace

void add_thread_keys(ServerTable& table) {
  table.key("port", &ServerConfig::port, Whole{{.min = 1, .max = 65535, .low_means_default = true}},
            Reload::kRestart, "TCP port of the listener that is made when `listeners` is empty");
  table.key("address", &ServerConfig::address,
            Text{.may_be_empty = false, .what = "an address", .objection = object_to_address},
            Reload::kRestart, "its IPv4 or IPv6 address; \"*\" listens on all");
  table.key("worker_processes", in(&ServerConfig::workers, &WorkerOptions::count),
            Threads{{.min = 1, .max = 1024, .low_means_default = true}}, Reload::kRestart,
            "I/O threads, each with a loop of its own; \"auto\" = one per core");
  table.key("worker_connections",
            in(&ServerConfig::workers, &WorkerOptions::connections_per_worker),
            Whole{{.min = 1, .max = kConnectionsMax, .special = -1}}, Reload::kLive,
            "connections that one I/O thread takes; -1 = only `limits.connections` counts");
  table.key("task_processes", in(&ServerConfig::tasks, &TaskOptions::threads),
            Whole{{.min = 0, .max = 1024, .low_means_default = true}}, Reload::kRestart,
            "threads for work that blocks; 0 = none");
  table.key("cpu_affinity", in(&ServerConfig::workers, &WorkerOptions::cores), Cores{},
            Reload::kRestart,
            "pins the main thread and then each I/O thread to these cores, in this order");
  table.key("blocks_ip", in(&ServerConfig::workers, &WorkerOptions::blocked),
            Words{{.what = "an address or range", .objection = object_to_blocked}, kListMax},
            Reload::kLive, "peers that are closed right after accept");
}

ServerTable access_keys() {
  using http::RealIpHeader;
  using net::AccessOptions;
  const Words networks{{.what = "an address or range", .objection = object_to_blocked}, kListMax};
  ServerTable table;
  table.key("allow", in(&ServerConfig::access, &AccessOptions::allow), networks, Reload::kLive,
            "when there are any: nobody else; unix sockets are not concerned");
  table.key("deny", in(&ServerConfig::access, &AccessOptions::deny), networks, Reload::kLive,
            "reset right after accept, whatever `allow` says");
  table.key(
      "trusted_proxies", in(&ServerConfig::access, &AccessOptions::trusted_proxies),
      Words{{.what = "an address or range, or \"unix\"", .objection = object_to_proxy}, kListMax},
      Reload::kLive,
      "whose word is taken for who a client is; \"unix\" = whoever uses a unix socket");
  table.key("real_ip_header", in(&ServerConfig::http, &http::HttpOptions::real_ip_header),
            Choice<RealIpHeader>{{{"X-Forwarded-For", RealIpHeader::kXForwardedFor},
                                  {"Forwarded", RealIpHeader::kForwarded},
                                  {"X-Real-IP", RealIpHeader::kXRealIp},
                                  {"off", RealIpHeader::kNone}}},
            Reload::kLive, "the field in which a trusted proxy names the client");
  table.key("proxy_protocol", &ServerConfig::proxy, proxy_modes(), Reload::kRestart,
            "of every listener: connections begin with a header of the PROXY protocol, version 1 "
            "or 2; only trusted proxies may connect, or with \"optional\" others as clients");
  return table;
}

void check_proxies(Reader& reader, const json::Value& root, const ServerConfig& config) {
  const auto is_on = [](const ListenOptions& at) { return at.proxy == net::ProxyMode::kOn; };
  const bool needs_proxies =
      config.proxy == net::ProxyMode::kOn || std::ranges::any_of(config.listeners, is_on);
  if (needs_proxies && config.access.trusted_proxies.empty()) {
    reader.error(root,
                 "\"proxy_protocol\": \"on\" needs access.trusted_proxies: "
                 "nobody else could connect");
  }
}

void check_loop(Reader& reader, const json::Value& root, const ServerConfig& config) {
  const LoopOptions& loop = config.loop;
  if (!loop.kills_too_early()) return;
  const json::Value* const group = root.find("loop");
  const json::Value* const kill = group != nullptr ? group->find("stall_kill") : nullptr;
  const json::Value* const warn = group != nullptr ? group->find("stall_warn") : nullptr;
  const Reader::Step outer(reader, "loop");
  const Reader::Step key(reader, "stall_kill");
  reader.error(kill != nullptr   ? *kill
               : warn != nullptr ? *warn
                                 : root,
               fmt::format("must be longer than \"stall_warn\", which is {}; this is {}",
                           show_time(loop.stall_warn), show_time(loop.stall_kill)));
}

ServerTable limits_keys() {
  ServerTable table;
  table.key("connections", in(&ServerConfig::workers, &WorkerOptions::connections),
            Whole{{.min = 1, .max = kConnectionsMax, .special = -1}}, Reload::kLive,
            "of the whole process; -1 = min(100000, 0.8 x (the file limit - 64)), hardened "
            "min(20000, ...)");
  table
      .key("connections_per_ip", in(&ServerConfig::access, &net::AccessOptions::connections_per_ip),
           Whole{{0, kConnectionsMax}}, Reload::kLive,
           "of one IPv4 address or IPv6 /64 network; then reset; 0 = no limit")
      .hardened(64);
  table
      .key("accept_rate_per_ip", in(&ServerConfig::access, &net::AccessOptions::accept_rate_per_ip),
           RateText{}, Reload::kLive,
           "new connections of one address; then reset; empty = no limit")
      .hardened(net::Rate{50, 1s, 100});
  table.list<decltype(in(&ServerConfig::http, &http::HttpOptions::request_rates)),
             http::RequestRateOptions>(
      "requests", in(&ServerConfig::http, &http::HttpOptions::request_rates),
      std::make_shared<const Table<http::RequestRateOptions>>(request_rate_keys()),
      [](const ServerConfig&) { return http::RequestRateOptions(); }, kRequestRatesMax,
      Reload::kLive,
      "requests of one address; 429 above; the first entry that matches counts (hardened: one of "
      "200/s burst 400 for all)");
  table.key("memory", in(&ServerConfig::memory, &net::MemoryOptions::max),
            Size{{.min = 0, .max = std::int64_t{1} << 50, .special = -1}}, Reload::kRestart,
            "at 80 % of it connections are not kept, at 90 % requests get 503, at 95 % nobody is "
            "accepted (hardened: 70, 80, 90 %); 0 = the control group's limit, where there is one; "
            "-1 = not watched");
  table.key("overload_percent", in(&ServerConfig::workers, &WorkerOptions::overload_percent),
            Whole{{1, 100}}, Reload::kLive,
            "of `connections`, from where idle connections are closed, and none is kept");
  table.key("overload_action", in(&ServerConfig::workers, &WorkerOptions::overload_action),
            Choice<net::OverloadAction>{
                {{"pause", net::OverloadAction::kPause}, {"reject", net::OverloadAction::kReject}}},
            Reload::kLive, "at the limit: clients wait in the backlog, or are reset");
  return table;
}

void add_socket_keys(ServerTable& table) {
  table.object("udp", &ServerConfig::udp, std::make_shared<const Table<UdpOptions>>(udp_keys()),
               "datagrams");
  table.list<decltype(&ServerConfig::listeners), ListenOptions>(
      "listeners", &ServerConfig::listeners,
      std::make_shared<const Table<ListenOptions>>(listener_keys()), default_listener,
      kListenersMax, Reload::kRestart, "where to listen; empty = on `address` and `port`");
  table.object("tcp", &ServerConfig::tcp, std::make_shared<const Table<TcpOptions>>(tcp_keys()),
               "socket options");
  table.group("loop", loop_keys(), "the event loops and who feeds them");
  table.group("tasks", tasks_keys(), "the queue before the task threads");
  table.later(R"({"transport": {"io_uring": {"entries": 4096, "sqpoll": "off"},
                  "userspace": {"device": "tap0", "ip": "10.0.0.2/24", "gateway": "10.0.0.1",
                                "mtu": 1500}}})");
}

}  // namespace ssx::config
