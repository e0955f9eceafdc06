// Transport over a stream socket of the kernel. (i)
//
// Thread: loop-only
// Owner:  who made it; a Connection has only the descriptor, and calls the functions below
// Life:   that of the descriptor
// Bounds: 16 bytes
#pragma once

#include "ssxrver/net/socket_address.h"
#include "ssxrver/net/transport.h"
#include "ssxrver/sys/unique_fd.h"

namespace ssx::net {

// For who has the descriptor elsewhere; what they return is what Transport says.
Result<std::size_t> read_socket(int fd, MutableBytes into);
[[nodiscard]] bool socket_reads_all(const SocketAddress& peer) noexcept;
Result<std::size_t> write_socket(int fd, std::span<const ByteView> parts, bool more);
Result<std::size_t> send_file_to_socket(int fd, const FileSlice& file);
void close_socket(sys::UniqueFd& fd, bool reset) noexcept;

class TcpTransport final : public Transport {
 public:
  explicit TcpTransport(sys::UniqueFd socket) noexcept : socket_(std::move(socket)) {}

  Result<std::size_t> read(MutableBytes into) override { return read_socket(fd(), into); }
  Result<std::size_t> write(std::span<const ByteView> parts, bool more) override {
    return write_socket(fd(), parts, more);
  }
  Result<std::size_t> send_file(const FileSlice& file) override {
    return send_file_to_socket(fd(), file);
  }
  Result<void> shutdown_write() override;
  Result<void> handshake() override { return {}; }
  void close(bool reset) noexcept override { close_socket(socket_, reset); }

  [[nodiscard]] int fd() const noexcept { return socket_.get(); }

 private:
  sys::UniqueFd socket_;
};

}  // namespace ssx::net
