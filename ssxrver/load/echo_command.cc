#include "ssxrver/load/echo_command.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "ssxrver/load/host_address.h"
#include "ssxrver/load/plan_run.h"
#include "ssxrver/load/tcp_peer.h"
#include "ssxrver/load/udp_peer.h"

namespace ssx::load {
namespace {

/// 65,535 less the headers (RFC 791, RFC 768).
constexpr std::uint64_t kDatagramMax = 65'507;

UnexpectedOf<StartupError> refuse(std::string sentence) {
  return fail_start(ExitCode::kUsage, std::move(sentence));
}

StartupResult<EchoPlan> plan_of(const EchoOptions& options) {
  const auto place = parse_host_port(options.url);
  if (!place) return refuse(place.error());
  EchoPlan plan;
  if (auto filled = fill(plan, options, place->host, place->port); !filled)
    return UnexpectedOf<StartupError>(std::move(filled).error());
  plan.message = sample_payload(options.size);
  return plan;
}

}  // namespace

StartupResult<EchoPlan> make_plan(const TcpOptions& options) {
  if (options.size == 0)
    return refuse("--size 0: a message of no bytes cannot be seen in a stream");
  return plan_of(options);
}

StartupResult<EchoPlan> make_plan(const UdpOptions& options) {
  if (options.size < UdpPeer::kNumberSize || options.size > kDatagramMax) {
    return refuse(
        fmt::format("--size {}: expected {} to {}, a datagram that begins with its number",
                    options.size, UdpPeer::kNumberSize, kDatagramMax));
  }
  return plan_of(options);
}

StartupResult<int> run_tcp(const TcpOptions& options) {
  const auto plan = make_plan(options);
  if (!plan) return UnexpectedOf<StartupError>(plan.error());
  return measure("tcp", options, *plan, peer_loads(*plan, make_tcp_peers(*plan)));
}

StartupResult<int> run_udp(const UdpOptions& options) {
  const auto plan = make_plan(options);
  if (!plan) return UnexpectedOf<StartupError>(plan.error());
  return measure("udp", options, *plan, peer_loads(*plan, make_udp_peers(*plan)));
}

}  // namespace ssx::load
