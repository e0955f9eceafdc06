// SEAM: where listeners and connections come from. Today the kernel; the tests have one in memory;
// a TCP/IP stack in user space comes as another.
//
// Thread: listen() and connect() any thread; a Listener belongs to one loop at a time
// Owner:  main or the test; longer than every server on it
// Life:   -
// Bounds: ListenOptions, TcpOptions
#pragma once

#include <memory>
#include <string>

#include "ssxrver/base/result.h"
#include "ssxrver/net/options.h"
#include "ssxrver/net/socket_address.h"
#include "ssxrver/net/transport.h"
#include "ssxrver/sys/unique_fd.h"

namespace ssx::net {

/// A new connection on its way to a loop: a descriptor for the poller, and the transport when it
/// is not plain TCP on that descriptor.
struct Accepted {
  sys::UniqueFd fd;
  SocketAddress peer;
  std::unique_ptr<Transport> transport;
  bool is_counted = false;  ///< it has a place among those of its address (Admission)
  bool has_spoken = false;  ///< its first bytes are there, as likely as not (`tcp.defer_accept`)
};

class Listener {
 public:
  virtual ~Listener() = default;
  /// The next waiting connection; EAGAIN when there is none, kClosed when none can come any more.
  virtual Result<Accepted> accept() = 0;
  /// Whether accept() would find somebody; true when that cannot be told. Much cheaper than to try.
  [[nodiscard]] virtual bool somebody_waits() const = 0;
  /// Any thread. Nobody new can begin to connect; who has begun can still be accepted. Where others
  /// have the socket too (it was inherited), newcomers are left to them and nothing happens.
  virtual void refuse_new() noexcept = 0;
  /// For the poller.
  [[nodiscard]] virtual int fd() const noexcept = 0;
  /// Where it listens, with the port that was found for port 0.
  [[nodiscard]] virtual SocketAddress address() const noexcept = 0;
  /// "127.0.0.1:4507", "unix:/run/x.sock"
  [[nodiscard]] virtual std::string name() const = 0;
};

class NetStack {
 public:
  virtual ~NetStack() = default;
  virtual Result<std::unique_ptr<Listener>> listen(const ListenOptions& options,
                                                   const TcpOptions& tcp) = 0;
  /// Starts to connect; the descriptor becomes writable when it is done (or has failed: SO_ERROR).
  virtual Result<Accepted> connect(const SocketAddress& to, const TcpOptions& tcp) = 0;
};

}  // namespace ssx::net
