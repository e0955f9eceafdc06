#include "websocket/message_buffer.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "ssxrver/base/assert.h"
#include "ssxrver/base/isa.h"
#include "ssxrver/sys/memory.h"

#if defined(SSX_X86_SIMD)
#include <immintrin.h>
#endif

namespace ssx::websocket {
namespace {

// Stores that go around the caches: a usual one reads the line first that it is about to replace,
// and drives out what is wanted again, the receive area among it.
void copy_past_caches(std::byte* to, ByteView from) noexcept {
#if defined(SSX_X86_SIMD)
  constexpr std::size_t kLine = 64;
  const auto head = -reinterpret_cast<std::uintptr_t>(to) % kLine;
  if (from.size() >= head + kLine) {
    std::memcpy(to, from.data(), head);
    to += head, from = from.subspan(head);
    for (; from.size() >= kLine; to += kLine, from = from.subspan(kLine)) {
      const auto* const words = reinterpret_cast<const __m128i*>(from.data());
      auto* const line = reinterpret_cast<__m128i*>(to);
      const __m128i a = _mm_loadu_si128(words), b = _mm_loadu_si128(words + 1);
      const __m128i c = _mm_loadu_si128(words + 2), d = _mm_loadu_si128(words + 3);
      _mm_stream_si128(line, a);
      _mm_stream_si128(line + 1, b);
      _mm_stream_si128(line + 2, c);
      _mm_stream_si128(line + 3, d);
    }
    _mm_sfence();  // another thread may be given the message
  }
#endif
  std::memcpy(to, from.data(), from.size());
}

}  // namespace

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
  std::byte* const to = room(bytes.size()).data();
  if (size_ < kPastCaches)
    std::memcpy(to, bytes.data(), bytes.size());
  else
    copy_past_caches(to, bytes);
  commit(bytes.size());
}

void MessageBuffer::swap(MessageBuffer& other) noexcept {
  std::swap(memory_, other.memory_);
  std::swap(size_, other.size_);
  std::swap(capacity_, other.capacity_);
  std::swap(made_, other.made_);
}

}  // namespace ssx::websocket
