#include "ssxrver/load/host_address.h"

#include <fmt/format.h>

#include "ssxrver/base/strings.h"
#include "ssxrver/sys/name.h"
#include "ssxrver/sys/process.h"
#include "ssxrver/sys/socket.h"

namespace ssx::load {
namespace {

constexpr std::uint64_t kFilesBeside = 64;
constexpr std::uint64_t kFilesOfALoop = 3;  // its poller, its mailbox and its timer

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

Expected<net::SocketAddress, std::string> find_source(const std::string& text,
                                                      const net::SocketAddress& target) {
  const auto source = net::SocketAddress::parse(text, 0);
  if (!source) return UnexpectedOf<std::string>("is no address");
  const sys::RawAddress raw = source->to_raw();
  const int family = target.to_raw().get()->sa_family;
  if (raw.get()->sa_family != family) {
    return UnexpectedOf<std::string>(
        fmt::format("is of another family than {}", target.to_string()));
  }
  const auto socket = sys::socket(family, SOCK_DGRAM);
  if (!socket) return UnexpectedOf<std::string>(socket.error().code().message());
  if (const auto bound = sys::bind(socket->get(), raw); !bound) {
    return UnexpectedOf<std::string>(bound.error().code().message());
  }
  return *source;
}

StartupResult<void> make_room_for(std::uint32_t connections, std::uint32_t threads) {
  const std::uint64_t wanted = connections + threads * kFilesOfALoop + kFilesBeside;
  const auto limit = sys::file_limit();
  if (!limit) return fail_start(ExitCode::kSystem, "open files: " + limit.error().message());
  if (limit->soft >= wanted) return {};
  if (limit->hard < wanted) {
    return fail_start(ExitCode::kUsage,
                      fmt::format("{} connections and {} threads need {} open files, and the "
                                  "hard limit is {}: raise it (ulimit -Hn), or ask for fewer",
                                  connections, threads, wanted, limit->hard));
  }
  if (const auto set = sys::set_file_limit({wanted, limit->hard}); !set)
    return fail_start(ExitCode::kSystem, "open files: " + set.error().message());
  return {};
}

}  // namespace ssx::load
