#include "http/middleware/encoder_pool.h"

#include <algorithm>

namespace ssx::http {

Result<compress::Encoder> EncoderPool::take(std::uint32_t worker, compress::Coding coding) {
  if (worker >= kWorkersMax || workers_[worker].in_use >= options_.in_use_max)
    return fail(compress::Errc::kUnavailable, "EncoderPool");
  Worker& its = workers_[worker];
  const auto found =
      std::find_if(its.spare.begin(), its.spare.end(),
                   [coding](const auto& encoder) { return encoder.coding() == coding; });
  if (found == its.spare.end()) {
    SSX_TRY(auto made, compress::Encoder::create({.coding = coding, .level = options_.level}));
    ++its.in_use;
    return made;
  }
  compress::Encoder encoder = std::move(*found);
  *found = std::move(its.spare.back());
  its.spare.pop_back();
  SSX_TRY_VOID(encoder.reset());
  ++its.in_use;
  return encoder;
}

void EncoderPool::give_back(std::uint32_t worker, compress::Encoder encoder) noexcept {
  Worker& its = workers_[worker];
  --its.in_use;
  if (its.memory != nullptr && its.memory->is_out()) return its.dropped->add();
  const auto same = std::count_if(its.spare.begin(), its.spare.end(), [&encoder](const auto& one) {
    return one.coding() == encoder.coding();
  });
  if (static_cast<std::size_t>(same) < kSpareMax) its.spare.push_back(std::move(encoder));
}

void EncoderPool::watch(std::uint32_t worker, const SpareMemory& memory,
                        metrics::Counter& dropped) noexcept {
  workers_[worker].memory = &memory;
  workers_[worker].dropped = &dropped;
}

void EncoderPool::drop_spare(std::uint32_t worker) noexcept {
  Worker& its = workers_[worker];
  its.dropped->add(its.spare.size());
  std::vector<compress::Encoder>().swap(its.spare);
}

Result<BorrowedEncoder> BorrowedEncoder::take(EncoderPool& pool, std::uint32_t worker,
                                              compress::Coding coding) {
  SSX_TRY(auto encoder, pool.take(worker, coding));
  return BorrowedEncoder(pool, worker, std::move(encoder));
}

}  // namespace ssx::http
