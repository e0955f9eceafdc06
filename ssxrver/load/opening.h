// The connections of a load that stand before its first request: so many of them at once on their
// way, each from the next address.
//
// Thread: its loop
// Owner:  a Load
// Life:   begin() .. is_done()
// Bounds: kAtOnce on their way; the sources of the plan
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "ssxrver/load/load_plan.h"
#include "ssxrver/load/peer.h"
#include "ssxrver/net/event_loop.h"

namespace ssx::load {

class Opening {
 public:
  static constexpr std::uint32_t kAtOnce = 256;  ///< below any backlog
  /// Who could not connect tries again then.
  static constexpr Duration kRest = std::chrono::milliseconds(100);

  /// The first one comes from the `first_source`th address.
  Opening(net::EventLoop& loop, const LoadPlan& plan, std::uint32_t first_source)
      : loop_(loop), plan_(plan), source_(first_source) {}

  void add(Peer& peer) { peers_.push_back(&peer); }
  /// `on_done`: each of them stands, or was refused.
  void begin(std::function<void()> on_done);
  /// One more does, or was.
  void note_one();
  /// Who is not on his way yet is not opened here any more.
  void end() noexcept { begun_ = peers_.size(); }

  /// Null: the kernel chooses.
  [[nodiscard]] const net::SocketAddress* next_source() noexcept;

 private:
  void open_more();

  net::EventLoop& loop_;
  const LoadPlan& plan_;
  std::uint32_t source_;
  std::vector<Peer*> peers_;
  std::function<void()> on_done_;
  std::size_t begun_ = 0;
  std::size_t ended_ = 0;
};

}  // namespace ssx::load
