#include "ssxrver/base/out_queue.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ssx {
namespace {

constexpr std::size_t kSlotsTidied = 64;  // sent slices are taken out in batches of this many
constexpr std::size_t kSlotsKept = 1024;  // more room for slices than this is not kept for reuse
constexpr std::size_t kSlotsLeft = 4;     // nor more than this by one that has shrunk

}  // namespace

void OutQueue::add_block(std::size_t size) {
  const std::size_t capacity = std::max(size, kBlockBytes);
  blocks_.push_back({std::unique_ptr<std::byte[]>(new std::byte[capacity]), capacity, 0, 0});
}

void OutQueue::add_own_slice(const std::byte* start, std::size_t size) {
  Slice& slice = slices_.emplace_back();
  slice.data = start;
  slice.size = size;
  slice.own = true;
}

void OutQueue::append_copy(ByteView bytes) {
  if (bytes.empty()) return;
  std::memcpy(reserve(bytes.size()).data(), bytes.data(), bytes.size());
  commit(bytes.size());
}

void OutQueue::append_static(ByteView bytes) { append_kept(bytes, {}); }

void OutQueue::append_kept(ByteView bytes, LocalRef<LocalShared> keep) {
  if (bytes.empty()) return;
  memory_bytes_ += bytes.size();
  push({.data = bytes.data(), .size = bytes.size(), .file = {.keep = std::move(keep)}});
}

void OutQueue::append_lent(ByteView bytes) {
  if (bytes.empty()) return;
  memory_bytes_ += bytes.size();
  push({.data = bytes.data(), .size = bytes.size(), .lent = true});
}

void OutQueue::append_file(FileSlice file) {
  if (file.size == 0) return;
  file_bytes_ += file.size;
  push({.file = std::move(file)});
}

std::size_t OutQueue::gather(std::span<ByteView> into) const noexcept {
  std::size_t count = 0;
  for (std::size_t at = first_; at < slices_.size() && count < into.size(); ++at) {
    const Slice& slice = slices_[at];
    if (slice.data == nullptr) break;
    into[count++] = {slice.data, slice.size};
  }
  return count;
}

const FileSlice* OutQueue::front_file() const noexcept {
  if (empty() || slices_[first_].data != nullptr) return nullptr;
  return &slices_[first_].file;
}

void OutQueue::consume(std::uint64_t count) noexcept {
  if (count == memory_bytes_ + file_bytes_) return clear();  // mostly
  while (count > 0) {
    SSX_DCHECK(!empty());
    Slice& slice = slices_[first_];
    if (slice.data != nullptr) {
      const std::size_t taken =
          static_cast<std::size_t>(std::min<std::uint64_t>(count, slice.size));
      slice.data += taken;
      slice.size -= taken;
      memory_bytes_ -= taken;
      count -= taken;
      if (slice.own) count_sent(taken);
      if (slice.size > 0) return;
    } else {
      const std::uint64_t taken = std::min(count, slice.file.size);
      slice.file.offset += taken;
      slice.file.size -= taken;
      file_bytes_ -= taken;
      count -= taken;
      if (slice.file.size > 0) return;
    }
    slice.file.keep = {};
    ++first_;
  }
  if (first_ >= kSlotsTidied) drop_sent_slices();
}

void OutQueue::move_to(OutQueue& other) {
  for (; first_ < slices_.size(); ++first_) {
    Slice& slice = slices_[first_];
    if (slice.data == nullptr) {
      other.append_file(std::move(slice.file));
    } else if (slice.own || slice.lent) {
      other.append_copy({slice.data, slice.size});
    } else {
      other.append_kept({slice.data, slice.size}, std::move(slice.file.keep));
    }
  }
  drop_drained();
}

void OutQueue::clear() noexcept {
  first_ = slices_.size();
  drop_drained();
}

void OutQueue::shrink() noexcept {
  SSX_DCHECK(empty());
  blocks_ = std::vector<Block>();
  if (slices_.capacity() > kSlotsLeft) slices_ = std::vector<Slice>();
}

void OutQueue::push(Slice slice) { slices_.push_back(std::move(slice)); }

// Own bytes leave in the order in which their blocks were filled, so they are of the first block
// that has any. A stream that never runs dry so gives its memory back. The last block stays:
// somebody may hold what reserve() gave.
void OutQueue::count_sent(std::size_t size) noexcept {
  std::size_t drained = 0;
  while (blocks_[drained].unsent == 0) ++drained;
  Block& block = blocks_[drained];
  SSX_DCHECK(size <= block.unsent, size, block.unsent);
  block.unsent -= size;
  if (block.unsent == 0 && drained + 1 < blocks_.size()) ++drained;
  if (drained > 0) {
    blocks_.erase(blocks_.begin(), blocks_.begin() + static_cast<std::ptrdiff_t>(drained));
  }
}

void OutQueue::drop_sent_slices() noexcept {
  if (first_ * 2 < slices_.size()) return;  // so that each slice is moved once at the most
  slices_.erase(slices_.begin(), slices_.begin() + static_cast<std::ptrdiff_t>(first_));
  first_ = 0;
}

void OutQueue::drop_drained() noexcept {
  slices_.clear();
  if (slices_.capacity() > kSlotsKept) slices_.shrink_to_fit();
  first_ = 0;
  memory_bytes_ = 0;
  file_bytes_ = 0;
  if (blocks_.empty()) return;
  blocks_.erase(blocks_.begin(), blocks_.end() - 1);  // what was too small for what is sent here
  if (blocks_.back().capacity > kKeptBytesMax) return blocks_.clear();
  blocks_.back().used = blocks_.back().unsent = 0;
}

}  // namespace ssx
