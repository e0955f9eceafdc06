#include "ssxrver/net/linux/tcp_transport.h"

#include <algorithm>
#include <array>
#include <cerrno>

#include "ssxrver/base/assert.h"
#include "ssxrver/net/error.h"
#include "ssxrver/sys/file.h"
#include "ssxrver/sys/socket.h"

namespace ssx::net {
namespace {

// sendfile(2) moves at most this much per call anyway.
constexpr std::uint64_t kSendFileMax = 0x7ffff000;
constexpr std::size_t kCopyBuffer = 32 << 10;

// The result is made anew of its number: a copy as a whole would have to wait for its parts to
// reach the cache.
Result<std::size_t> or_would_block(const Result<std::size_t>& result, const char* where) {
  if (result) [[likely]]
    return *result;
  if (result.error().is_errno(EAGAIN)) return fail(Errc::kWouldBlock, where);
  return fail(result.error());
}

// Through a buffer: what the socket does not take is simply read again the next time.
Result<std::size_t> copy_file(int fd, const FileSlice& file) {
  std::array<std::byte, kCopyBuffer> buffer;
  const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(file.size, buffer.size()));
  SSX_TRY(const std::size_t count,
          sys::pread(file.fd, std::span(buffer).first(wanted), file.offset));
  if (count == 0) return fail(Errc::kFileTruncated, "read");
  const bool more = count < file.size;
  // Not sys::send(): where only one function calls that, it is inlined (docs/adr/0024).
  const iovec part{.iov_base = buffer.data(), .iov_len = count};
  return or_would_block(sys::send_vector(fd, std::span(&part, 1), more), "write");
}

}  // namespace

Result<std::size_t> read_socket(int fd, MutableBytes into) {
  const auto count = sys::receive(fd, into);
  if (count && *count == 0) return fail(Errc::kEof, "read");
  return or_would_block(count, "read");
}

// TCP does; a read of a unix socket may end where a descriptor was sent along.
bool socket_reads_all(const SocketAddress& peer) noexcept {
  const auto family = peer.family();
  return family == SocketAddress::Family::kIpv4 || family == SocketAddress::Family::kIpv6;
}

Result<std::size_t> write_socket(int fd, std::span<const ByteView> parts, bool more) {
  if (parts.size() == 1) return or_would_block(sys::send(fd, parts[0], more), "write");
  SSX_DCHECK(parts.size() <= Transport::kPartsMax, parts.size());
  std::array<iovec, Transport::kPartsMax> vector;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    vector[i] = {const_cast<std::byte*>(parts[i].data()),
                 parts[i].size()};  // the kernel only reads
  }
  return or_would_block(sys::send_vector(fd, std::span(vector).first(parts.size()), more), "write");
}

Result<std::size_t> send_file_to_socket(int fd, const FileSlice& file) {
  const auto wanted = static_cast<std::size_t>(std::min(file.size, kSendFileMax));
  if (!file.zero_copy) return copy_file(fd, file);
  const auto count = sys::send_file(fd, file.fd, file.offset, wanted);
  if (count && *count == 0) return fail(Errc::kFileTruncated, "sendfile");
  return or_would_block(count, "sendfile");
}

void close_socket(sys::UniqueFd& fd, bool reset) noexcept {
  if (reset && fd) (void)sys::set_linger_reset(fd.get());
  fd.reset();
}

Result<void> TcpTransport::shutdown_write() { return sys::shutdown_write(socket_.get()); }

}  // namespace ssx::net
