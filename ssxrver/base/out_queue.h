// What waits to be sent, in order: bytes of its own, bytes that others keep, bytes that others lend
// for a moment, and parts of files.
//
// Thread: one thread at a time (as its owner)
// Owner:  owns copied bytes; holds a LocalRef on shared ones and on open files
// Life:   reusable; a block of memory goes when its last byte has left, and one is kept
// Bounds: counts memory_bytes() and file_bytes() exactly; the limits are its user's. Its memory is
//         the blocks that hold unsent bytes, and one more at the most
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ssxrver/base/assert.h"
#include "ssxrver/base/bytes.h"
#include "ssxrver/base/local_ref.h"

namespace ssx {

/// A part of an open file.
struct FileSlice {
  int fd = -1;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  LocalRef<LocalShared> keep;  ///< keeps `fd` open until the slice is sent
  bool zero_copy = true;       ///< sendfile(2); otherwise it is read and written
};

class OutQueue {
 public:
  static constexpr std::size_t kBlockBytes = (17 << 10) + 64;    ///< an answer of 16 KiB, its head
  static constexpr std::size_t kKeptBytesMax = (64 << 10) + 64;  ///< larger blocks are not kept

  OutQueue() = default;
  OutQueue(const OutQueue&) = delete;
  OutQueue& operator=(const OutQueue&) = delete;

  [[nodiscard]] bool empty() const noexcept { return first_ == slices_.size(); }
  [[nodiscard]] std::size_t memory_bytes() const noexcept { return memory_bytes_; }
  [[nodiscard]] std::uint64_t file_bytes() const noexcept { return file_bytes_; }

  /// Room for `size` contiguous bytes of its own, to be filled and then committed (less is fine).
  [[nodiscard]] MutableBytes reserve(std::size_t size) {
    if (blocks_.empty() || blocks_.back().room() < size) [[unlikely]]
      add_block(size);
    Block& block = blocks_.back();
    return {block.memory.get() + block.used, block.room()};
  }
  /// Bytes of its own wait, and so many more need no further memory.
  [[nodiscard]] bool has_room_for(std::size_t size) const noexcept {
    return !blocks_.empty() && blocks_.back().unsent > 0 && blocks_.back().room() >= size;
  }
  void commit(std::size_t size) {
    if (size == 0) return;
    SSX_DCHECK(!blocks_.empty());
    Block& block = blocks_.back();
    SSX_DCHECK(size <= block.room(), size, block.capacity, block.used);
    const std::byte* const start = block.memory.get() + block.used;
    const bool continues = block.used > 0;
    block.used += size;
    block.unsent += size;
    memory_bytes_ += size;
    // Bytes that follow their predecessor in its block are one slice.
    if (continues && !empty() && slices_.back().is_followed_by(start)) {
      slices_.back().size += size;
    } else {
      add_own_slice(start, size);
    }
  }

  void append_copy(ByteView bytes);
  /// `bytes` outlive the queue (literals, the configuration snapshot).
  void append_static(ByteView bytes);
  /// `bytes` live as long as `keep` is held.
  void append_kept(ByteView bytes, LocalRef<LocalShared> keep);
  /// `bytes` stay where they are until the queue is empty; what is moved to another is copied.
  void append_lent(ByteView bytes);
  void append_file(FileSlice file);

  /// The leading memory slices, up to the first file: how many entries were filled.
  [[nodiscard]] std::size_t gather(std::span<ByteView> into) const noexcept;
  /// The file slice in front, or null when bytes are in front.
  [[nodiscard]] const FileSlice* front_file() const noexcept;
  /// `count` bytes of the front have been sent.
  void consume(std::uint64_t count) noexcept;
  /// Moves everything to the end of `other`; own and lent bytes are copied, references move.
  void move_to(OutQueue& other);
  void clear() noexcept;
  /// An empty queue gives back its memory, but for room for a few slices.
  void shrink() noexcept;

  [[nodiscard]] std::size_t block_count_for_test() const noexcept { return blocks_.size(); }
  [[nodiscard]] std::size_t slice_slots_for_test() const noexcept { return slices_.capacity(); }

 private:
  struct Slice {
    const std::byte* data = nullptr;  ///< null: a file
    std::size_t size = 0;
    bool own = false;     ///< the data lies in a block of this queue
    bool lent = false;    ///< it lies where it does not stay for long
    FileSlice file = {};  ///< the file, or only its `keep` for shared bytes

    [[nodiscard]] bool is_followed_by(const std::byte* start) const noexcept {
      return own && data + size == start;
    }
  };
  struct Block {
    std::unique_ptr<std::byte[]> memory;
    std::size_t capacity = 0;
    std::size_t used = 0;
    std::size_t unsent = 0;

    [[nodiscard]] std::size_t room() const noexcept { return capacity - used; }
  };

  void add_block(std::size_t size);
  void add_own_slice(const std::byte* start, std::size_t size);
  void push(Slice slice);
  void count_sent(std::size_t size) noexcept;
  void drop_sent_slices() noexcept;
  void drop_drained() noexcept;

  std::vector<Slice> slices_;
  std::size_t first_ = 0;
  std::vector<Block> blocks_;
  std::size_t memory_bytes_ = 0;
  std::uint64_t file_bytes_ = 0;
};

}  // namespace ssx
