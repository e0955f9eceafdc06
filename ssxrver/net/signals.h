// Signals as events of a loop, through signalfd.
//
// Thread: loop-only; create() before any other thread starts, so that all of them block the
//         signals
// Owner:  App::run() or the daemon
// Life:   from create() until destroyed; the signals stay blocked
// Bounds: one callback per signal number and turn: equal signals that come together are one
#pragma once

#include <csignal>
#include <initializer_list>
#include <memory>

#include "ssxrver/base/result.h"
#include "ssxrver/base/unique_function.h"
#include "ssxrver/net/channel.h"
#include "ssxrver/net/event_loop.h"
#include "ssxrver/sys/unique_fd.h"

namespace ssx::net {

class SignalWatcher final : private Channel {
 public:
  /// `value`: of sys::queue_signal(), else 0.
  using Callback = UniqueFunction<void(int signal, int value)>;

  /// Blocks `signals` in this thread and calls back on the loop when one arrives. SIGPIPE is
  /// ignored.
  static Result<std::unique_ptr<SignalWatcher>> create(EventLoop& loop,
                                                       std::initializer_list<int> signals,
                                                       Callback callback);
  ~SignalWatcher();

 private:
  SignalWatcher(EventLoop& loop, sys::UniqueFd signalfd, Callback callback);
  void on_ready(Readiness) override;
  [[nodiscard]] const char* label() const noexcept override { return "signal"; }

  EventLoop& loop_;
  const sys::UniqueFd signalfd_;
  Callback callback_;
};

}  // namespace ssx::net
