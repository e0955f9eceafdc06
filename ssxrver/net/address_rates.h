// How often each address may do something: a bucket of tokens for each, exact over all loops.
//
// Thread: any thread; a look-up takes one of kShards locks for some nanoseconds
// Owner:  whoever limits a rate
// Life:   any
// Bounds: addresses_max buckets in a fixed table. A new address takes the place of the one whose
//         bucket is fullest among its few neighbours. A full bucket says no more than no bucket;
//         one that was not full is forgotten, and counted (forgotten())
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ssxrver/base/clock.h"
#include "ssxrver/base/mutex.h"
#include "ssxrver/net/address_key.h"
#include "ssxrver/net/rate.h"

namespace ssx::net {

class AddressRates {
 public:
  static constexpr std::size_t kAddressesMax = 65536;

  /// `seed`: AddressKey::hash.
  AddressRates(const Rate& rate, std::uint64_t seed, std::size_t addresses_max = kAddressesMax);

  /// Takes a token of this address. A unix socket has none, and no limit.
  [[nodiscard]] bool take(const SocketAddress& address, TimePoint now) noexcept;
  /// How long until take() would succeed; zero when it would now.
  [[nodiscard]] Duration retry_after(const SocketAddress& address, TimePoint now) const noexcept;
  /// Buckets that were given up before they were full.
  [[nodiscard]] std::uint64_t forgotten() const noexcept;

 private:
  struct Bucket {
    AddressKey key;
    TimePoint full_at{};
  };
  static constexpr std::size_t kNeighbours = 8;
  static constexpr std::size_t kShards = 64;
  struct alignas(64) Shard {
    mutable Mutex mutex;
    std::vector<Bucket> buckets SSX_GUARDED_BY(mutex);  ///< groups of kNeighbours
    std::uint64_t forgotten SSX_GUARDED_BY(mutex) = 0;
  };

  [[nodiscard]] Shard& shard_of(std::uint64_t hash) const noexcept {
    return shards_[hash % kShards];
  }
  [[nodiscard]] static std::span<Bucket> neighbours(Shard& shard, std::uint64_t hash) noexcept
      SSX_REQUIRES(shard.mutex);
  [[nodiscard]] static Bucket& find_or_replace(Shard& shard, const AddressKey& key,
                                               std::uint64_t hash, TimePoint now) noexcept
      SSX_REQUIRES(shard.mutex);

  const TokenBucket shape_;
  const std::uint64_t seed_;
  const std::unique_ptr<Shard[]> shards_;
};

}  // namespace ssx::net
