// Memory that ends exactly where an unreadable page begins: one byte read too far is a SIGSEGV, in
// SIMD code and without a sanitizer too.
//
// Thread: a value; one owner at a time
// Owner:  the test
// Life:   the scope
// Bounds: whole pages, and two more
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <system_error>

#include "ssxrver/base/bytes.h"

namespace ssx::test {

class GuardedBytes {
 public:
  /// Zeros, writable.
  explicit GuardedBytes(std::size_t size) : size_(size) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const std::size_t inside = (size + page - 1) / page * page;
    mapped_ = inside + 2 * page;
    const int protection = PROT_READ | PROT_WRITE;
    void* const memory = ::mmap(nullptr, mapped_, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::system_error(errno, std::generic_category());
    memory_ = static_cast<std::byte*>(memory);
    data_ = memory_ + page + inside - size;
    if (::mprotect(memory_, page, PROT_NONE) != 0 ||
        ::mprotect(memory_ + page + inside, page, PROT_NONE) != 0) {
      throw std::system_error(errno, std::generic_category());
    }
  }
  explicit GuardedBytes(std::string_view text) : GuardedBytes(text.size()) {
    std::ranges::copy(as_bytes(text), data_);
  }
  ~GuardedBytes() { ::munmap(memory_, mapped_); }
  GuardedBytes(const GuardedBytes&) = delete;
  GuardedBytes& operator=(const GuardedBytes&) = delete;

  [[nodiscard]] MutableBytes bytes() noexcept { return {data_, size_}; }
  [[nodiscard]] std::string_view text() const noexcept { return as_text({data_, size_}); }

 private:
  std::byte* memory_ = nullptr;
  std::byte* data_ = nullptr;
  std::size_t size_;
  std::size_t mapped_ = 0;
};

}  // namespace ssx::test
