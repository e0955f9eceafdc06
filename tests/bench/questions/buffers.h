// Four ways to keep what has arrived until it is understood, behind one set of verbs.
//
// Thread: one thread
// Owner:  whoever measures; what several connections have in common is the Shared of each kind
// Life:   a benchmark's run
// Bounds: the rings hold what they were made for and not more; the others grow
//
// receive() is what a read does: the bytes are copied once, as the kernel would. view() is what a
// parser may look at without any work; whole() is everything that is there, made contiguous if it
// is not. end_turn() is the end of a turn of the loop, where the product puts a rest aside.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "ssxrver/base/in_buffer.h"
#include "ssxrver/net/batch.h"

namespace ssx::questions {

/// A power of two and two spans; what a parser wants and what wraps is copied beside.
class RingBuffer {
 public:
  struct Shared {
    explicit Shared(std::size_t) {}
  };
  RingBuffer(Shared&, std::size_t bytes)
      : mask_(std::bit_ceil(bytes) - 1), memory_(new char[mask_ + 1]) {}

  void receive(const char* data, std::size_t count) {
    if (count > mask_ + 1 - size()) std::abort();
    const std::size_t at = tail_ & mask_;
    const std::size_t first = std::min(count, mask_ + 1 - at);
    std::memcpy(memory_.get() + at, data, first);
    std::memcpy(memory_.get(), data + first, count - first);
    tail_ += count;
  }
  [[nodiscard]] std::size_t size() const { return tail_ - head_; }
  [[nodiscard]] std::string_view view() const {
    const std::size_t at = head_ & mask_;
    return {memory_.get() + at, std::min(size(), mask_ + 1 - at)};
  }
  std::string_view whole() {
    const std::string_view first = view();
    if (first.size() == size()) return first;
    beside_.resize(std::max(beside_.size(), size()));
    std::memcpy(beside_.data(), first.data(), first.size());
    std::memcpy(beside_.data() + first.size(), memory_.get(), size() - first.size());
    return {beside_.data(), size()};
  }
  void consume(std::size_t count) { head_ += count; }
  void end_turn() {}
  [[nodiscard]] std::size_t held() const { return mask_ + 1 + beside_.capacity(); }

 private:
  std::size_t mask_;
  std::size_t head_ = 0;
  std::size_t tail_ = 0;
  std::unique_ptr<char[]> memory_;
  std::vector<char> beside_;
};

/// The same pages twice, one behind the other: nothing ever wraps.
class MirroredRing {
 public:
  struct Shared {
    explicit Shared(std::size_t) {}
  };
  MirroredRing(Shared&, std::size_t bytes)
      : size_(std::bit_ceil(std::max<std::size_t>(bytes, 4096))) {
    const int pages = ::memfd_create("ring", MFD_CLOEXEC);
    if (pages < 0 || ::ftruncate(pages, static_cast<off_t>(size_)) != 0) std::abort();
    void* const room = ::mmap(nullptr, 2 * size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) std::abort();
    memory_ = static_cast<char*>(room);
    for (char* const at : {memory_, memory_ + size_}) {
      void* const mapped =
          ::mmap(at, size_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, pages, 0);
      if (mapped == MAP_FAILED) std::abort();
    }
    ::close(pages);
  }
  MirroredRing(MirroredRing&& other) noexcept
      : size_(other.size_),
        head_(other.head_),
        tail_(other.tail_),
        memory_(std::exchange(other.memory_, nullptr)) {}
  MirroredRing& operator=(MirroredRing&&) = delete;
  ~MirroredRing() {
    if (memory_ != nullptr) ::munmap(memory_, 2 * size_);
  }

  void receive(const char* data, std::size_t count) {
    if (count > size_ - size()) std::abort();
    std::memcpy(memory_ + (tail_ & (size_ - 1)), data, count);
    tail_ += count;
  }
  [[nodiscard]] std::size_t size() const { return tail_ - head_; }
  [[nodiscard]] std::string_view view() const { return {memory_ + (head_ & (size_ - 1)), size()}; }
  std::string_view whole() { return view(); }
  void consume(std::size_t count) { head_ += count; }
  void end_turn() {}
  [[nodiscard]] std::size_t held() const { return size_; }

 private:
  std::size_t size_;
  std::size_t head_ = 0;
  std::size_t tail_ = 0;
  char* memory_ = nullptr;
};

/// As in muduo and in the 2021 program: room that grows, a rest that moves to the front when the
/// room behind it is short, and 64 KiB on the stack that a read may overflow into.
class LinearBuffer {
 public:
  struct Shared {
    explicit Shared(std::size_t) {}
    std::unique_ptr<char[]> overflow{new char[64 << 10]};
  };
  LinearBuffer(Shared& shared, std::size_t) : overflow_(shared.overflow.get()), memory_(1024) {}

  void receive(const char* data, std::size_t count) {
    const std::size_t fits = std::min(count, memory_.size() - writer_);
    std::memcpy(memory_.data() + writer_, data, fits);
    writer_ += fits;
    const std::size_t rest = count - fits;
    if (rest == 0) return;
    std::memcpy(overflow_, data + fits, rest);
    make_room(rest);
    std::memcpy(memory_.data() + writer_, overflow_, rest);
    writer_ += rest;
  }
  [[nodiscard]] std::size_t size() const { return writer_ - reader_; }
  [[nodiscard]] std::string_view view() const { return {memory_.data() + reader_, size()}; }
  std::string_view whole() { return view(); }
  void consume(std::size_t count) {
    reader_ += count;
    if (reader_ == writer_) reader_ = writer_ = 0;
  }
  void end_turn() {}
  [[nodiscard]] std::size_t held() const { return memory_.size(); }

 private:
  void make_room(std::size_t count) {
    if (memory_.size() - size() < count) return memory_.resize(writer_ + count);
    const std::size_t kept = size();
    std::memmove(memory_.data(), memory_.data() + reader_, kept);
    reader_ = 0;
    writer_ = kept;
  }

  char* overflow_;
  std::size_t reader_ = 0;
  std::size_t writer_ = 0;
  std::vector<char> memory_;
};

/// What net::Connection does: sixteen seats for all connections to read into, and a buffer of the
/// connection's own only while something is left over (docs/internals/buffers_and_backpressure.md).
class ProductBuffer {
 public:
  struct Shared {
    /// A connection that is alone always has the first seat.
    explicit Shared(std::size_t connections) {
      const std::size_t used = std::min(connections, net::Batch::kSeats);
      for (std::size_t i = 0; i < used; ++i) seats.emplace_back(net::Batch::kReceiveRoom);
    }
    std::vector<InBuffer> seats;
    std::size_t taken = 0;
    std::vector<std::unique_ptr<InBuffer>> spare;
  };
  ProductBuffer(Shared& shared, std::size_t) : shared_(&shared) {}

  void receive(const char* data, std::size_t count) {
    InBuffer& seat = shared_->seats[shared_->taken++ % shared_->seats.size()];
    const bool long_rest = kept_ != nullptr && kept_->size() > kCopyMax;
    now_ = long_rest ? kept_.get() : &seat;
    if (kept_ != nullptr && !long_rest) {
      append(seat, kept_->text());
      kept_->clear();
      shared_->spare.push_back(std::move(kept_));
    }
    append(*now_, {data, count});
  }
  [[nodiscard]] std::size_t size() const { return now_->size(); }
  [[nodiscard]] std::string_view view() const { return now_->text(); }
  std::string_view whole() { return view(); }
  void consume(std::size_t count) { now_->consume(count); }
  void end_turn() {
    if (now_ == kept_.get()) {
      if (kept_->empty()) give_back();
      return;
    }
    if (!now_->empty()) {
      take();
      append(*kept_, now_->text());
    }
    now_->clear();
  }
  [[nodiscard]] std::size_t held() const { return kept_ == nullptr ? 0 : kept_->capacity(); }

 private:
  static constexpr std::size_t kCopyMax = 16 << 10;

  static void append(InBuffer& to, std::string_view bytes) {
    if (!to.append(bytes)) std::abort();
  }
  void take() {
    auto& spare = shared_->spare;
    if (spare.empty()) spare.push_back(std::make_unique<InBuffer>());
    kept_ = std::move(spare.back());
    spare.pop_back();
  }
  void give_back() {
    kept_->clear();
    shared_->spare.push_back(std::move(kept_));
  }

  Shared* shared_;
  InBuffer* now_ = nullptr;
  std::unique_ptr<InBuffer> kept_;
};

}  // namespace ssx::questions
