#include "ssxrver/load/opening.h"

#include <utility>

namespace ssx::load {

void Opening::begin(std::function<void()> on_done) {
  on_done_ = std::move(on_done);
  open_more();
}

void Opening::note_one() {
  if (++ended_ == peers_.size()) return on_done_();
  loop_.post([this] { open_more(); });  // not from within open_more()
}

void Opening::open_more() {
  while (begun_ < peers_.size() && begun_ - ended_ < kAtOnce) peers_[begun_++]->open(next_source());
}

const net::SocketAddress* Opening::next_source() noexcept {
  if (plan_.sources.empty()) return nullptr;
  return &plan_.sources[source_++ % plan_.sources.size()];
}

}  // namespace ssx::load
