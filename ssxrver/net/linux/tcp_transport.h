// Transport over a stream socket of the kernel. (i)
//
// Thread: loop-only
// Owner:  Connection (embedded)
// Life:   that of the descriptor
// Bounds: 16 bytes
#pragma once

#include "ssxrver/net/transport.h"
#include "ssxrver/sys/unique_fd.h"

namespace ssx::net {

class TcpTransport final : public Transport {
 public:
  explicit TcpTransport(sys::UniqueFd socket) noexcept : socket_(std::move(socket)) {}

  Result<std::size_t> read(MutableBytes into) override;
  Result<std::size_t> write(std::span<const ByteView> parts, bool more) override;
  Result<std::size_t> send_file(const FileSlice& file) override;
  Result<void> shutdown_write() override;
  Result<void> handshake() override { return {}; }
  void close(bool reset) noexcept override;

  [[nodiscard]] int fd() const noexcept { return socket_.get(); }

 private:
  Result<std::size_t> copy_file(const FileSlice& file);

  sys::UniqueFd socket_;
};

}  // namespace ssx::net
