// Where a message is put together, whatever its length turns out to be.
//
// Thread: loop-only
// Owner:  MessageBlock
// Life:   reusable
// Bounds: as large as what is appended; at most twice that is reserved, or what bound() says, and
//         touched kAhead beyond
//
// Large ones grow by moving their pages (realloc), not their bytes, and the kernel makes the pages
// many at a time, and what no cache can hold until the message is whole is stored past the caches:
// what a message of half a gigabyte costs is mostly this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "ssxrver/base/bytes.h"

namespace ssx::websocket {

class MessageBuffer {
 public:
  static constexpr std::size_t kLarge = 1 << 20;  ///< from here on pages are made ahead
  static constexpr std::size_t kAhead = 512 << 10;
  static constexpr std::size_t kPastCaches = 16 << 20;  ///< from here on bytes go to memory alone

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::string_view text() const noexcept {
    return as_text(ByteView(memory_.get(), size_));
  }

  /// No message is longer: above this no more is reserved than what is asked for.
  void bound(std::size_t most) noexcept { most_ = most; }
  /// At least `capacity` bytes in all. Aborts without memory.
  void reserve(std::size_t capacity);
  void append(ByteView bytes);
  void assign(std::string_view text) {
    clear();
    append(as_bytes(text));
  }
  /// Room for `size` bytes behind what is there, to be filled and then committed (less is fine).
  [[nodiscard]] MutableBytes room(std::size_t size);
  void commit(std::size_t size) noexcept { size_ += size; }
  void clear() noexcept { size_ = 0; }
  /// The memory and what is in it; each keeps its bound.
  void swap(MessageBuffer& other) noexcept;

 private:
  struct Free {
    void operator()(std::byte* memory) const noexcept { std::free(memory); }
  };

  void grow(std::size_t needed);

  std::unique_ptr<std::byte, Free> memory_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  std::size_t made_ = 0;  ///< bytes whose pages are there
  std::size_t most_ = SIZE_MAX;
};

}  // namespace ssx::websocket
