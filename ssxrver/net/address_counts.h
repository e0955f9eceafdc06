// How many connections each address has, counted exactly over all loops.
//
// Thread: any thread
// Owner:  Admission
// Life:   longer than the connections it counts
// Bounds: an address is kept while it is counted, so there are never more of them than connections
//         (`limits.connections`); the memory of the most there were at once is kept
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ssxrver/base/mutex.h"
#include "ssxrver/net/address_key.h"

namespace ssx::net {

class AddressCounts {
 public:
  /// At most `each_max` for one address.
  AddressCounts(std::uint32_t each_max, std::uint64_t seed) : each_max_(each_max), seed_(seed) {}

  /// One more; false when the address has each_max.
  [[nodiscard]] bool try_add(const AddressKey& key);
  /// One less; it has at least one.
  void remove(const AddressKey& key) noexcept;
  [[nodiscard]] std::uint32_t of(const AddressKey& key) const noexcept;
  /// How many addresses have any.
  [[nodiscard]] std::size_t size() const noexcept;

 private:
  struct Entry {
    AddressKey key;
    std::uint32_t count = 0;  ///< 0: the place is free
  };
  /// Open addressing with linear probing; the number of places is a power of two, or none.
  struct alignas(64) Shard {
    mutable Mutex mutex;
    std::vector<Entry> entries SSX_GUARDED_BY(mutex);
    std::size_t used SSX_GUARDED_BY(mutex) = 0;
  };
  static constexpr std::size_t kShards = 64;
  static constexpr std::size_t kFirstEntries = 16;

  [[nodiscard]] Shard& shard_of(std::uint64_t hash) const noexcept {
    return shards_[hash % kShards];
  }
  static std::size_t start_of(const Shard& shard, std::uint64_t hash) noexcept
      SSX_REQUIRES(shard.mutex);
  static std::size_t place_of(const Shard& shard, const AddressKey& key,
                              std::uint64_t hash) noexcept SSX_REQUIRES(shard.mutex);
  void grow(Shard& shard) const SSX_REQUIRES(shard.mutex);
  void free_place(Shard& shard, std::size_t place) const noexcept SSX_REQUIRES(shard.mutex);

  const std::uint32_t each_max_;
  const std::uint64_t seed_;
  mutable std::array<Shard, kShards> shards_;
};

}  // namespace ssx::net
