#include "ssxrver/net/address_counts.h"

#include <algorithm>
#include <utility>

#include "ssxrver/base/assert.h"

namespace ssx::net {

// The low bits of the hash have chosen the shard.
std::size_t AddressCounts::start_of(const Shard& shard, std::uint64_t hash) noexcept {
  return (hash / kShards) & (shard.entries.size() - 1);
}

// Where the key is, or the free place where it would be put. There is one: grow() sees to it.
std::size_t AddressCounts::place_of(const Shard& shard, const AddressKey& key,
                                    std::uint64_t hash) noexcept {
  const std::size_t mask = shard.entries.size() - 1;
  std::size_t place = start_of(shard, hash);
  while (shard.entries[place].count != 0 && !(shard.entries[place].key == key)) {
    place = (place + 1) & mask;
  }
  return place;
}

bool AddressCounts::try_add(const AddressKey& key) {
  const std::uint64_t hash = key.hash(seed_);
  Shard& shard = shard_of(hash);
  const MutexLock lock(shard.mutex);
  if ((shard.used + 1) * 4 > shard.entries.size() * 3) grow(shard);
  Entry& entry = shard.entries[place_of(shard, key, hash)];
  if (entry.count >= each_max_) return false;
  if (entry.count++ == 0) {
    entry.key = key;
    ++shard.used;
  }
  return true;
}

void AddressCounts::remove(const AddressKey& key) noexcept {
  const std::uint64_t hash = key.hash(seed_);
  Shard& shard = shard_of(hash);
  const MutexLock lock(shard.mutex);
  SSX_ASSERT(!shard.entries.empty());
  const std::size_t place = place_of(shard, key, hash);
  SSX_ASSERT(shard.entries[place].count > 0);
  if (--shard.entries[place].count == 0) free_place(shard, place);
}

std::uint32_t AddressCounts::of(const AddressKey& key) const noexcept {
  const std::uint64_t hash = key.hash(seed_);
  const Shard& shard = shard_of(hash);
  const MutexLock lock(shard.mutex);
  return shard.entries.empty() ? 0 : shard.entries[place_of(shard, key, hash)].count;
}

std::size_t AddressCounts::size() const noexcept {
  std::size_t sum = 0;
  for (const Shard& shard : shards_) {
    const MutexLock lock(shard.mutex);
    sum += shard.used;
  }
  return sum;
}

void AddressCounts::grow(Shard& shard) const {
  const std::size_t size = std::max(kFirstEntries, shard.entries.size() * 2);
  const auto before = std::exchange(shard.entries, std::vector<Entry>(size));
  for (const Entry& entry : before) {
    if (entry.count != 0) shard.entries[place_of(shard, entry.key, entry.key.hash(seed_))] = entry;
  }
}

// Those behind move up, each as far as its own start allows, so that no search ends too early.
void AddressCounts::free_place(Shard& shard, std::size_t place) const noexcept {
  --shard.used;
  const std::size_t mask = shard.entries.size() - 1;
  for (std::size_t next = (place + 1) & mask; shard.entries[next].count != 0;
       next = (next + 1) & mask) {
    const std::size_t start = start_of(shard, shard.entries[next].key.hash(seed_));
    if (((next - start) & mask) < ((next - place) & mask)) continue;
    shard.entries[place] = shard.entries[next];
    place = next;
  }
  shard.entries[place] = Entry{};
}

}  // namespace ssx::net
