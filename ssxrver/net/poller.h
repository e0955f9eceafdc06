// SEAM: who tells a loop which descriptors are ready. Today epoll; the tests have one in memory.
//
// Thread: loop-only
// Owner:  EventLoop
// Life:   that of the loop
// Bounds: wait() returns at most LoopOptions::max_events
//
// Readiness is level-triggered: what is ready and wanted is reported in every turn. With kEdge it
// is reported once, and again when more comes; what is there already when add() or modify() is
// called is reported too. kBeyond is reported beside it for what ends a read before all is read
// (urgent bytes) or stands behind the last byte (an end).
#pragma once

#include <span>

#include "ssxrver/base/result.h"
#include "ssxrver/net/channel.h"

namespace ssx::net {

class Poller {
 public:
  struct Event {
    Channel* channel;
    Readiness ready;
  };

  virtual ~Poller() = default;
  virtual Result<void> add(Channel& channel, Readiness interest) = 0;
  virtual Result<void> modify(Channel& channel, Readiness interest) = 0;
  /// The channel's descriptor is still open. (Closing a descriptor removes it by itself.)
  virtual void remove(Channel& channel) = 0;
  /// Waits for something to be ready, for ever or not at all. The events are the loop's to change,
  /// until the next call.
  virtual std::span<Event> wait(bool may_block) = 0;
};

}  // namespace ssx::net
