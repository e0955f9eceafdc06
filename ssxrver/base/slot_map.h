// Values under stable ids that say whether their value is still there.
//
// Thread: one thread at a time (as its owner)
// Owner:  owns its values
// Life:   an id is valid from insert() to erase(); after that it misses, for 2^32 reuses
// Bounds: 2^32 - 2 slots; slots are kept for reuse, never given back
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "ssxrver/base/assert.h"

namespace ssx {

struct SlotId {
  std::uint32_t slot = UINT32_MAX;
  std::uint32_t generation = 0;
  friend bool operator==(const SlotId&, const SlotId&) = default;
};

/// T has a value that owns nothing: what T() makes, and what is left when one is moved from.
template <class T>
class SlotMap {
 public:
  SlotId insert(T value) {
    std::uint32_t slot = free_head_;
    if (slot == kNone) {
      SSX_ASSERT(slots_.size() < kTaken);
      slot = static_cast<std::uint32_t>(slots_.size());
      slots_.emplace_back();
    } else {
      free_head_ = slots_[slot].next_free;
    }
    slots_[slot].value = std::move(value);
    slots_[slot].next_free = kTaken;
    ++size_;
    return {slot, slots_[slot].generation};
  }

  /// Null when the id is stale.
  [[nodiscard]] T* find(SlotId id) noexcept {
    if (id.slot >= slots_.size() || slots_[id.slot].generation != id.generation) return nullptr;
    return slots_[id.slot].next_free == kTaken ? &slots_[id.slot].value : nullptr;
  }

  /// Takes the value out; nothing when the id is stale.
  std::optional<T> erase(SlotId id) {
    T* value = find(id);
    if (value == nullptr) return std::nullopt;
    std::optional<T> taken(std::move(*value));
    Slot& slot = slots_[id.slot];
    slot.value = T();
    ++slot.generation;
    slot.next_free = std::exchange(free_head_, id.slot);
    --size_;
    return taken;
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

  /// Calls visit(SlotId, T&) for each value. `visit` must not insert or erase.
  template <class Visit>
  void for_each(Visit&& visit) {
    for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
      if (slots_[slot].next_free != kTaken) continue;
      visit(SlotId{slot, slots_[slot].generation}, slots_[slot].value);
    }
  }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  static constexpr std::uint32_t kTaken = UINT32_MAX - 1;  // of next_free

  struct Slot {
    T value{};
    std::uint32_t generation = 0;
    std::uint32_t next_free = kNone;
  };

  std::vector<Slot> slots_;
  std::uint32_t free_head_ = kNone;
  std::size_t size_ = 0;
};

}  // namespace ssx
