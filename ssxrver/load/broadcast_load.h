// A publisher and its audience: what one WebSocket sends comes back on all the others.
//
// Thread: its loop
// Owner:  the Crew
// Life:   that of Load
// Bounds: plan.connections in the audience, and the publisher; those of Opening
//
// A request is a message that one of the audience is to be sent: a thousand of them make a thousand
// of each publication. Who is lost, or could not come, comes again, and is sent what is published
// from then on; each time that it could not counts as a request that has failed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "ssxrver/load/load.h"
#include "ssxrver/load/opening.h"
#include "ssxrver/load/pace.h"
#include "ssxrver/load/ws_peer.h"
#include "ssxrver/load/ws_plan.h"
#include "ssxrver/net/event_loop.h"

namespace ssx::load {

class BroadcastLoad final : public Load {
 public:
  /// Requires that plan.answer is kAll and plan.threads 1.
  BroadcastLoad(net::EventLoop& loop, const WsPlan& plan);
  ~BroadcastLoad() override;

  void open() override;
  void start() override;
  void measure() override;
  void finish() override;

 private:
  class Member;
  enum class Phase : std::uint8_t { kOpening, kRunning, kFinished };
  struct Publication {
    TimePoint since;  ///< intended
    TimePoint begun;
    std::size_t awaited;  ///< of the audience
  };

  void note_open();
  void note_refused(int error) { tally_.note_refusal(error); }
  void note_message(std::uint64_t number, TimePoint now);
  void note_lost(std::uint64_t number, Failure failure);
  /// `stood`: until now; else it was on its way.
  void note_failed(Member& member, Failure failure, bool stood);
  /// Of a message that has not come.
  void note_wait(std::uint64_t number, TimePoint now);
  void go_on();
  /// All that are due; without a rate, one when those before have come everywhere.
  void publish();
  void publish_at(TimePoint when);
  void publish_one(TimePoint since, TimePoint now);
  void look_at_times();
  template <class F>
  void for_each_member(F function);

  net::EventLoop& loop_;
  const WsPlan& plan_;
  WsScratch scratch_;
  std::unique_ptr<Member> publisher_;
  std::vector<std::unique_ptr<Member>> audience_;
  Opening opening_;
  Pace pace_;
  Phase phase_ = Phase::kOpening;
  bool is_waiting_ = false;
  std::uint64_t oldest_ = 0;  ///< the number of under_way_.front()
  std::deque<Publication> under_way_;
};

}  // namespace ssx::load
