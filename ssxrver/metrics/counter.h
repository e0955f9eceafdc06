// Counter, Gauge, Histogram: numbers that one thread writes and any thread reads.
//
// Thread: one writer (the worker that owns the block), many readers
// Owner:  the struct they are members of, one per worker; give that struct alignas(64)
// Life:   that of the block; Registry folds a block that ends into its totals
// Bounds: 8 bytes each; a Histogram has at most kBucketsMax buckets
//
// With one writer an increment needs no locked instruction: a relaxed load, an add and a relaxed
// store are three plain moves. A reader may see a value that is a moment old, never a torn one.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "ssxrver/base/assert.h"

namespace ssx::metrics {

/// Only grows.
class Counter {
 public:
  void add(std::uint64_t amount = 1) noexcept {
    value_.store(value_.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t value() const noexcept {
    return value_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> value_{0};
};

/// Goes up and down: what is there now.
class Gauge {
 public:
  void add(std::int64_t amount = 1) noexcept { set(value() + amount); }
  void sub(std::int64_t amount = 1) noexcept { set(value() - amount); }
  void set(std::int64_t value) noexcept { value_.store(value, std::memory_order_relaxed); }
  [[nodiscard]] std::int64_t value() const noexcept {
    return value_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<std::int64_t> value_{0};
};

/// The upper bounds (inclusive, rising) of a histogram's buckets; one more, +Inf, follows them.
struct Buckets {
  std::span<const std::uint64_t> upper;  ///< must live for ever: a constexpr array
  double per_unit = 1;                   ///< 1e9 when nanoseconds are observed and seconds shown
};

namespace internal {
inline constexpr std::array<std::uint64_t, 16> kLatencyBounds = {
    50'000,      100'000,       250'000,       500'000,       1'000'000,   2'500'000,
    5'000'000,   10'000'000,    25'000'000,    50'000'000,    100'000'000, 250'000'000,
    500'000'000, 1'000'000'000, 2'500'000'000, 10'000'000'000};
inline constexpr std::array<std::uint64_t, 12> kSizeBounds = {
    64,      256,       1'024,     4'096,      16'384,     65'536,
    262'144, 1'048'576, 4'194'304, 16'777'216, 67'108'864, 268'435'456};
}  // namespace internal

/// 50 us .. 10 s, observed in nanoseconds, shown in seconds.
inline constexpr Buckets kLatencyBuckets{internal::kLatencyBounds, 1e9};
/// 64 B .. 256 MiB.
inline constexpr Buckets kSizeBuckets{internal::kSizeBounds, 1};

class Histogram {
 public:
  static constexpr std::size_t kBucketsMax = 24;

  explicit Histogram(Buckets buckets) noexcept : buckets_(buckets) {
    SSX_ASSERT(buckets.upper.size() <= kBucketsMax, buckets.upper.size());
    for (std::size_t i = 1; i < buckets.upper.size(); ++i) {
      SSX_ASSERT(buckets.upper[i - 1] < buckets.upper[i], i);
    }
  }

  void observe(std::uint64_t value) noexcept {
    std::size_t index = 0;
    while (index < buckets_.upper.size() && value > buckets_.upper[index]) ++index;
    counts_[index].add();
    sum_.add(value);
  }

  [[nodiscard]] const Buckets& buckets() const noexcept { return buckets_; }
  /// What fell into one bucket alone (not cumulative); index buckets().upper.size() is +Inf.
  [[nodiscard]] std::uint64_t count(std::size_t index) const noexcept {
    SSX_ASSERT(index <= buckets_.upper.size(), index);
    return counts_[index].value();
  }
  [[nodiscard]] std::uint64_t sum() const noexcept { return sum_.value(); }

 private:
  Buckets buckets_;
  std::array<Counter, kBucketsMax + 1> counts_;
  Counter sum_;
};

}  // namespace ssx::metrics
