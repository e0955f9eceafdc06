// Compiles the real functions under a name of their own; those of ssx::sys below stand in front.
#define SSX_SYS_NAMESPACE sys_real
#include "ssxrver/sys/socket.cc"  // NOLINT(bugprone-suspicious-include): see kernel.h

#include <vector>

#include "tests/support/sim/gate.h"

namespace ssx::sys {

namespace real = ssx::sys_real;
using sim::Call;
using sim::internal::guarded;
using sim::internal::guarded_bytes;

namespace {

std::size_t bytes_in(std::span<const iovec> parts) {
  std::size_t sum = 0;
  for (const iovec& part : parts) sum += part.iov_len;
  return sum;
}

/// The first `size` bytes of the parts.
std::vector<iovec> cut(std::span<const iovec> parts, std::size_t size) {
  std::vector<iovec> shorter;
  for (iovec part : parts) {
    part.iov_len = std::min(part.iov_len, size);
    size -= part.iov_len;
    if (part.iov_len != 0) shorter.push_back(part);
  }
  return shorter;
}

}  // namespace

Result<UniqueFd> socket(int family, int type, int protocol) {
  return guarded(Call::kSocket, [&] { return real::socket(family, type, protocol); });
}

Result<void> bind(int fd, const RawAddress& address) {
  return guarded(Call::kBind, [&] { return real::bind(fd, address); });
}

Result<void> listen(int fd, int backlog) {
  return guarded(Call::kListen, [&] { return real::listen(fd, backlog); });
}

Result<UniqueFd> accept(int fd, RawAddress* peer) {
  auto accepted = guarded(Call::kAccept, [&] { return real::accept(fd, peer); });
  if (!accepted && accepted.error().is_errno(EAGAIN)) sim::internal::repeat_edge(fd);
  return accepted;
}

Result<void> connect(int fd, const RawAddress& address) {
  const int error = sim::internal::decide(Call::kConnect).error;
  if (error == 0) return real::connect(fd, address);
  if (error == EINPROGRESS) {  // not a refusal: the attempt goes on and the answer comes later
    if (auto connected = real::connect(fd, address); !connected) return connected;
  }
  return sim::internal::failure(Call::kConnect, error);
}

Result<RawAddress> local_address(int fd) {
  return guarded(Call::kLocalAddress, [&] { return real::local_address(fd); });
}

Result<RawAddress> peer_address(int fd) {
  return guarded(Call::kPeerAddress, [&] { return real::peer_address(fd); });
}

Result<int> take_socket_error(int fd) {
  return guarded(Call::kTakeSocketError, [&] { return real::take_socket_error(fd); });
}

Result<bool> is_readable(int fd) {
  return guarded(Call::kIsReadable, [&] { return real::is_readable(fd); });
}

Result<std::size_t> unacknowledged(int fd) {
  return guarded(Call::kUnacknowledged, [&] { return real::unacknowledged(fd); });
}

Result<void> set_option(int fd, int level, int name, int value) {
  return guarded(Call::kSetOption, [&] { return real::set_option(fd, level, name, value); });
}

Result<void> set_option_text(int fd, int level, int name, std::string_view value) {
  return guarded(Call::kSetOptionText,
                 [&] { return real::set_option_text(fd, level, name, value); });
}

Result<int> get_option(int fd, int level, int name) {
  return guarded(Call::kGetOption, [&] { return real::get_option(fd, level, name); });
}

Result<void> set_linger_reset(int fd) {
  return guarded(Call::kSetLingerReset, [&] { return real::set_linger_reset(fd); });
}

Result<std::size_t> receive(int fd, MutableBytes into) {
  return guarded_bytes(Call::kReceive, fd, into.size(),
                       [&](std::size_t size) { return real::receive(fd, into.first(size)); });
}

Result<std::size_t> send(int fd, ByteView from, bool more) {
  return guarded_bytes(Call::kSend, fd, from.size(),
                       [&](std::size_t size) { return real::send(fd, from.first(size), more); });
}

Result<std::size_t> send_vector(int fd, std::span<const iovec> parts, bool more) {
  const std::size_t whole = bytes_in(parts);
  return guarded_bytes(Call::kSendVector, fd, whole, [&](std::size_t size) {
    return size < whole ? real::send_vector(fd, cut(parts, size), more)
                        : real::send_vector(fd, parts, more);
  });
}

Result<std::size_t> send_file(int socket, int file, std::uint64_t offset, std::size_t count) {
  return guarded_bytes(Call::kSendFile, socket, count, [&](std::size_t size) {
    return real::send_file(socket, file, offset, size);
  });
}

Result<void> shutdown_write(int fd) {
  return guarded(Call::kShutdownWrite, [&] { return real::shutdown_write(fd); });
}

Result<void> shutdown_read(int fd) {
  return guarded(Call::kShutdownRead, [&] { return real::shutdown_read(fd); });
}

Result<void> ignore_new_connections(int fd) {
  return guarded(Call::kIgnoreNew, [&] { return real::ignore_new_connections(fd); });
}

Result<std::size_t> receive_batch(int fd, std::span<mmsghdr> messages) {
  return guarded_bytes(Call::kReceiveBatch, fd, messages.size(), [&](std::size_t size) {
    return real::receive_batch(fd, messages.first(size));
  });
}

Result<std::size_t> send_batch(int fd, std::span<mmsghdr> messages) {
  return guarded_bytes(Call::kSendBatch, fd, messages.size(), [&](std::size_t size) {
    return real::send_batch(fd, messages.first(size));
  });
}

Result<SocketPair> socket_pair(int type) {
  return guarded(Call::kSocketPair, [&] { return real::socket_pair(type); });
}

}  // namespace ssx::sys
