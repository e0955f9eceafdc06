// NetStack over the kernel's sockets. (i)
//
// Thread: any thread
// Owner:  main (instance() lives as long as the process)
// Life:   -
// Bounds: ListenOptions, TcpOptions
#pragma once

#include "ssxrver/net/net_stack.h"

namespace ssx::net {

class KernelStack final : public NetStack {
 public:
  static KernelStack& instance() noexcept;

  Result<std::unique_ptr<Listener>> listen(const ListenOptions& options,
                                           const TcpOptions& tcp) override;
  Result<Accepted> connect(const SocketAddress& to, const TcpOptions& tcp) override;
};

}  // namespace ssx::net
