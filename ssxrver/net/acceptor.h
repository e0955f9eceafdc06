// Takes new connections off one listener, in batches, and hands them on. (i)
//
// Thread: loop-only
// Owner:  TcpServer (accept thread) or Worker (reuseport, exclusive)
// Life:   start() .. stop(); must be destroyed on its loop, or after the loop has ended
// Bounds: `batch` connections per wake-up; out of places, descriptors or memory it rests for kRest;
//         stop() takes at most kBacklogMax
//
// A place is taken for somebody who is there. So a worker that looks for the next client, and finds
// none, never holds a place that another worker's client could have had. With kPause a look whether
// there is a place comes first; when another worker is faster then, the client waits here.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "ssxrver/base/unique_function.h"
#include "ssxrver/net/admission.h"
#include "ssxrver/net/channel.h"
#include "ssxrver/net/counters.h"
#include "ssxrver/net/event_loop.h"
#include "ssxrver/net/net_stack.h"
#include "ssxrver/net/overload.h"

namespace ssx::net {

class Acceptor final : private Channel {
 public:
  static constexpr Duration kRest = std::chrono::milliseconds(100);
  static constexpr std::size_t kBacklogMax = 65535;

  struct Hooks {
    /// There is no place; with kPause asked before anybody is accepted.
    UniqueFunction<bool()> is_full;
    /// Takes a place for one more. False: full; what then happens is `overload`'s choice.
    UniqueFunction<bool()> reserve;
    UniqueFunction<void(Accepted)> take;
    /// After the last take() of a wake-up.
    UniqueFunction<void()> batch_done;
  };

  struct Options {
    std::size_t batch = 64;
    bool exclusive = false;  ///< the listener is in the pollers of several loops
    /// Those who handle what is accepted may share the core: they go first, and the batch grows.
    bool yields = false;
    OverloadAction overload = OverloadAction::kPause;
    ProxyMode proxy = ProxyMode::kOff;
    const Overload* memory = nullptr;  ///< at OverloadLevel::kStop it rests; null: never
  };

  /// `listener` and `admission` must outlive the acceptor.
  Acceptor(EventLoop& loop, Listener& listener, const Options& options, Admission& admission,
           AcceptCounters& counters, Hooks hooks);
  ~Acceptor();

  Result<void> start();
  /// Takes what waits in the backlog, then nothing more.
  void stop();
  [[nodiscard]] bool is_resting() const noexcept { return resting_; }
  [[nodiscard]] const Listener& listener() const noexcept { return listener_; }

 private:
  enum class Outcome { kTaken, kRefused, kEmpty, kRest };

  [[nodiscard]] bool pauses() const noexcept { return options_.overload == OverloadAction::kPause; }

  void on_ready(Readiness ready) override;
  [[nodiscard]] const char* label() const noexcept override { return "accept"; }
  std::size_t accept_batch();
  Outcome accept_one();
  Outcome admit(Accepted accepted);
  void turn_away(Accepted accepted);
  Outcome note_trouble(const Error& error);
  void rest();
  void resume();

  EventLoop& loop_;
  Listener& listener_;
  const Options options_;
  const Readiness interest_;
  Admission& admission_;
  AcceptCounters& counters_;
  Hooks hooks_;
  bool is_stopping_ = false;
  std::optional<Accepted> waiting_;  ///< accepted for a place that another worker took
  TimerId rest_timer_;
  bool resting_ = false;
};

}  // namespace ssx::net
