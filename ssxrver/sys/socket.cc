#include "ssxrver/sys/socket.h"

#include <linux/filter.h>
#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>

#include <array>
#include <csignal>
#include <cstdint>

#include "ssxrver/sys/internal.h"
#include "ssxrver/sys/raw_call.h"

namespace ssx::SSX_SYS_NAMESPACE {

using sys::internal::done;
using sys::internal::moved;
using sys::internal::own;
using sys::internal::retry;

namespace {

/// MSG_NOSIGNAL is in every send: a peer that is gone is an EPIPE, not the end of the process.
int send_flags(bool more) noexcept { return more ? MSG_NOSIGNAL | MSG_MORE : MSG_NOSIGNAL; }

// Nothing was moved when a signal came first.
[[gnu::always_inline]] inline Result<std::size_t> moved_raw(long number,
                                                            const sys::internal::RawArguments& with,
                                                            const char* where) noexcept {
  for (;;) {
    const long answer = sys::internal::raw_call(number, with);
    if (answer >= 0) [[likely]]
      return static_cast<std::size_t>(answer);
    if (answer != -EINTR) return fail_errno(static_cast<int>(-answer), where);
  }
}

/// sendfile(2) takes no flags and raises SIGPIPE. The signal is sent to the calling thread, so one
/// blocked there stays pending for ever and harms nobody; asking once per thread costs a load.
void hold_sigpipe() noexcept {
  thread_local const bool held = [] {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGPIPE);
    return ::pthread_sigmask(SIG_BLOCK, &signals, nullptr) == 0;
  }();
  static_cast<void>(held);
}

}  // namespace

Result<UniqueFd> socket(int family, int type, int protocol) {
  return own(::socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, protocol), "socket");
}

Result<void> bind(int fd, const RawAddress& address) {
  return done(::bind(fd, address.get(), address.size), "bind");
}

Result<void> listen(int fd, int backlog) { return done(::listen(fd, backlog), "listen"); }

Result<UniqueFd> accept(int fd, RawAddress* peer) {
  const int flags = SOCK_NONBLOCK | SOCK_CLOEXEC;
  if (peer == nullptr) {
    return own(retry([&] { return ::accept4(fd, nullptr, nullptr, flags); }), "accept");
  }
  return own(retry([&] {
               peer->size = sizeof peer->storage;
               return ::accept4(fd, peer->get(), &peer->size, flags);
             }),
             "accept");
}

Result<void> connect(int fd, const RawAddress& address) {
  if (::connect(fd, address.get(), address.size) == 0) return {};
  // POSIX: an interrupted connect goes on in the background, and asking again gives EALREADY.
  return fail_errno(errno == EINTR ? EINPROGRESS : errno, "connect");
}

Result<RawAddress> local_address(int fd) {
  RawAddress address;
  if (::getsockname(fd, address.get(), &address.size) != 0) {
    return fail_errno(errno, "local_address");
  }
  return address;
}

Result<RawAddress> peer_address(int fd) {
  RawAddress address;
  if (::getpeername(fd, address.get(), &address.size) != 0) {
    return fail_errno(errno, "peer_address");
  }
  return address;
}

Result<int> take_socket_error(int fd) {
  int error = 0;
  socklen_t size = sizeof error;
  if (::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0) {
    return fail_errno(errno, "take_socket_error");
  }
  return error;
}

Result<bool> is_readable(int fd) {
  pollfd asked{fd, POLLIN, 0};
  if (retry([&asked] { return ::poll(&asked, 1, 0); }) < 0) return fail_errno(errno, "is_readable");
  if ((asked.revents & POLLNVAL) != 0) return fail_errno(EBADF, "is_readable");
  return asked.revents != 0;
}

Result<std::size_t> unacknowledged(int fd) {
  int bytes = 0;
  if (::ioctl(fd, SIOCOUTQ, &bytes) != 0) return fail_errno(errno, "unacknowledged");
  return static_cast<std::size_t>(bytes);
}

Result<void> set_option(int fd, int level, int name, int value) {
  return done(::setsockopt(fd, level, name, &value, sizeof value), "set_option");
}

Result<void> set_option_text(int fd, int level, int name, std::string_view value) {
  const auto size = static_cast<socklen_t>(value.size());
  return done(::setsockopt(fd, level, name, value.data(), size), "set_option_text");
}

Result<int> get_option(int fd, int level, int name) {
  int value = 0;
  socklen_t size = sizeof value;
  if (::getsockopt(fd, level, name, &value, &size) != 0) return fail_errno(errno, "get_option");
  return value;
}

Result<void> set_linger_reset(int fd) {
  const linger reset{.l_onoff = 1, .l_linger = 0};
  return done(::setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset), "set_linger_reset");
}

Result<std::size_t> receive(int fd, MutableBytes into) {
  return moved_raw(SYS_recvfrom,
                   {.first = fd,
                    .second = sys::internal::raw(into.data()),
                    .third = static_cast<long>(into.size())},
                   "receive");
}

Result<std::size_t> send(int fd, ByteView from, bool more) {
  return moved_raw(SYS_sendto,
                   {.first = fd,
                    .second = sys::internal::raw(from.data()),
                    .third = static_cast<long>(from.size()),
                    .fourth = send_flags(more)},
                   "send");
}

Result<std::size_t> send_vector(int fd, std::span<const iovec> parts, bool more) {
  msghdr message{};
  message.msg_iov = const_cast<iovec*>(parts.data());  // sendmsg only reads it
  message.msg_iovlen = parts.size();
  const int flags = send_flags(more);
  return moved(retry([&] { return ::sendmsg(fd, &message, flags); }), "send_vector");
}

Result<std::size_t> send_file(int socket, int file, std::uint64_t offset, std::size_t count) {
  hold_sigpipe();
  auto at = static_cast<off_t>(offset);
  return moved(retry([&] { return ::sendfile(socket, file, &at, count); }), "send_file");
}

Result<void> shutdown_write(int fd) { return done(::shutdown(fd, SHUT_WR), "shutdown_write"); }

Result<void> shutdown_read(int fd) { return done(::shutdown(fd, SHUT_RD), "shutdown_read"); }

// A filter sees a segment from its TCP header on; octet 13 holds the flags (RFC 9293 section 3.1).
Result<void> ignore_new_connections(int fd) {
  constexpr std::uint32_t kFlags = 13, kSyn = 0x02, kAck = 0x10, kDrop = 0, kTake = 0xffffffff;
  std::array<sock_filter, 5> program{
      {BPF_STMT(BPF_LD | BPF_B | BPF_ABS, kFlags), BPF_STMT(BPF_ALU | BPF_AND | BPF_K, kSyn | kAck),
       BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kSyn, 0, 1), BPF_STMT(BPF_RET | BPF_K, kDrop),
       BPF_STMT(BPF_RET | BPF_K, kTake)}};
  const sock_fprog attached{static_cast<unsigned short>(program.size()), program.data()};
  return done(::setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &attached, sizeof attached),
              "ignore_new_connections");
}

Result<std::size_t> receive_batch(int fd, std::span<mmsghdr> messages) {
  const auto size = static_cast<unsigned>(messages.size());
  return moved(retry([&] { return ::recvmmsg(fd, messages.data(), size, MSG_DONTWAIT, nullptr); }),
               "receive_batch");
}

Result<std::size_t> send_batch(int fd, std::span<mmsghdr> messages) {
  const auto size = static_cast<unsigned>(messages.size());
  return moved(
      retry([&] { return ::sendmmsg(fd, messages.data(), size, MSG_DONTWAIT | MSG_NOSIGNAL); }),
      "send_batch");
}

Result<SocketPair> socket_pair(int type) {
  int ends[2];
  if (::socketpair(AF_UNIX, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) != 0) {
    return fail_errno(errno, "socket_pair");
  }
  return SocketPair{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

}  // namespace ssx::SSX_SYS_NAMESPACE
