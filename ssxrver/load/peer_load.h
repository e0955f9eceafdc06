// The connections of one thread, each busy with one batch of requests after the other.
//
// Thread: its loop
// Owner:  the Crew
// Life:   that of Load
// Bounds: plan.connections / plan.threads connections; those of Opening
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "ssxrver/load/load.h"
#include "ssxrver/load/load_plan.h"
#include "ssxrver/load/opening.h"
#include "ssxrver/load/pace.h"
#include "ssxrver/load/peer.h"
#include "ssxrver/net/event_loop.h"

namespace ssx::load {

class PeerLoad final : public Load, private Peer::Events {
 public:
  /// The `index`th of plan.threads.
  PeerLoad(net::EventLoop& loop, const LoadPlan& plan, MakePeer make_peer, std::uint32_t index);
  ~PeerLoad() override;

  void open() override;
  void start() override;
  void measure() override;
  void finish() override;

 private:
  enum class Phase : std::uint8_t { kOpening, kRunning, kFinished };

  void on_open(Peer& peer) override;
  void on_answer(Peer& peer, bool is_good, TimePoint now) override;
  void on_bytes_in(std::uint64_t count) override { tally_.bytes_in += count; }
  void on_bytes_out(std::uint64_t count) override { tally_.bytes_out += count; }
  void on_free(Peer& peer, TimePoint now) override;
  void on_refused(int error) override { tally_.note_refusal(error); }
  void on_failed(Peer& peer, Failure failure, std::uint32_t lost, bool stood) override;

  /// Of requests that have no answer.
  void note_wait(std::uint64_t requests, Duration waited);
  void begin_due();
  void wait_for_due();
  void look_at_times();

  net::EventLoop& loop_;
  const LoadPlan& plan_;
  const std::uint32_t index_;
  const MakePeer make_peer_;
  std::vector<std::unique_ptr<Peer>> peers_;
  /// At a constant rate, those that wait for a request: who has waited longest gets the next one.
  std::deque<Peer*> idle_;
  Opening opening_;
  Pace pace_;
  Phase phase_ = Phase::kOpening;
  bool is_waiting_ = false;
};

}  // namespace ssx::load
