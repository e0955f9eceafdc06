// Where the threads that log and the back end meet: the list of rings, who sleeps, who waits.
//
// One object that is never destroyed: a thread may be inside a log call while the logger goes away,
// and may log again when the next one has come. Each open() starts a new generation; a thread
// leaves its ring of an older one at its next line.
//
// Thread: any thread, unless a line says otherwise
// Owner:  the process
// Life:   usable from the first open() to the end of the process
// Bounds: one ring of `ring_size` per thread that logs; a blocked thread looks every kLookAgain
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "ssxrver/base/clock.h"
#include "ssxrver/base/log.h"
#include "ssxrver/base/mutex.h"
#include "ssxrver/log/doorbell.h"
#include "ssxrver/log/options.h"
#include "ssxrver/log/thread_ring.h"

namespace ssx::log {

class RingHub {
 public:
  enum class BackEnd : std::uint8_t {
    kAwake,
    kNapping,  ///< looks by itself soon; a ring that fills up wakes it
    kParked,   ///< every line wakes it
  };

  static constexpr std::chrono::milliseconds kLookAgain{10};
  static constexpr std::chrono::seconds kFatalWait{1};

  static RingHub& instance() noexcept;

  /// From now on lines are taken. `bell` wakes the back end, and must live until close().
  void open(const LogOptions& options, const Doorbell& bell);
  /// No more lines; threads that wait for room give up.
  void close();
  /// What set_backend() wants while this is open.
  [[nodiscard]] static const Backend& backend() noexcept;

  void wake() noexcept;
  /// Waits until the back end has written what was logged before; false when the time is up, or
  /// when something could not be written.
  bool flush(Duration time);

  // The back end's side, one thread.
  void serve_from_this_thread() noexcept;
  [[nodiscard]] RingList& rings() noexcept { return rings_; }
  [[nodiscard]] std::uint32_t generation() const noexcept {
    return generation_.load(std::memory_order_acquire);
  }
  void set_state(BackEnd state) noexcept { state_.store(state, std::memory_order_seq_cst); }
  /// Lines of threads that got no memory for a ring, since this was last asked.
  std::uint64_t take_unplaced() noexcept;
  void announce_room() noexcept;
  [[nodiscard]] std::uint64_t flush_wanted() const noexcept {
    return flush_wanted_.load(std::memory_order_seq_cst);
  }
  void flush_done(std::uint64_t wanted, bool clean);

 private:
  struct Thread;  // what each thread keeps
  struct Guard;   // runs when it ends

  RingHub() = default;
  ~RingHub() = default;

  static Slot reserve(const Site& site, std::uint32_t bytes, RecordFlags flags) noexcept;
  static void commit(const Slot& slot) noexcept;
  static void attach() noexcept;

  ThreadRing* adopt(Thread& thread, std::uint32_t bytes) noexcept;
  Slot wait_for_room(ThreadRing& ring, const Site& site, std::uint32_t bytes,
                     RecordFlags flags) noexcept;
  [[nodiscard]] bool must_commit(const Thread& thread, ThreadRing& ring, const Site& site,
                                 const Slot& slot) const noexcept;

  static RingHub* hub_;  // never null inside a log call: instance() came first
  static thread_local Thread thread_;

  // Read by every line, written by open() and by the back end when it goes to sleep.
  std::atomic<std::uint32_t> generation_{0};  // 0: closed
  std::atomic<BackEnd> state_{BackEnd::kAwake};
  std::atomic<Level> flush_level_{Level::kError};
  std::atomic<Overflow> overflow_{Overflow::kDropNewest};
  std::atomic<std::size_t> ring_size_{0};
  std::atomic<bool> alternate_stacks_{false};

  alignas(64) RingList rings_;
  std::atomic<std::uint64_t> unplaced_{0};
  std::uint64_t unplaced_taken_ = 0;
  std::atomic<std::uint32_t> waiting_{0};
  std::atomic<std::uint64_t> flush_wanted_{0};

  Mutex mutex_;
  const Doorbell* bell_ SSX_GUARDED_BY(mutex_) = nullptr;
  std::uint32_t last_generation_ SSX_GUARDED_BY(mutex_) = 0;
  std::uint64_t flush_done_ SSX_GUARDED_BY(mutex_) = 0;
  bool flush_clean_ SSX_GUARDED_BY(mutex_) = true;
  CondVar room_;
  CondVar flushed_;
};

}  // namespace ssx::log
