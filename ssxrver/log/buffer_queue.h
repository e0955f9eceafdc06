// Records between the rings and the disk: filled buffers wait here, so that the rings are free
// again while a slow disk is written to.
//
// Thread: the back end's (the crash handler reads when the back end is dead)
// Owner:  AsyncBackend
// Life:   that of its owner
// Bounds: `buffers` blocks of kBlock bytes; all but kKept are given back when the queue is empty
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "ssxrver/base/log_record.h"

namespace ssx::log {

class BufferQueue {
 public:
  static constexpr std::size_t kBlock = std::size_t{512} * 1024;
  static constexpr std::size_t kKept = 2;

  explicit BufferQueue(std::size_t buffers);

  /// Copies a record that stands before its arguments. False when there is no room.
  bool add(const RecordHeader& record) noexcept;
  /// Throws the oldest buffer away, unless it is the only one; returns the lines that were in it.
  std::uint64_t drop_oldest() noexcept;

  [[nodiscard]] bool empty() const noexcept {
    return buffers_[first_].read == buffers_[first_].used;
  }
  /// Not when empty().
  [[nodiscard]] const RecordHeader& front() const noexcept;
  void pop() noexcept;

  /// Calls `visit(record)` for what waits, oldest first.
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::size_t i = 0; i < filled_; ++i) {
      const Buffer& buffer = buffers_[(first_ + i) % buffers_.size()];
      for (std::size_t at = buffer.read; at < buffer.used;) {
        const RecordHeader& record = buffer.at(at);
        visit(record);
        at += size_of(record);
      }
    }
  }

 private:
  struct Buffer {
    std::unique_ptr<std::byte[]> block;
    std::size_t used = 0;
    std::size_t read = 0;
    std::uint64_t lines = 0;  // between `read` and `used`

    [[nodiscard]] const RecordHeader& at(std::size_t offset) const noexcept {
      return *reinterpret_cast<const RecordHeader*>(block.get() + offset);
    }
    void clear() noexcept { used = read = lines = 0; }
  };

  static std::size_t size_of(const RecordHeader& record) noexcept;
  bool grow() noexcept;
  void leave_first() noexcept;

  std::vector<Buffer>
      buffers_;  // a ring: `filled_` of them from `first_` on, the last one is filled
  std::size_t first_ = 0;
  std::size_t filled_ = 1;
};

}  // namespace ssx::log
