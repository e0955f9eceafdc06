#include "ssxrver/net/address_rates.h"

#include <algorithm>
#include <bit>

namespace ssx::net {

AddressRates::AddressRates(const Rate& rate, std::uint64_t seed, std::size_t addresses_max)
    : shape_(rate), seed_(seed), shards_(std::make_unique<Shard[]>(kShards)) {
  if (!shape_.is_limited()) return;
  const std::size_t each =
      std::bit_ceil(std::max((addresses_max + kShards - 1) / kShards, kNeighbours));
  for (std::size_t index = 0; index < kShards; ++index) {
    const MutexLock lock(shards_[index].mutex);
    shards_[index].buckets.resize(each);
  }
}

bool AddressRates::take(const SocketAddress& address, TimePoint now) noexcept {
  if (!shape_.is_limited()) return true;
  const AddressKey key = AddressKey::of(address);
  if (!key.is_ip()) return true;
  const std::uint64_t hash = key.hash(seed_);
  Shard& shard = shard_of(hash);
  const MutexLock lock(shard.mutex);
  return shape_.take(find_or_replace(shard, key, hash, now).full_at, now);
}

Duration AddressRates::retry_after(const SocketAddress& address, TimePoint now) const noexcept {
  const AddressKey key = AddressKey::of(address);
  if (!shape_.is_limited() || !key.is_ip()) return Duration::zero();
  const std::uint64_t hash = key.hash(seed_);
  Shard& shard = shard_of(hash);
  const MutexLock lock(shard.mutex);
  for (const Bucket& bucket : neighbours(shard, hash)) {
    if (bucket.key == key) return shape_.wait(bucket.full_at, now);
  }
  return Duration::zero();
}

std::uint64_t AddressRates::forgotten() const noexcept {
  std::uint64_t sum = 0;
  for (std::size_t index = 0; index < kShards; ++index) {
    const MutexLock lock(shards_[index].mutex);
    sum += shards_[index].forgotten;
  }
  return sum;
}

// The low bits of the hash have chosen the shard.
std::span<AddressRates::Bucket> AddressRates::neighbours(Shard& shard,
                                                         std::uint64_t hash) noexcept {
  const std::size_t group = (hash / kShards) & (shard.buckets.size() / kNeighbours - 1);
  return std::span(shard.buckets).subspan(group * kNeighbours, kNeighbours);
}

AddressRates::Bucket& AddressRates::find_or_replace(Shard& shard, const AddressKey& key,
                                                    std::uint64_t hash, TimePoint now) noexcept {
  const auto group = neighbours(shard, hash);
  for (Bucket& bucket : group) {
    if (bucket.key == key) return bucket;
  }
  Bucket& fullest = *std::ranges::min_element(group, {}, &Bucket::full_at);
  if (fullest.full_at > now) ++shard.forgotten;
  fullest = Bucket{key, now};
  return fullest;
}

}  // namespace ssx::net
