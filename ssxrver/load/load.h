// What one thread of a benchmark does: its connections, from the first to the end of measuring.
//
// Thread: its loop, but for what says so
// Owner:  the Crew
// Life:   open() .. is_open() .. start() and measure(), in either order .. finish(); longer than
//         its loop runs
// Bounds: that of its plan
#pragma once

#include <atomic>
#include <cstdint>

#include "ssxrver/load/tally.h"

namespace ssx::load {

class Load {
 public:
  Load() = default;
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;
  virtual ~Load() = default;

  /// Begins to connect.
  virtual void open() = 0;
  /// The first requests.
  virtual void start() = 0;
  /// From here on it counts.
  virtual void measure() = 0;
  /// Up to here: the tally stays as it is. Closes everything.
  virtual void finish() = 0;

  /// Any thread: every connection stands, or was refused.
  [[nodiscard]] bool is_open() const noexcept { return open_.load(std::memory_order_acquire); }
  /// Any thread: connections that have come about so far, and answers, for whoever watches.
  [[nodiscard]] std::uint64_t connected() const noexcept {
    return connected_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t answered() const noexcept {
    return answered_.load(std::memory_order_relaxed);
  }
  /// Behind finish().
  [[nodiscard]] const Tally& tally() const noexcept { return tally_; }

 protected:
  void set_open() noexcept { open_.store(true, std::memory_order_release); }
  void count_connect() noexcept { count_one(connected_); }
  void count_answer() noexcept { count_one(answered_); }
  Tally tally_;

 private:
  static void count_one(std::atomic<std::uint64_t>& counter) noexcept {  // by its loop alone
    counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  std::atomic<bool> open_{false};
  std::atomic<std::uint64_t> connected_{0};
  std::atomic<std::uint64_t> answered_{0};
};

}  // namespace ssx::load
