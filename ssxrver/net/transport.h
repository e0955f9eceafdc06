// SEAM: the byte endpoint under a Connection. Today TCP and unix sockets; the tests have one in
// memory; TLS and a user-space stack come as further ones.
//
// Thread: loop-only
// Owner:  Connection
// Life:   from accept or connect to close()
// Bounds: none of its own: it takes or gives what it is handed
//
// read() means "take what has arrived", never "make a system call now": a back end that works by
// completion keeps arrived bytes and signals readable.
#pragma once

#include <cstddef>
#include <span>

#include "ssxrver/base/bytes.h"
#include "ssxrver/base/out_queue.h"
#include "ssxrver/base/result.h"

namespace ssx::net {

class Transport {
 public:
  virtual ~Transport() = default;

  /// At least one byte, or kWouldBlock, kEof, or what the system said.
  virtual Result<std::size_t> read(MutableBytes into) = 0;
  /// A read that does not fill its room has taken all that had arrived, but for what the poller
  /// reports as kBeyond or kHangup. Constant.
  [[nodiscard]] virtual bool reads_all() const noexcept { return false; }
  static constexpr std::size_t kPartsMax = 64;

  /// 1 to kPartsMax parts. Bytes taken, perhaps fewer than given, or kWouldBlock. `more`: other
  /// bytes follow at once.
  virtual Result<std::size_t> write(std::span<const ByteView> parts, bool more) = 0;
  /// The same from a file. kFileTruncated when the file has fewer bytes than the slice.
  virtual Result<std::size_t> send_file(const FileSlice& file) = 0;
  /// Nothing more will be written; the peer reads end of file.
  virtual Result<void> shutdown_write() = 0;
  /// Needed before the first read and write by transports that greet (TLS); kWouldBlock: again
  /// later.
  virtual Result<void> handshake() = 0;
  /// `reset`: tell the peer that something was lost (RST) instead of a clean end.
  virtual void close(bool reset) noexcept = 0;
};

}  // namespace ssx::net
