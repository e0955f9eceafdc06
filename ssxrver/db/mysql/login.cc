#include "ssxrver/db/mysql/login.h"

#include <utility>

#include "ssxrver/db/mysql/call.h"
#include "ssxrver/db/mysql/connection.h"
#include "ssxrver/net/event_loop.h"
#include "ssxrver/net/timeout.h"

namespace ssx::db::mysql {

Login::Login(MysqlOptions options, std::size_t packet_bytes_max, milliseconds connect_timeout,
             const net::Resolver* resolver)
    : options_(std::move(options)),
      packet_bytes_max_(packet_bytes_max),
      connect_timeout_(connect_timeout),
      resolver_(resolver) {
  if (options_.port == 0) options_.port = kPort;
}

Task<Result<std::vector<std::string>>> Login::hosts() const {
  std::vector<std::string> hosts;
  if (!options_.unix_socket.empty()) {
    hosts.emplace_back();
    co_return hosts;
  }
  if (net::SocketAddress::parse(options_.address, options_.port)) {
    hosts.push_back(options_.address);
    co_return hosts;
  }
  if (resolver_ == nullptr) {
    co_return fail(Errc::kUnavailable, "connect", 0,
                   "\"" + options_.address + "\" is no IP address, and nobody looks names up");
  }
  const auto addresses =
      co_await resolver_->resolve(options_.address, options_.port, connect_timeout_);
  if (!addresses) {
    co_return fail(Errc::kUnavailable, "connect", 0,
                   "\"" + options_.address + "\": " + addresses.error().message());
  }
  for (const net::SocketAddress& address : *addresses) hosts.push_back(address.ip());
  co_return hosts;
}

Task<Result<std::unique_ptr<Session>>> Login::connect_to(const std::string& host) const {
  auto session = Session::create(options_, packet_bytes_max_);
  if (!session) co_return fail(session.error());
  Session& made = **session;
  const char* const address = host.empty() ? nullptr : host.c_str();
  if (co_await connect_call(made, options_, address, options_.port) != 0) {
    made.set_broken();
    co_return fail(made.failure("connect", Phase::kConnecting));
  }
  if (co_await query_call(made, kSessionBegin) != 0) {
    made.set_broken();
    co_return fail(made.failure("connect", Phase::kConnecting));
  }
  co_return std::move(*session);
}

Task<Result<std::unique_ptr<Session>>> Login::connect() const {
  const net::EventLoop& loop = *net::EventLoop::current();
  const TimePoint end = after(loop.now(), connect_timeout_);
  const auto all = co_await hosts();
  if (!all) co_return fail(all.error());
  Result<std::unique_ptr<Session>> last = fail(Errc::kUnavailable, "connect");
  for (std::size_t i = 0; i < all->size(); ++i) {
    const Duration part = (end - loop.now()) / static_cast<int>(all->size() - i);
    auto made = co_await net::with_timeout(part, connect_to((*all)[i]));
    if (!made) {
      last = fail(Errc::kConnectTimedOut, "connect");
      continue;
    }
    last = *std::move(made);
    if (last || !(last.error() == Errc::kUnavailable)) break;
  }
  co_return last;
}

}  // namespace ssx::db::mysql
