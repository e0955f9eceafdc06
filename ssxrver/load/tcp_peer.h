// A connection of a load of TCP: the bytes that were sent come back.
//
// Thread: its loop
// Owner:  a PeerLoad
// Life:   that of Peer
// Bounds: bytes are compared and not kept
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ssxrver/load/echo_plan.h"
#include "ssxrver/load/stream_peer.h"

namespace ssx::load {

/// What all peers of a thread use in turn.
struct TcpScratch {
  explicit TcpScratch(const EchoPlan& plan) : batch(plan.depth, plan.message) {}
  std::string room = std::string(Peer::kRoom, '\0');
  std::vector<std::string_view> batch;  ///< the plan's message, `depth` times
};

/// `plan` outlives the peers.
[[nodiscard]] MakePeers make_tcp_peers(const EchoPlan& plan);

class TcpPeer final : public StreamPeer {
 public:
  TcpPeer(net::EventLoop& loop, const EchoPlan& plan, TcpScratch& scratch, Events& events)
      : StreamPeer(loop, plan, scratch.room, events), plan_(plan), scratch_(scratch) {}

 private:
  Parts greeting() override;
  Parts batch() override { return plan_.is_idle ? Parts() : Parts(scratch_.batch); }
  bool take(std::string_view bytes, TimePoint now) override;
  void on_end(TimePoint now) override;
  void on_sent(TimePoint) override {}

  bool end_message(TimePoint now);

  const EchoPlan& plan_;
  TcpScratch& scratch_;
  std::size_t come_ = 0;  ///< of the message that is on its way back
};

}  // namespace ssx::load
