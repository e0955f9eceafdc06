// The thread that turns records into lines: it collects from all rings, oldest record first, into
// buffers, and formats the buffers into the output.
//
//   thread rings ──collect──► front buffer ─► filled buffers ─► format ─► console, file, line files
//
// When little comes it naps for a few milliseconds; after a while without a line it parks, and the
// next line wakes it. So a busy server pays no system call per line, and an idle one no wake-ups.
//
// Thread: start, stop, reopen, stats: any thread; the rest is its own
// Owner:  the Logger
// Life:   from start() to stop(), which writes out everything that was logged before
// Bounds: `buffers`, and what Overflow says; flush() at the latest `flush_second` after a line
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "ssxrver/base/clock.h"
#include "ssxrver/base/result.h"
#include "ssxrver/base/thread.h"
#include "ssxrver/log/buffer_queue.h"
#include "ssxrver/log/crash.h"
#include "ssxrver/log/doorbell.h"
#include "ssxrver/log/options.h"
#include "ssxrver/log/output.h"
#include "ssxrver/log/ring_hub.h"
#include "ssxrver/log/tick_clock.h"

namespace ssx::log {

class AsyncBackend {
 public:
  /// Takes lines from RingHub from now on. `output` is this thread's own until stop().
  static Result<std::unique_ptr<AsyncBackend>> start(const LogOptions& options, Output& output,
                                                     const Clock& clock);
  ~AsyncBackend();
  AsyncBackend(const AsyncBackend&) = delete;
  AsyncBackend& operator=(const AsyncBackend&) = delete;

  void reopen();

  /// Lines that were dropped before they reached the output.
  [[nodiscard]] std::uint64_t lost() const noexcept {
    return lost_.load(std::memory_order_relaxed);
  }

 private:
  struct Cursor {
    std::uint64_t stamp;
    ThreadRing* ring;
  };

  AsyncBackend(const LogOptions& options, Output& output, const Clock& clock, Doorbell bell,
               Doorbell crash_done);
  Result<void> launch();
  void stop();

  void run();
  void serve_requests();
  void finish();
  std::size_t turn();
  void rest();
  bool doze(RingHub::BackEnd state, std::chrono::milliseconds time);

  bool collect(std::uint64_t cutoff);
  void look_at_rings(std::uint64_t cutoff);
  bool take(const RecordHeader& record);
  std::size_t write_some();
  void drain();
  void flush_if_due();
  void report_lost(bool now);
  void serve_crash();
  static void write_raw(void* self) noexcept;

  const LogOptions options_;
  Output& output_;
  const Clock& clock_;
  const Doorbell bell_;
  const Doorbell crash_done_;
  std::atomic<bool> stopping_{false};
  std::atomic<bool> reopen_{false};
  std::atomic<std::uint64_t> lost_{0};
  std::atomic<int> thread_id_{0};

  // The thread's own.
  BufferQueue buffers_;
  TickClock ticks_;
  std::vector<Cursor> cursors_;  // a heap, the oldest record on top
  unsigned idle_turns_ = 0;
  bool flush_now_ = false;
  std::optional<TimePoint> flush_at_;
  std::uint64_t flush_served_ = 0;
  std::uint64_t lost_reported_ = 0;
  TimePoint report_lost_after_;
  bool crash_served_ = false;

  CrashHooks crash_hooks_{};
  std::atomic<bool> handles_crashes_{false};
  Thread thread_;
};

}  // namespace ssx::log
