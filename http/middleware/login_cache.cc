#include "http/middleware/login_cache.h"

namespace ssx::http {

bool LoginCache::knows(const Key& key, TimePoint now) const noexcept {
  const Entry& entry = entries_[place_of(key)];
  return equal_in_constant_time(entry.key, key) && now < entry.until;
}

void LoginCache::remember(const Key& key, TimePoint now) noexcept {
  entries_[place_of(key)] = {.key = key, .until = after(now, kTime)};
}

std::size_t LoginCache::place_of(const Key& key) noexcept {
  return (std::to_integer<std::size_t>(key[0]) << 8 | std::to_integer<std::size_t>(key[1])) %
         kEntries;
}

}  // namespace ssx::http
