// Takes new connections off one listener, in batches, and hands them on. (i)
//
// Thread: loop-only
// Owner:  TcpServer (accept thread) or Worker (reuseport, exclusive)
// Life:   start() .. stop(); must be destroyed on its loop, or after the loop has ended
// Bounds: `batch` connections per wake-up; out of places, descriptors or memory it rests for kRest;
//         stop() takes at most kBacklogMax
#pragma once

#include <cstddef>
#include <memory>

#include "ssxrver/base/unique_function.h"
#include "ssxrver/net/channel.h"
#include "ssxrver/net/counters.h"
#include "ssxrver/net/event_loop.h"
#include "ssxrver/net/ip_block_list.h"
#include "ssxrver/net/net_stack.h"

namespace ssx::net {

class Acceptor final : private Channel {
 public:
  static constexpr Duration kRest = std::chrono::milliseconds(100);
  static constexpr std::size_t kBacklogMax = 65535;

  struct Hooks {
    /// Takes a place for one more. False: full; what then happens is `overload`'s choice.
    UniqueFunction<bool()> reserve;
    /// Nobody came for the place.
    UniqueFunction<void()> release;
    UniqueFunction<void(Accepted)> take;
    /// After the last take() of a wake-up.
    UniqueFunction<void()> batch_done;
  };

  struct Options {
    std::size_t batch = 64;
    bool exclusive = false;  ///< the listener is in the pollers of several loops
    OverloadAction overload = OverloadAction::kPause;
  };

  /// `listener` and `blocked` must outlive the acceptor.
  Acceptor(EventLoop& loop, Listener& listener, const Options& options, const IpBlockList& blocked,
           AcceptCounters& counters, Hooks hooks);
  ~Acceptor();

  Result<void> start();
  /// Takes what waits in the backlog, then nothing more.
  void stop();
  [[nodiscard]] bool is_resting() const noexcept { return resting_; }
  [[nodiscard]] const Listener& listener() const noexcept { return listener_; }

 private:
  enum class Outcome { kTaken, kRefused, kEmpty, kRest };

  void on_ready(Readiness ready) override;
  [[nodiscard]] const char* label() const noexcept override { return "accept"; }
  std::size_t accept_batch();
  Outcome accept_one(bool has_place);
  Outcome note_trouble(const Error& error);
  void rest();
  void resume();

  EventLoop& loop_;
  Listener& listener_;
  const Options options_;
  const Readiness interest_;
  const IpBlockList& blocked_;
  AcceptCounters& counters_;
  Hooks hooks_;
  TimerId rest_timer_;
  bool resting_ = false;
};

}  // namespace ssx::net
