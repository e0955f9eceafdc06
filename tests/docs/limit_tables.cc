#include "tests/docs/limit_tables.h"

#include <fmt/format.h>

#include <chrono>

#include "http/middleware/login_cache.h"
#include "ssxrver/config/text_values.h"
#include "ssxrver/net/address_rates.h"

namespace ssx::config {
namespace {

using http::Errc;

const Limit kTime[] = {
    {"accept to first byte", "http.timeouts.first_byte", nullptr, "closed silently", Errc::kOk,
     "`first_byte_timeouts`"},
    {"head, absolute", "http.timeouts.header", nullptr, "{}, close", Errc::kHeadTimedOut,
     "`refused[kHeadTimedOut]`"},
    {"between two reads of a body", "http.timeouts.body", nullptr, "{}, close", Errc::kBodyTimedOut,
     "`refused[kBodyTimedOut]`"},
    {"rate of a body", "http.timeouts.body_min_rate", nullptr, "{}, close", Errc::kBodyTimedOut,
     "`refused[kBodyTimedOut]`"},
    {"before that rate is asked for", "http.timeouts.body_min_rate_grace", nullptr,
     "the rate counts", Errc::kOk, "as above"},
    {"no byte of an answer taken", "http.timeouts.write", nullptr, "reset", Errc::kOk,
     "`write_timeouts`"},
    {"rate of an answer", "http.timeouts.write_min_rate", nullptr, "reset", Errc::kOk,
     "`write_min_rate_hit`"},
    {"before that rate is asked for", "http.timeouts.write_min_rate_grace", nullptr,
     "the rate counts", Errc::kOk, "as above"},
    {"keep-alive without a request", "http.timeouts.idle", nullptr, "closed silently", Errc::kOk,
     "`idle_timeouts`"},
    {"reading on after an error answer", "http.timeouts.linger",
     [](const ServerConfig& c) {
       return fmt::format("{}, {}", show_time(c.http.timeouts.linger),
                          show_size(c.connections.linger_bytes));
     },
     "closed, reset above the bytes", Errc::kOk, "`linger_timeout_hit`, `linger_bytes_hit`"},
    {"a step of a coroutine handler", "http.timeouts.handler", nullptr,
     "{}, the coroutine is destroyed, close", Errc::kHandlerTimedOut,
     "`refused[kHandlerTimedOut]`"},
    {"a connection without a request, in a drain", "daemon.drain_idle_grace", nullptr, "closed",
     Errc::kOk, "`drain_idle_grace_hit`"},
    {"a drain", "daemon.shutdown_timeout", nullptr, "what is under way is reset", Errc::kOk,
     "`drain_timeout_hit`"},
    {"a peer that does not answer the system",
     "tcp.keepalive_idle, tcp.keepalive_interval, tcp.keepalive_count", nullptr, "closed",
     Errc::kOk, "`tcp_timeouts`"},
    {"data that it does not acknowledge", "tcp.user_timeout", nullptr, "closed", Errc::kOk,
     "`tcp_timeouts`"},
    {"a turn of a loop", "loop.stall_warn", nullptr, "logged with the callback's name", Errc::kOk,
     "`EventLoop::stalls`"},
    {"a turn that does not end", "loop.stall_kill", nullptr,
     "a fatal line with the route, SIGABRT for the thread", Errc::kOk,
     "nobody is left to ask: `systemctl show -p NRestarts`"},
};

const Limit kConnections[] = {
    {"of the process", "limits.connections",
     [](const ServerConfig& c) {
       return fmt::format("min({}, 0.8 x files)", c.workers.connections_auto_max);
     },
     "`limits.overload_action`: wait, or reset", Errc::kOk, "`limit_connections_hit`, `rejected`"},
    {"of one I/O thread", "worker_connections", nullptr, "as above", Errc::kOk,
     "`limit_connections_hit`", true},
    {"above a share of them", "limits.overload_percent", nullptr,
     "idle ones are closed, oldest first; answers say close", Errc::kOk,
     "`idle_closed`, `overload_not_kept`"},
    {"addresses not wanted", "blocks_ip", nullptr, "reset", Errc::kOk, "`blocked`", true},
    {"addresses let in", "access.allow, access.deny", nullptr,
     "reset; 403 where a proxy names the client", Errc::kOk, "`denied`, `refused[kClientDenied]`",
     true},
    {"connections of one address", "limits.connections_per_ip", nullptr, "reset", Errc::kOk,
     "`limit_connections_per_ip_hit`", true},
    {"new connections of one address", "limits.accept_rate_per_ip", nullptr, "reset", Errc::kOk,
     "`limit_accept_rate_per_ip_hit`", true},
    {"requests of one address", "limits.requests",
     [](const ServerConfig& c) {
       return c.http.request_rates.empty() ? "none" : show_rate(c.http.request_rates.front().rate);
     },
     "{}, Retry-After", Errc::kTooManyRequests, "`refused[kTooManyRequests]`"},
    {"requests of one client to some routes", "RateLimitOptions::rate",
     [](const ServerConfig&) { return std::string("none"); }, "{}, Retry-After",
     Errc::kTooManyRequests, "`refused[kTooManyRequests]`", true},
    {"logins by slow hashes that are remembered, per I/O thread", "",
     [](const ServerConfig&) {
       return fmt::format(
           "{} for {} s", http::LoginCache::kEntries,
           std::chrono::duration_cast<std::chrono::seconds>(http::LoginCache::kTime).count());
     },
     "a hash is computed again", Errc::kOk, "`TaskCounters::done`"},
    {"addresses with a rate", "",
     [](const ServerConfig&) {
       return fmt::format("{} per rate", net::AddressRates::kAddressesMax);
     },
     "the one that has recovered most is forgotten", Errc::kOk, "`AddressRates::forgotten`"},
    {"not a proxy, where only proxies come", "access.proxy_protocol, access.trusted_proxies",
     nullptr, "reset", Errc::kOk, "`proxy_untrusted`", true},
    {"a PROXY header", "", [](const ServerConfig&) { return std::string("107, version 2: 4k"); },
     "reset", Errc::kOk, "`proxy_malformed`"},
    {"accept to the end of a PROXY header", "http.timeouts.first_byte", nullptr, "reset", Errc::kOk,
     "`proxy_timeouts`"},
    {"memory", "limits.memory",
     [](const ServerConfig& c) {
       return fmt::format("{}, {}, {} % of the control group's", c.memory.save_percent,
                          c.memory.refuse_percent, c.memory.stop_percent);
     },
     "not kept, idle times halved; 503; accepting rests", Errc::kOk,
     "`limit_memory_hit`, `overload_not_kept`, `refused[kOverloaded]`"},
    {"descriptors, memory", "daemon.rlimit_nofile",
     [](const ServerConfig&) { return std::string("the system's"); }, "accepting rests 100 ms",
     Errc::kOk, "`paused`", true},
    {"accepted per wake-up", "loop.max_accept_batch", nullptr, "the rest in the next turn",
     Errc::kOk, "`accept_batch_hit`"},
    {"requests of a connection", "http.keepalive_requests", nullptr, "its last answer says close",
     Errc::kOk, "`keepalive_requests_hit`"},
    {"age of a connection", "http.max_connection_age", nullptr, "its next answer says close",
     Errc::kOk, "`connection_age_hit`"},
    {"requests answered in one go", "http.pipeline_limit", nullptr, "others have their turn first",
     Errc::kOk, "`pipeline_limit_hit`"},
    {"output that waits", "",
     [](const ServerConfig& c) { return show_size(c.connections.output_high); },
     "reading rests until 256 (64) KiB", Errc::kOk, "`output_high_hit`"},
    {"input a protocol leaves", "",
     [](const ServerConfig& c) { return show_size(c.connections.input_max); }, "closed", Errc::kOk,
     "`input_max_hit`"},
};

const Limit kDatagrams[] = {
    {"one datagram", "udp.max_packet", nullptr, "dropped", Errc::kOk, "`limit_packet_max_hit`"},
    {"of one source", "udp.rate_per_source", nullptr, "dropped", Errc::kOk,
     "`limit_rate_per_source_hit`"},
    {"bytes sent per byte received", "udp.reply_ratio", nullptr, "not sent", Errc::kOk,
     "`limit_reply_ratio_hit`"},
    {"source ports", "",
     [](const ServerConfig& c) { return fmt::format("from {}", c.udp.source_port_min); }, "dropped",
     Errc::kOk, "`limit_source_port_min_hit`"},
};

const Limit kWork[] = {
    {"waiting tasks", "tasks.queue_limit", nullptr,
     "`tasks.overflow`: refuse (a route's client gets {}, Retry-After), wait, or run on the loop",
     Errc::kOverloaded, "`queue_limit_hit`"},
    {"log lines faster than the disk", "log.ring_size, log.buffers", nullptr,
     "`log.overflow`; the loss is counted and logged", Errc::kOk,
     "`LogStats::lost_overflow`, `LogStats::lost_file`"},
    {"a log line", "log.line_max", nullptr, "cut and marked", Errc::kOk, "`LogStats::cut`"},
    {"a line of the access log", "log.line_max", nullptr,
     "its longest values are cut and end in \"...\"", Errc::kOk, "`access_cut`"},
    {"lines of the access log faster than the disk", "log.ring_size, log.buffers", nullptr,
     "lost, counted and logged; a loop never waits, whatever `log.overflow` says", Errc::kOk,
     "`LogStats::lost_overflow`, `LogStats::lost_file`"},
    {"log files", "log.max_files, log.max_age_days, log.total_size", nullptr,
     "the oldest are deleted", Errc::kOk, "`LogStats::files_removed`", true},
    {"names in the list of a folder", "http.static.autoindex_max", nullptr,
     "the list says that there are more", Errc::kOk, "`autoindex_max_hit`"},
    {"files in the cache",
     "http.static.open_file_cache.max, http.static.open_file_cache.memory_max", nullptr,
     "the oldest leave", Errc::kOk, "`evicted`"},
};

constexpr const char* kAfterRequest = R"(
The last kind of rows, whose counter is a bare `k...` of `http/error.h`, is checked by helpers
that a handler calls: they return that error, and a handler that passes it on is counted under it.

The path of a target is measured as it was sent, in bytes and in "/"s: it is refused before anything
is decoded, which only makes it shorter. By default it may be as long as a target: RFC 9110 4.1 and
RFC 9112 3 recommend that URIs and request lines of 8000 bytes be served, whichever part of them is
long; `hardened` gives that up. Of several bounds the least counts. Where the option is "none", the
profile decides, and a program of one's own sets the member of `HttpOptions`, `ParserLimits`,
`ConnectionOptions` or `UdpOptions`.
)";
constexpr const char* kAfterConnections = R"(
With `tcp.defer_accept` a client that says nothing waits about so long in the kernel (1, 3, 7, 15
... seconds), where `tcp.backlog` alone bounds it: no other limit, counter or time-out of this page
knows of it until then.

`limits.connections` above what the file limit allows, less 64 files for other uses, keeps the
daemon from starting. `deny` and `blocks_ip` win over everything; when `allow` has entries, nobody
else is let in. Peers in `access.trusted_proxies` speak for others: `allow` and the limits per
address are not for them but for the clients that they name. An address is an IPv4 address or an
IPv6 /64 network, and an IPv4-mapped one is the IPv4 address that it means; unix sockets have
none, so neither lists nor limits concern them. Connections are counted exactly over all I/O
threads and ways to accept, in a table that has no entry for an address without a connection, so
`limits.connections` bounds it. A rate is kept for 65536 addresses: when a new one finds no room
among its neighbours, it takes the place of the one whose burst has come back furthest. A look-up
costs a request 15 to 50 ns (`tests/bench/micro/rates_bench.cc`), and nothing where no rate is
set. A route's auth takes a file of at most 1 MiB with 1024 users or tokens; more keeps the daemon
from starting. Memory is what the process has in RAM without the files it maps, looked at four
times a second; a level ends 2 % below where it began.
)";
constexpr const char* kBeforeWebSockets = R"(
A number is the code of the close frame that ends it, or before the upgrade the status of the
answer. Counters are members of `websocket::Counters` (`websocket/counters.h`), `failed[...]` by
reason (`websocket/error.h`); `refused` has all handshakes that failed for one, `rejected` those
that failed by an on_upgrade.
)";
constexpr const char* kBeforeChat = R"(
Of a `websocket:chat` route, beside those of its WebSockets. A number is a close code, 400 a status.
Counters are members of `ChatRooms::Counters` (`ssxrver/app/chat_rooms.h`).
)";
constexpr const char* kBeforePlugins = R"(
Of each plugin, beside those of what it serves; what a library and its description may be stands in
[plugins.md](plugins.md#bounds). `cancelled` and `counters_max_hit` are members of
`plugins::Counters` (`ssxrver/plugin/host/counters.h`).
)";
constexpr const char* kBeforeWebSocketClient = R"(
Members of `ClientOptions` (`websocket/client/options.h`); no key of the configuration sets them.
"Error" is what the caller gets. `ClientOptions::limits` are those of a WebSocket, above, which a
server meets as a client does; here are those that a `ClientSocket` adds. The head of an answer has
the other bounds of `ClientOptions::parser`, each with the error it has for a request; an answer of
a SOCKS5 proxy has no form longer than 262 bytes. Counters are members of `ClientCounters`
(`websocket/client/counters.h`), `failed[...]` alone of `websocket::Counters`.
)";
constexpr const char* kBeforeClient = R"(
Members of `ClientOptions` (`http/client/options.h`) and `ClientCounters`
(`http/client/counters.h`); no key of the configuration sets them. "Error" is what the caller
gets. A response's head and chunks have the bounds of `ClientOptions::parser`, each with the error
it has for a request. Of a name at most eight addresses are tried (`Resolver::kAddressesMax`).
)";

}  // namespace

std::span<const LimitSection> limit_sections() {
  static const LimitSection sections[] = {
      {"One request", "", request_limits(), kAfterRequest},
      {"Time", "", kTime, ""},
      {"Connections", "", kConnections, kAfterConnections},
      {"WebSockets", kBeforeWebSockets, websocket_limits(), ""},
      {"Chat", kBeforeChat, chat_limits(), ""},
      {"Plugins", kBeforePlugins, plugin_limits(), ""},
      {"Datagrams", "", kDatagrams, ""},
      {"Work and logs", "", kWork, ""},
      {"The client", kBeforeClient, client_limits(), ""},
      {"The WebSocket client", kBeforeWebSocketClient, websocket_client_limits(), ""},
  };
  return sections;
}

}  // namespace ssx::config
