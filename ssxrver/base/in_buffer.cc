#include "ssxrver/base/in_buffer.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ssx {

InBuffer::InBuffer(std::size_t initial, std::size_t limit) : limit_(limit) {
  SSX_ASSERT(initial <= limit, initial, limit);
  if (initial > 0) reallocate(initial);
}

Result<MutableBytes> InBuffer::prepare(std::size_t count) {
  if (count > limit_ || size() > limit_ - count) return fail(Errc::kOverflow, "input buffer");
  if (writable() < count) {
    if (capacity_ >= kPrependable + size() + count) {
      move_to_front();
    } else {
      reallocate(std::min(std::max(size() + count, 2 * size()), limit_));
    }
  }
  return MutableBytes(memory_.get() + writer_, writable());
}

Result<void> InBuffer::append(ByteView bytes) {
  if (bytes.empty()) return {};
  SSX_TRY(const MutableBytes room, prepare(bytes.size()));
  std::memcpy(room.data(), bytes.data(), bytes.size());
  commit(bytes.size());
  return {};
}

Result<void> InBuffer::prepend(ByteView bytes) noexcept {
  if (bytes.empty()) return {};
  if (capacity_ == 0) return append(bytes);
  if (bytes.size() > prependable()) return fail(Errc::kOverflow, "prepend");
  if (size() + bytes.size() > limit_) return fail(Errc::kOverflow, "prepend");
  reader_ -= bytes.size();
  std::memcpy(memory_.get() + reader_, bytes.data(), bytes.size());
  return {};
}

std::optional<std::size_t> InBuffer::find_crlf() const noexcept {
  const auto at = text().find("\r\n");
  return at == std::string_view::npos ? std::nullopt : std::optional(at);
}

std::optional<std::size_t> InBuffer::find_eol() const noexcept {
  const auto at = text().find('\n');
  return at == std::string_view::npos ? std::nullopt : std::optional(at);
}

void InBuffer::shrink() {
  if (empty()) {
    InBuffer(0, limit_).swap(*this);
  } else {
    reallocate(size());
  }
}

void InBuffer::swap(InBuffer& other) noexcept {
  std::swap(memory_, other.memory_);
  std::swap(capacity_, other.capacity_);
  std::swap(reader_, other.reader_);
  std::swap(writer_, other.writer_);
  std::swap(limit_, other.limit_);
}

void InBuffer::move_to_front() noexcept {
  const std::size_t count = size();
  std::memmove(memory_.get() + kPrependable, memory_.get() + reader_, count);
  reader_ = kPrependable;
  writer_ = kPrependable + count;
}

void InBuffer::reallocate(std::size_t readable_capacity) {
  const std::size_t count = size();
  const std::size_t capacity = kPrependable + readable_capacity;
  // Not value-initialised: the bytes are written before they are read.
  std::unique_ptr<std::byte[]> memory(new std::byte[capacity]);
  if (count > 0) std::memcpy(memory.get() + kPrependable, memory_.get() + reader_, count);
  memory_ = std::move(memory);
  capacity_ = capacity;
  reader_ = kPrependable;
  writer_ = kPrependable + count;
}

}  // namespace ssx
