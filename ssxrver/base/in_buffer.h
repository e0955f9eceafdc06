// Bytes that have arrived and wait to be read:
//
//     +-------------------+------------------+------------------+
//     | prependable bytes |  readable bytes  |  writable bytes  |
//     +-------------------+------------------+------------------+
//     0      <=      reader_      <=     writer_      <=     capacity
//
// Thread: one thread at a time (as its owner)
// Owner:  owns its memory; views handed out die with the next write
// Life:   reusable; clear() keeps the memory
// Bounds: grows up to the limit given at construction, then kOverflow
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "ssxrver/base/assert.h"
#include "ssxrver/base/bytes.h"
#include "ssxrver/base/result.h"

namespace ssx {

class InBuffer {
 public:
  static constexpr std::size_t kPrependable = 8;  ///< room in front for a length or a type
  static constexpr std::size_t kNoLimit = SIZE_MAX / 2;

  /// `initial`: bytes reserved now; `limit`: readable bytes at the most.
  explicit InBuffer(std::size_t initial = 0, std::size_t limit = kNoLimit);
  InBuffer(InBuffer&& other) noexcept { swap(other); }
  InBuffer& operator=(InBuffer&& other) noexcept {
    InBuffer(std::move(other)).swap(*this);
    return *this;
  }
  InBuffer(const InBuffer&) = delete;
  InBuffer& operator=(const InBuffer&) = delete;

  [[nodiscard]] std::size_t size() const noexcept { return writer_ - reader_; }
  [[nodiscard]] bool empty() const noexcept { return writer_ == reader_; }
  [[nodiscard]] std::size_t writable() const noexcept { return capacity_ - writer_; }
  [[nodiscard]] std::size_t prependable() const noexcept { return reader_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] std::size_t limit() const noexcept { return limit_; }

  [[nodiscard]] ByteView readable() const noexcept { return {memory_.get() + reader_, size()}; }
  /// The same for who changes them where they are (the masks of RFC 6455).
  [[nodiscard]] MutableBytes mutable_readable() noexcept {
    return {memory_.get() + reader_, size()};
  }
  [[nodiscard]] std::string_view text() const noexcept { return as_text(readable()); }

  /// `bytes` lie in its memory, be they readable still or not.
  [[nodiscard]] bool has(ByteView bytes) const noexcept {
    const auto distance = reinterpret_cast<std::uintptr_t>(bytes.data()) -
                          reinterpret_cast<std::uintptr_t>(memory_.get());
    return distance <= capacity_ && bytes.size() <= capacity_ - distance;
  }

  /// Forgets the first `count` readable bytes.
  void consume(std::size_t count) noexcept {
    SSX_ASSERT(count <= size(), count, size());
    reader_ += count;
    if (reader_ == writer_) clear();
  }
  void clear() noexcept { reader_ = writer_ = capacity_ == 0 ? 0 : kPrependable; }

  /// Room for at least `count` more bytes, then all the writable room. kOverflow past the limit.
  Result<MutableBytes> prepare(std::size_t count);
  /// `count` bytes of the room that prepare() gave have been filled.
  void commit(std::size_t count) noexcept {
    SSX_ASSERT(count <= writable(), count, writable());
    writer_ += count;
  }
  Result<void> append(ByteView bytes);
  Result<void> append(std::string_view text) { return append(as_bytes(text)); }
  /// Puts bytes in front; at most prependable() of them, kOverflow otherwise or past the limit.
  Result<void> prepend(ByteView bytes) noexcept;

  // Integers in network order (as in the protocols of old): unsigned or signed, 8 to 64 bits.
  template <std::integral T>
  Result<void> append_integer(T value) {
    std::byte raw[sizeof(T)];
    store_big_endian(raw, static_cast<std::make_unsigned_t<T>>(value));
    return append(ByteView(raw));
  }
  template <std::integral T>
  Result<void> prepend_integer(T value) noexcept {
    std::byte raw[sizeof(T)];
    store_big_endian(raw, static_cast<std::make_unsigned_t<T>>(value));
    return prepend(ByteView(raw));
  }
  /// Nothing when fewer than sizeof(T) bytes are readable.
  template <std::integral T>
  [[nodiscard]] std::optional<T> peek_integer() const noexcept {
    if (size() < sizeof(T)) return std::nullopt;
    return static_cast<T>(load_big_endian<std::make_unsigned_t<T>>(memory_.get() + reader_));
  }
  template <std::integral T>
  std::optional<T> read_integer() noexcept {
    const auto value = peek_integer<T>();
    if (value) consume(sizeof(T));
    return value;
  }

  /// Offset of the first CRLF / LF among the readable bytes.
  [[nodiscard]] std::optional<std::size_t> find_crlf() const noexcept;
  [[nodiscard]] std::optional<std::size_t> find_eol() const noexcept;

  /// Gives back memory beyond the readable bytes.
  void shrink();
  void swap(InBuffer& other) noexcept;

 private:
  void move_to_front() noexcept;
  void reallocate(std::size_t capacity);

  std::unique_ptr<std::byte[]> memory_;
  std::size_t capacity_ = 0;
  std::size_t reader_ = 0;
  std::size_t writer_ = 0;
  std::size_t limit_ = kNoLimit;
};

}  // namespace ssx
