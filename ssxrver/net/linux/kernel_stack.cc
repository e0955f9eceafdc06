#include "ssxrver/net/linux/kernel_stack.h"

#include <atomic>
#include <cerrno>
#include <utility>

#include "ssxrver/base/scope_exit.h"
#include "ssxrver/net/error.h"
#include "ssxrver/sys/address.h"
#include "ssxrver/sys/file.h"
#include "ssxrver/sys/socket.h"
#include "ssxrver/sys/socket_option.h"

namespace ssx::net {
namespace {

enum class Origin : bool { kOwn, kInherited };

class KernelListener final : public Listener {
 public:
  KernelListener(sys::UniqueFd socket, const sys::RawAddress& local, const TcpOptions& tcp,
                 std::string remove_path, Origin origin = Origin::kOwn)
      : socket_(std::move(socket)),
        address_(SocketAddress::from_raw(local)),
        unix_path_(sys::unix_path_of(local)),
        remove_path_(std::move(remove_path)),
        origin_(origin),
        defers_(unix_path_.empty() && tcp.defer_accept.count() > 0) {}

  ~KernelListener() override {
    if (!remove_path_.empty()) (void)sys::unlink(remove_path_.c_str());
  }

  Result<Accepted> accept() override {
    sys::RawAddress peer;
    const bool was_shut = shut_.load(std::memory_order_acquire);  // so nobody came afterwards
    auto fd = sys::accept(socket_.get(), &peer);
    if (fd) {
      return Accepted{.fd = *std::move(fd),
                      .peer = SocketAddress::from_raw(peer),
                      .transport = nullptr,
                      .has_spoken = defers_};
    }
    if (was_shut && fd.error().is_errno(EAGAIN)) return fail(Errc::kClosed, "accept");
    return fail(fd.error());
  }
  [[nodiscard]] bool somebody_waits() const override {
    return sys::is_readable(socket_.get()).value_or(true);
  }
  // Best effort: where it fails, a client that comes in the very last moment is reset.
  void refuse_new() noexcept override {
    if (origin_ == Origin::kInherited) return;
    if (address_.family() != SocketAddress::Family::kUnix) {
      (void)sys::ignore_new_connections(socket_.get());
      // Who has connected and said nothing is let in when the kernel asks it again.
      if (defers_) (void)sys::set_option(socket_.get(), sys::SocketOption::kDeferAcceptSeconds, 0);
      return;
    }
    if (sys::shutdown_read(socket_.get())) shut_.store(true, std::memory_order_release);
  }
  [[nodiscard]] int fd() const noexcept override { return socket_.get(); }
  [[nodiscard]] SocketAddress address() const noexcept override { return address_; }
  [[nodiscard]] std::string name() const override {
    return unix_path_.empty() ? address_.to_string() : "unix:" + unix_path_;
  }

 private:
  const sys::UniqueFd socket_;
  const SocketAddress address_;
  const std::string unix_path_;
  const std::string remove_path_;
  const Origin origin_;
  const bool defers_;  ///< the kernel waits for the first bytes of who connects, for a while
  std::atomic<bool> shut_{false};
};

// Set on the listener: the kernel hands them down to every accepted socket, which saves a system
// call per option and connection.
Result<void> set_tcp_options(int fd, const TcpOptions& tcp) {
  using sys::SocketOption;
  const auto set = [fd](SocketOption option, std::int64_t value) {
    return value == 0 ? Result<void>() : sys::set_option(fd, option, static_cast<int>(value));
  };
  SSX_TRY_VOID(set(SocketOption::kNoDelay, tcp.nodelay));
  SSX_TRY_VOID(set(SocketOption::kQuickAck, tcp.quickack));
  SSX_TRY_VOID(set(SocketOption::kUserTimeoutMs, tcp.user_timeout.count()));
  SSX_TRY_VOID(set(SocketOption::kSendBuffer, tcp.send_buffer));
  SSX_TRY_VOID(set(SocketOption::kReceiveBuffer, tcp.recv_buffer));
  SSX_TRY_VOID(set(SocketOption::kNotSentLowat, tcp.notsent_lowat));
  if (!tcp.keepalive) return {};
  SSX_TRY_VOID(set(SocketOption::kKeepAlive, 1));
  SSX_TRY_VOID(set(SocketOption::kKeepIdleSeconds, tcp.keepalive_idle.count()));
  SSX_TRY_VOID(set(SocketOption::kKeepIntervalSeconds, tcp.keepalive_interval.count()));
  return set(SocketOption::kKeepCount, tcp.keepalive_count);
}

Result<void> set_listener_options(int fd, const TcpOptions& tcp) {
  SSX_TRY_VOID(set_tcp_options(fd, tcp));
  if (tcp.fastopen > 0)
    SSX_TRY_VOID(sys::set_option(fd, sys::SocketOption::kFastOpen, tcp.fastopen));
  // Also when it is 0: whoever has made an inherited socket may have set it.
  return sys::set_option(fd, sys::SocketOption::kDeferAcceptSeconds,
                         static_cast<int>(tcp.defer_accept.count()));
}

bool lacks_ipv6(const Error& error) noexcept {
  return error.is_errno(EAFNOSUPPORT) || error.is_errno(EADDRNOTAVAIL);
}

Result<sys::UniqueFd> make_tcp_socket(const SocketAddress& at, const ListenOptions& options,
                                      bool reuse_port) {
  const bool v6 = at.family() == SocketAddress::Family::kIpv6;
  SSX_TRY(sys::UniqueFd socket, sys::socket(v6 ? AF_INET6 : AF_INET, SOCK_STREAM));
  SSX_TRY_VOID(sys::set_option(socket.get(), sys::SocketOption::kReuseAddress, 1));
  if (v6)
    SSX_TRY_VOID(
        sys::set_option(socket.get(), sys::SocketOption::kIpv6Only, options.ipv6_only ? 1 : 0));
  if (reuse_port) SSX_TRY_VOID(sys::set_option(socket.get(), sys::SocketOption::kReusePort, 1));
  SSX_TRY_VOID(sys::bind(socket.get(), at.to_raw()));
  return socket;
}

Result<std::unique_ptr<Listener>> finish(sys::UniqueFd socket, const TcpOptions& tcp,
                                         std::string remove_path) {
  SSX_TRY_VOID(sys::listen(socket.get(), tcp.backlog));
  SSX_TRY(const sys::RawAddress local, sys::local_address(socket.get()));
  return std::unique_ptr<Listener>(
      new KernelListener(std::move(socket), local, tcp, std::move(remove_path)));
}

Result<std::unique_ptr<Listener>> listen_at(const SocketAddress& at, const ListenOptions& options,
                                            const TcpOptions& tcp) {
  SSX_TRY(sys::UniqueFd socket, make_tcp_socket(at, options, options.reuse_port));
  SSX_TRY_VOID(set_listener_options(socket.get(), tcp));
  return finish(std::move(socket), tcp, "");
}

// "*" is every address of both families on one socket; of IPv4 alone where the system has no IPv6.
Result<std::unique_ptr<Listener>> listen_tcp(const ListenOptions& options, const TcpOptions& tcp) {
  if (options.address != "*") {
    SSX_TRY(const SocketAddress at, SocketAddress::parse(options.address, options.port));
    return listen_at(at, options, tcp);
  }
  ListenOptions both = options;
  both.ipv6_only = false;
  SSX_TRY(const SocketAddress at, SocketAddress::parse("::", options.port));
  auto listener = listen_at(at, both, tcp);
  if (listener || !lacks_ipv6(listener.error())) return listener;
  SSX_TRY(const SocketAddress at_v4, SocketAddress::parse("0.0.0.0", options.port));
  return listen_at(at_v4, options, tcp);
}

// A socket file that nobody listens on is left over from a crash; one that answers is in use.
Result<void> remove_stale(const std::string& path, const sys::RawAddress& address) {
  const auto found = sys::stat(path.c_str());
  if (!found) return {};
  if ((found->st_mode & S_IFMT) != S_IFSOCK) return fail_errno(EADDRINUSE, "bind");
  SSX_TRY(const sys::UniqueFd probe, sys::socket(AF_UNIX, SOCK_STREAM));
  const auto connected = sys::connect(probe.get(), address);
  if (connected || !connected.error().is_errno(ECONNREFUSED)) return fail_errno(EADDRINUSE, "bind");
  return sys::unlink(path.c_str());
}

Result<std::unique_ptr<Listener>> listen_unix(const ListenOptions& options, const TcpOptions& tcp) {
  SSX_TRY(const sys::RawAddress address, sys::make_unix(options.unix_path));
  const bool is_abstract = options.unix_path.front() == '@';
  if (!is_abstract) SSX_TRY_VOID(remove_stale(options.unix_path, address));
  SSX_TRY(sys::UniqueFd socket, sys::socket(AF_UNIX, SOCK_STREAM));
  SSX_TRY_VOID(sys::bind(socket.get(), address));
  if (is_abstract) return finish(std::move(socket), tcp, "");
  // The file is there from here on; nobody can connect before listen().
  ScopeExit remove_file([&options] { (void)sys::unlink(options.unix_path.c_str()); });
  SSX_TRY_VOID(sys::chmod(options.unix_path.c_str(), options.unix_mode));
  auto listener = finish(std::move(socket), tcp, options.unix_path);
  if (listener) remove_file.release();
  return listener;
}

Result<std::unique_ptr<Listener>> adopt_inherited(int fd, const TcpOptions& tcp) {
  sys::UniqueFd socket(fd);
  SSX_TRY(const int listening, sys::get_option(fd, sys::SocketOption::kAcceptsConnections));
  if (listening == 0) return fail_errno(EINVAL, "inherited descriptor");
  SSX_TRY_VOID(sys::set_non_blocking(fd));
  SSX_TRY_VOID(sys::set_close_on_exec(fd));
  SSX_TRY(const sys::RawAddress local, sys::local_address(fd));
  if (SocketAddress::from_raw(local).family() != SocketAddress::Family::kUnix) {
    SSX_TRY_VOID(set_listener_options(fd, tcp));
  }
  return std::unique_ptr<Listener>(
      new KernelListener(std::move(socket), local, tcp, "", Origin::kInherited));
}

}  // namespace

KernelStack& KernelStack::instance() noexcept {
  static KernelStack stack;
  return stack;
}

Result<std::unique_ptr<Listener>> KernelStack::listen(const ListenOptions& options,
                                                      const TcpOptions& tcp) {
  if (options.inherited_fd >= 0) return adopt_inherited(options.inherited_fd, tcp);
  if (!options.unix_path.empty()) return listen_unix(options, tcp);
  return listen_tcp(options, tcp);
}

Result<Accepted> KernelStack::connect(const SocketAddress& to, const TcpOptions& tcp) {
  const bool v6 = to.family() == SocketAddress::Family::kIpv6;
  if (!v6 && to.family() != SocketAddress::Family::kIpv4) return fail(Errc::kBadAddress, "connect");
  SSX_TRY(sys::UniqueFd socket, sys::socket(v6 ? AF_INET6 : AF_INET, SOCK_STREAM));
  SSX_TRY_VOID(set_tcp_options(socket.get(), tcp));
  if (const auto connected = sys::connect(socket.get(), to.to_raw());
      !connected && !connected.error().is_errno(EINPROGRESS)) {
    return fail(connected.error());
  }
  return Accepted{std::move(socket), to, nullptr};
}

}  // namespace ssx::net
