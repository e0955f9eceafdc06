#include "websocket/message_buffer.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "ssxrver/base/assert.h"
#include "ssxrver/sys/memory.h"

namespace ssx::websocket {

void MessageBuffer::reserve(std::size_t capacity) {
  if (capacity <= capacity_) return;
  auto* const moved = static_cast<std::byte*>(std::realloc(memory_.get(), capacity));
  SSX_ASSERT(moved != nullptr, capacity);
  (void)memory_.release();
  memory_.reset(moved);
  capacity_ = capacity;
}

void MessageBuffer::grow(std::size_t needed) {
  if (needed > capacity_) reserve(std::max(needed, std::min(2 * capacity_, most_)));
  if (needed <= kLarge || needed <= made_) return;
  const std::size_t until = std::min(capacity_, needed + kAhead);
  sys::will_write({memory_.get() + size_, until - size_});
  made_ = until;
}

MutableBytes MessageBuffer::room(std::size_t size) {
  grow(size_ + size);
  return {memory_.get() + size_, size};
}

void MessageBuffer::append(ByteView bytes) {
  if (bytes.empty()) return;
  std::memcpy(room(bytes.size()).data(), bytes.data(), bytes.size());
  commit(bytes.size());
}

void MessageBuffer::swap(MessageBuffer& other) noexcept {
  std::swap(memory_, other.memory_);
  std::swap(size_, other.size_);
  std::swap(capacity_, other.capacity_);
  std::swap(made_, other.made_);
}

}  // namespace ssx::websocket
