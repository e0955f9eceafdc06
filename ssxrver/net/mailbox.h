// Work that other threads hand to a loop: a queue, and an eventfd that is written only when the
// loop may be asleep. (i)
//
// Thread: post() any thread; the rest loop-only
// Owner:  EventLoop, and the LoopHandles that may outlive it
// Life:   that of the loop or its last handle; what is posted after close() is dropped and counted
// Bounds: drain() runs at most `budget` functions; finish() what was posted before it
#pragma once

#include <atomic>
#include <cstdint>

#include "ssxrver/base/mpsc_queue.h"
#include "ssxrver/base/result.h"
#include "ssxrver/base/unique_function.h"
#include "ssxrver/net/channel.h"
#include "ssxrver/sys/unique_fd.h"

namespace ssx::net {

class Mailbox final : public Channel {
 public:
  using Function = UniqueFunction<void()>;

  explicit Mailbox(sys::UniqueFd eventfd) noexcept;
  ~Mailbox();

  /// False once the mailbox is closed: the function was dropped.
  bool post(Function function);
  /// Makes the loop turn once more.
  void wake() noexcept;
  /// Runs what was posted. True when more is left than the budget allowed.
  bool drain(std::size_t budget);
  /// Nothing is taken any more; drain() still runs what is inside.
  void close() noexcept { gate_.fetch_or(kClosed, std::memory_order_acq_rel); }
  /// Closes, and runs every function whose post() has returned or will return true.
  void finish();

  /// Destroys what is inside without running it. After close().
  void discard() noexcept;

  [[nodiscard]] std::uint64_t dropped() const noexcept {
    return dropped_.load(std::memory_order_relaxed);
  }

  void on_ready(Readiness ready) override;
  [[nodiscard]] const char* label() const noexcept override { return "posted function"; }

 private:
  static constexpr std::uint32_t kClosed = 1;
  static constexpr std::uint32_t kPosting = 2;  ///< one thread inside post()

  sys::UniqueFd eventfd_;
  MpscQueue<Function> queue_;
  alignas(64) std::atomic<bool> signalled_{false};
  std::atomic<std::uint32_t> gate_{0};  ///< kClosed, and how many stand in post()
  std::atomic<std::uint64_t> dropped_{0};
};

}  // namespace ssx::net
