#include "ssxrver/log/buffer_queue.h"

#include <cstring>
#include <new>

#include "ssxrver/base/assert.h"
#include "ssxrver/log/thread_ring.h"

namespace ssx::log {

BufferQueue::BufferQueue(std::size_t buffers) : buffers_(buffers) {
  SSX_ASSERT(buffers >= kKept, buffers);
  buffers_[0].block = std::make_unique_for_overwrite<std::byte[]>(kBlock);
}

std::size_t BufferQueue::size_of(const RecordHeader& record) noexcept {
  return ThreadRing::record_size(record.bytes);
}

/// The next buffer becomes the one that is filled.
bool BufferQueue::grow() noexcept {
  if (filled_ == buffers_.size()) return false;
  Buffer& next = buffers_[(first_ + filled_) % buffers_.size()];
  if (next.block == nullptr) next.block.reset(new (std::nothrow) std::byte[kBlock]);
  if (next.block == nullptr) return false;
  next.clear();
  ++filled_;
  return true;
}

bool BufferQueue::add(const RecordHeader& record) noexcept {
  const std::size_t size = size_of(record);
  SSX_DCHECK(size <= kBlock, size);
  if (buffers_[(first_ + filled_ - 1) % buffers_.size()].used + size > kBlock && !grow()) {
    return false;
  }
  Buffer& last = buffers_[(first_ + filled_ - 1) % buffers_.size()];
  std::memcpy(last.block.get() + last.used, &record, sizeof record + record.bytes);
  last.used += size;
  ++last.lines;
  return true;
}

void BufferQueue::leave_first() noexcept {
  Buffer& first = buffers_[first_];
  first.clear();
  if (filled_ == 1) {  // the one that is being filled: it starts again
    for (std::size_t i = kKept; i < buffers_.size(); ++i) {
      buffers_[(first_ + i) % buffers_.size()].block.reset();
    }
    return;
  }
  first_ = (first_ + 1) % buffers_.size();
  --filled_;
}

std::uint64_t BufferQueue::drop_oldest() noexcept {
  if (filled_ == 1) return 0;
  const std::uint64_t lines = buffers_[first_].lines;
  leave_first();
  return lines;
}

const RecordHeader& BufferQueue::front() const noexcept {
  SSX_DCHECK(!empty());
  return buffers_[first_].at(buffers_[first_].read);
}

void BufferQueue::pop() noexcept {
  Buffer& first = buffers_[first_];
  first.read += size_of(front());
  --first.lines;
  if (first.read == first.used) leave_first();
}

}  // namespace ssx::log
