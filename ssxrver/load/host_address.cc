#include "ssxrver/load/host_address.h"

#include <fmt/format.h>

#include "ssxrver/base/strings.h"
#include "ssxrver/sys/name.h"
#include "ssxrver/sys/process.h"

namespace ssx::load {
namespace {

constexpr std::uint64_t kFilesBeside = 64;

}  // namespace

Expected<HostPort, std::string> parse_host_port(std::string_view text) {
  const auto colon = text.rfind(':');
  std::string_view host = text.substr(0, colon);
  const auto port =
      colon == std::string_view::npos ? std::nullopt : parse_uint(text.substr(colon + 1));
  if (!port || *port == 0 || *port > 65535 || host.empty())
    return UnexpectedOf<std::string>(fmt::format("\"{}\": expected HOST:PORT", text));
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return HostPort{std::string(host), static_cast<std::uint16_t>(*port)};
}

Expected<net::SocketAddress, std::string> find_address(const std::string& host,
                                                       std::uint16_t port) {
  if (const auto literal = net::SocketAddress::parse(host, port)) return *literal;
  const auto found = sys::resolve_name(host, 1);
  if (!found) {
    return UnexpectedOf<std::string>(
        fmt::format("\"{}\": {}", host, found.error().code().message()));
  }
  return net::SocketAddress::from_raw(found->front()).with_port(port);
}

StartupResult<void> make_room_for(std::uint32_t connections) {
  const std::uint64_t wanted = connections + kFilesBeside;
  const auto limit = sys::file_limit();
  if (!limit) return fail_start(ExitCode::kSystem, "open files: " + limit.error().message());
  if (limit->soft >= wanted) return {};
  if (limit->hard < wanted) {
    return fail_start(ExitCode::kUsage,
                      fmt::format("{} connections need {} open files, and the hard "
                                  "limit is {}: raise it (ulimit -Hn), or ask for fewer",
                                  connections, wanted, limit->hard));
  }
  if (const auto set = sys::set_file_limit({wanted, limit->hard}); !set)
    return fail_start(ExitCode::kSystem, "open files: " + set.error().message());
  return {};
}

}  // namespace ssx::load
