// System calls on sockets, as Results.
//
// Thread: any thread
// Owner:  descriptors are UniqueFd; a plain int is borrowed
// Life:   each call stands alone
// Bounds: EINTR is retried; EAGAIN comes back as an error; SIGPIPE is never raised.
//         An error's where() is the function's name
#pragma once

#include <sys/socket.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "ssxrver/base/bytes.h"
#include "ssxrver/base/result.h"
#include "ssxrver/sys/unique_fd.h"

namespace ssx::sys {

/// A socket address as the kernel knows it: large enough for IPv4, IPv6 and unix sockets.
struct RawAddress {
  sockaddr_storage storage;
  socklen_t size = sizeof(sockaddr_storage);
  [[nodiscard]] const sockaddr* get() const noexcept {
    return reinterpret_cast<const sockaddr*>(&storage);
  }
  [[nodiscard]] sockaddr* get() noexcept { return reinterpret_cast<sockaddr*>(&storage); }
};

/// SOCK_NONBLOCK and SOCK_CLOEXEC are added to `type`.
Result<UniqueFd> socket(int family, int type, int protocol = 0);
Result<void> bind(int fd, const RawAddress& address);
Result<void> listen(int fd, int backlog);
/// Non-blocking, close-on-exec. `peer` may be null.
Result<UniqueFd> accept(int fd, RawAddress* peer);
/// EINPROGRESS is an error value like any other. EINTR becomes EINPROGRESS: the attempt goes on.
Result<void> connect(int fd, const RawAddress& address);
Result<RawAddress> local_address(int fd);
Result<RawAddress> peer_address(int fd);
/// SO_ERROR: 0 when the connection stands.
Result<int> take_socket_error(int fd);
/// poll(2) with no time: data, an end, an error or, of a listener, somebody who waits.
Result<bool> is_readable(int fd);
/// SIOCOUTQ: bytes that were sent and that the peer has not acknowledged. Of a unix socket: about
/// what the peer has not read.
Result<std::size_t> unacknowledged(int fd);
Result<void> set_option(int fd, int level, int name, int value);
Result<void> set_option_text(int fd, int level, int name, std::string_view value);
Result<int> get_option(int fd, int level, int name);
/// SO_LINGER with time 0: close() sends RST.
Result<void> set_linger_reset(int fd);

/// 0 bytes = the peer has closed its side.
Result<std::size_t> receive(int fd, MutableBytes into);
/// `more`: MSG_MORE, more follows at once.
Result<std::size_t> send(int fd, ByteView from, bool more = false);
Result<std::size_t> send_vector(int fd, std::span<const iovec> parts, bool more = false);
/// sendfile(2); advances nothing in `file` itself. 0 = the file ended early.
/// sendfile knows no MSG_NOSIGNAL, so the first call of a thread blocks SIGPIPE in that thread.
Result<std::size_t> send_file(int socket, int file, std::uint64_t offset, std::size_t count);
Result<void> shutdown_write(int fd);
/// SHUT_RD. A unix socket that listens refuses newcomers then (and is readable for ever); those who
/// came before can be accepted.
Result<void> shutdown_read(int fd);
/// A TCP socket that listens hears no SYN from now on: who has begun to connect can still be
/// accepted. What is accepted inherits it, which harms nothing.
Result<void> ignore_new_connections(int fd);

/// recvmmsg / sendmmsg without waiting: the number of messages moved.
Result<std::size_t> receive_batch(int fd, std::span<mmsghdr> messages);
Result<std::size_t> send_batch(int fd, std::span<mmsghdr> messages);

/// A connected pair of stream sockets, non-blocking.
struct SocketPair {
  UniqueFd first;
  UniqueFd second;
};
Result<SocketPair> socket_pair(int type);

}  // namespace ssx::sys
