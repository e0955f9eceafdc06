// Encoders that wait for the next body, so that a body costs no new tables. (i)
//
// Thread: each worker has a part of its own, loop-only
// Owner:  the compression middleware
// Life:   that of the middleware, which outlives what is under way
// Bounds: `in_use_max` encoders at work per worker, kUnavailable beyond; kSpareMax of each coding
//         wait, and none while the worker's SpareMemory is out; workers from kWorkersMax on have
//         none
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "http/spare_memory.h"
#include "ssxrver/base/result.h"
#include "ssxrver/compress/encoder.h"
#include "ssxrver/metrics/counter.h"

namespace ssx::http {

class EncoderPool {
 public:
  static constexpr std::size_t kSpareMax = 4;
  static constexpr std::size_t kWorkersMax = 1024;

  struct Options {
    int level = 5;
    std::size_t in_use_max = 64;
  };
  explicit EncoderPool(const Options& options) noexcept : options_(options) {}

  /// Both outlive the worker's encoders; `dropped` counts those that are freed.
  void watch(std::uint32_t worker, const SpareMemory& memory, metrics::Counter& dropped) noexcept;
  /// Frees those of the worker that wait. After watch().
  void drop_spare(std::uint32_t worker) noexcept;

  [[nodiscard]] std::size_t in_use(std::uint32_t worker) const noexcept {
    return workers_[worker].in_use;
  }
  [[nodiscard]] std::size_t spare(std::uint32_t worker) const noexcept {
    return workers_[worker].spare.size();
  }

 private:
  friend class BorrowedEncoder;

  struct alignas(64) Worker {
    std::vector<compress::Encoder> spare;
    std::size_t in_use = 0;
    const SpareMemory* memory = nullptr;
    metrics::Counter* dropped = nullptr;
  };

  [[nodiscard]] Result<compress::Encoder> take(std::uint32_t worker, compress::Coding coding);
  void give_back(std::uint32_t worker, compress::Encoder encoder) noexcept;

  const Options options_;
  std::array<Worker, kWorkersMax> workers_;
};

/// An encoder of the pool, at the beginning of a stream. It goes back at the end of this object,
/// whatever became of the stream.
class BorrowedEncoder {
 public:
  static Result<BorrowedEncoder> take(EncoderPool& pool, std::uint32_t worker,
                                      compress::Coding coding);
  BorrowedEncoder(BorrowedEncoder&& other) noexcept
      : pool_(std::exchange(other.pool_, nullptr)),
        worker_(other.worker_),
        encoder_(std::move(other.encoder_)) {}
  BorrowedEncoder& operator=(BorrowedEncoder&&) = delete;
  ~BorrowedEncoder() {
    if (pool_ != nullptr) pool_->give_back(worker_, std::move(encoder_));
  }
  [[nodiscard]] compress::Encoder* operator->() noexcept { return &encoder_; }

 private:
  BorrowedEncoder(EncoderPool& pool, std::uint32_t worker, compress::Encoder encoder) noexcept
      : pool_(&pool), worker_(worker), encoder_(std::move(encoder)) {}

  EncoderPool* pool_;  ///< null once moved from
  std::uint32_t worker_;
  compress::Encoder encoder_;
};

}  // namespace ssx::http
