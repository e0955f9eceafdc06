// A timer of a plugin's. (i)
//
// Thread: one loop, that on which it was started
// Owner:  itself: it goes when it has fired for the last time, was cancelled, or its loop is left
//         or ends
// Life:   from start() to the release of its state
// Bounds: one timer of the loop; a period that was missed is skipped
#pragma once

#include <cstdint>

#include "ssxrver/base/clock.h"
#include "ssxrver/base/intrusive_list.h"
#include "ssxrver/net/event_loop.h"
#include "ssxrver/plugin/abi.h"
#include "ssxrver/plugin/host/carried_call.h"

struct ssxrver_timer final : private ssx::net::LoopEnd,
                             public ssx::ListHook<ssx::plugins::InstanceTimers> {
 public:
  /// WRONG_THREAD where there is no loop of a worker. `interval` 0: once.
  static std::int32_t start(ssx::plugins::CarriedCall call, ssx::Duration delay,
                            ssx::Duration interval, ssxrver_timer** out);
  /// From inside of its own function, too.
  void cancel() noexcept;

 private:
  ssxrver_timer(ssx::plugins::CarriedCall call, ssx::net::EventLoop& loop, ssx::TimePoint due,
                ssx::Duration interval) noexcept;
  ~ssxrver_timer() = default;

  void on_loop_end() override;
  void arm();
  void fire();

  ssx::plugins::CarriedCall call_;
  ssx::net::EventLoop& loop_;
  ssx::TimePoint due_;
  const ssx::Duration interval_;
  ssx::net::TimerId timer_;
  bool firing_ = false;
  bool over_ = false;
};
