#include "http/middleware/encoded_cache.h"

#include <functional>

namespace ssx::http {

std::size_t EncodedCache::slot_of(const Key& key) noexcept {
  const std::size_t place = std::hash<const char*>()(key.source.bytes.data());
  return (place / 64 + place / 8192 + static_cast<std::size_t>(key.coding)) % kSlots;
}

LocalRef<EncodedCache::Body> EncodedCache::find(const Key& key) const noexcept {
  const LocalRef<Body>& body = slots_[slot_of(key)];
  const bool is_it = body && body->source.bytes.data() == key.source.bytes.data() &&
                     body->source.bytes.size() == key.source.bytes.size() &&
                     body->source.keep.get() == key.source.keep.get() &&
                     body->coding == key.coding && body->source_fields == key.fields;
  return is_it ? body : LocalRef<Body>();
}

void EncodedCache::put(const Key& key, const LocalRef<Body>& body) {
  body->source = key.source;
  body->coding = key.coding;
  body->source_fields = key.fields;
  slots_[slot_of(key)] = body;
}

std::size_t EncodedCache::clear() noexcept {
  std::size_t count = 0;
  for (LocalRef<Body>& body : slots_) {
    if (!body) continue;
    body = {};
    ++count;
  }
  return count;
}

}  // namespace ssx::http
