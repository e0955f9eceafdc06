// A socket of a load of datagrams: each comes back, or is lost.
//
// Thread: its loop
// Owner:  a PeerLoad
// Life:   that of Peer
// Bounds: one batch under way; what comes too late is not looked at
//
// The first bytes of a datagram are its number, so that one that was given up is not taken for the
// next one, and one that comes twice counts once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ssxrver/load/echo_plan.h"
#include "ssxrver/load/peer.h"
#include "ssxrver/net/channel.h"
#include "ssxrver/net/event_loop.h"
#include "ssxrver/sys/unique_fd.h"

namespace ssx::load {

/// What all peers of a thread use in turn.
struct UdpScratch {
  explicit UdpScratch(const EchoPlan& plan) : datagram(plan.message) {}
  std::string room = std::string(64 << 10, '\0');
  std::string datagram;
};

/// `plan` outlives the peers. Its message has at least UdpPeer::kNumberSize bytes.
[[nodiscard]] MakePeers make_udp_peers(const EchoPlan& plan);

class UdpPeer final : public Peer, private net::Channel {
 public:
  static constexpr std::size_t kNumberSize = sizeof(std::uint64_t);

  UdpPeer(net::EventLoop& loop, const EchoPlan& plan, UdpScratch& scratch, Events& events)
      : Peer(events), Channel(-1), loop_(loop), plan_(plan), scratch_(scratch) {}
  ~UdpPeer() override;

  void open(const net::SocketAddress* source) override;
  void begin(TimePoint since, TimePoint now, const net::SocketAddress* source) override;
  void close() noexcept override;
  [[nodiscard]] bool stands() const noexcept override { return bool{socket_}; }

 private:
  void on_ready(net::Readiness ready) override;
  [[nodiscard]] const char* label() const noexcept override { return "udp peer"; }
  [[nodiscard]] Result<void> connect(const net::SocketAddress* source);
  void send();
  /// False: there is nothing more, or it is closed.
  bool receive_one();
  void take(std::string_view datagram);

  net::EventLoop& loop_;
  const EchoPlan& plan_;
  UdpScratch& scratch_;
  sys::UniqueFd socket_;
  std::uint64_t first_ = 0;     ///< number of the first one of the batch
  std::uint32_t sent_ = 0;      ///< of the batch
  std::vector<bool> has_come_;  ///< of the batch
};

}  // namespace ssx::load
