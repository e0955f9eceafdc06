// Reads the PROXY protocol's header of a connection, makes the client that it names the peer, and
// hands the connection to the protocol that was meant for it.
//
// Thread: loop-only
// Owner:  Connection
// Life:   from on_open until the header is read; then the inner protocol takes its place
// Bounds: ProxyHeader::kV1Max and kV2Max; AccessOptions::proxy_header_timeout
#pragma once

#include <memory>

#include "ssxrver/net/admission.h"
#include "ssxrver/net/counters.h"
#include "ssxrver/net/options.h"
#include "ssxrver/net/protocol.h"

namespace ssx::net {

class ProxyProtocol final : public Protocol {
 public:
  /// The peer is a trusted proxy. With kOptional it may also speak for itself, without a header.
  ProxyProtocol(std::unique_ptr<Protocol> inner, ProxyMode mode, Duration timeout,
                Admission& admission, AcceptCounters& counters) noexcept;

  void on_open(Connection& connection) override;
  void on_data(Connection& connection, InBuffer& in) override;
  void on_deadline(Connection& connection) override;

 private:
  [[nodiscard]] bool take_client(Connection& connection, const SocketAddress& client);

  std::unique_ptr<Protocol> inner_;
  const ProxyMode mode_;
  const Duration timeout_;
  Admission& admission_;
  AcceptCounters& counters_;
};

}  // namespace ssx::net
