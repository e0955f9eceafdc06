#include "ssxrver/load/tcp_peer.h"

#include <algorithm>
#include <memory>

namespace ssx::load {

MakePeers make_tcp_peers(const EchoPlan& plan) {
  return [&plan](net::EventLoop& loop) -> MakePeer {
    const auto scratch = std::make_shared<TcpScratch>(plan);
    return [&plan, &loop, scratch](Peer::Events& events) {
      return std::make_unique<TcpPeer>(loop, plan, *scratch, events);
    };
  };
}

StreamPeer::Parts TcpPeer::greeting() {
  come_ = 0;
  return plan_.is_idle ? Parts(scratch_.batch) : Parts();
}

bool TcpPeer::take(std::string_view bytes, TimePoint now) {
  while (!bytes.empty()) {
    if (outstanding() == 0 && !is_greeting()) return fail_unasked(now), false;
    const std::size_t here = std::min(bytes.size(), plan_.message.size() - come_);
    if (bytes.substr(0, here) != std::string_view(plan_.message).substr(come_, here))
      return fail(Failure::kMalformed), false;
    come_ += here;
    bytes.remove_prefix(here);
    if (come_ == plan_.message.size() && !end_message(now)) return false;
  }
  return true;
}

bool TcpPeer::end_message(TimePoint now) {
  come_ = 0;
  if (!is_greeting()) return end_answer(true, true, now);
  opened();
  return stands();
}

void TcpPeer::on_end(TimePoint) {
  if (outstanding() > 0 || is_greeting()) return fail(Failure::kClosed);
  close();
}

}  // namespace ssx::load
