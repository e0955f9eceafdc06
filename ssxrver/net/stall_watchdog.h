// Ends the process when a loop hangs, so that whoever supervises it starts it again.
//
// The stall warning is written when a long turn ends; a turn that does not end can only be seen
// from outside. One thread looks at every loop ten times per limit. When a turn has lasted too
// long it writes a FATAL line and sends SIGABRT to the thread that hangs, so that the last lines
// are saved (ssxrver/log), and the core shows where that thread was. Whatever else hangs, the log's
// disk for example: kLastWords later the process ends all the same.
//
// Thread: start() and the destructor one thread
// Owner:  TcpServer, for its workers and the main loop; or whoever runs loops of their own
// Life:   no longer than the loops that it watches
// Bounds: one thread; `loop.stall_kill`; looks 1 ms .. 1 s apart
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ssxrver/base/clock.h"
#include "ssxrver/base/mutex.h"
#include "ssxrver/base/result.h"
#include "ssxrver/base/thread.h"
#include "ssxrver/net/event_loop.h"
#include "ssxrver/net/stall_judge.h"

namespace ssx::net {

class StallWatchdog {
 public:
  static constexpr Duration kLastWords = std::chrono::seconds(3);

  struct Watched {
    const EventLoop* loop;
    std::string name;  ///< for the line, such as "worker-0"
  };

  /// `limit` is above 0. The loops have clocks of the system.
  static Result<std::unique_ptr<StallWatchdog>> start(Duration limit, std::vector<Watched> loops);
  StallWatchdog(const StallWatchdog&) = delete;
  StallWatchdog& operator=(const StallWatchdog&) = delete;
  ~StallWatchdog();

  /// How often it looks.
  [[nodiscard]] static Duration interval_of(Duration limit) noexcept;

 private:
  struct Seen {
    Watched watched;
    StallJudge judge;
  };

  StallWatchdog(Duration limit, std::vector<Watched> loops);
  void watch();
  void look() SSX_REQUIRES(mutex_);
  [[noreturn]] void end_process(const Watched& watched, Duration lasted) SSX_REQUIRES(mutex_);

  const Duration limit_;
  std::vector<Seen> loops_;  ///< the thread's, once it runs

  Mutex mutex_;
  CondVar stopped_;
  bool stopping_ SSX_GUARDED_BY(mutex_) = false;

  Thread thread_;
};

}  // namespace ssx::net
