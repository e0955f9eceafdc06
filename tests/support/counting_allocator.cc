#include "tests/support/counting_allocator.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace ssx::test {
namespace {

using std::memory_order_relaxed;

thread_local AllocationCount of_thread;
std::atomic<std::int64_t> all_news{0};
std::atomic<std::int64_t> all_deletes{0};
std::atomic<std::int64_t> all_bytes{0};

void* allocate(std::size_t size, std::size_t alignment) noexcept {
  ++of_thread.news;
  of_thread.bytes += static_cast<std::int64_t>(size);
  all_news.fetch_add(1, memory_order_relaxed);
  all_bytes.fetch_add(static_cast<std::int64_t>(size), memory_order_relaxed);
  if (size == 0) size = 1;  // every object has an address of its own
  if (alignment <= alignof(std::max_align_t)) return std::malloc(size);
  void* memory = nullptr;
  return ::posix_memalign(&memory, alignment, size) == 0 ? memory : nullptr;
}

void* allocate_or_throw(std::size_t size, std::size_t alignment) {
  if (void* const memory = allocate(size, alignment)) return memory;
  throw std::bad_alloc();
}

void release(void* memory) noexcept {
  if (memory == nullptr) return;
  ++of_thread.deletes;
  all_deletes.fetch_add(1, memory_order_relaxed);
  std::free(memory);
}

}  // namespace

AllocationCount allocations() noexcept { return of_thread; }

AllocationCount allocations_of_all() noexcept {
  return {all_news.load(memory_order_relaxed), all_deletes.load(memory_order_relaxed),
          all_bytes.load(memory_order_relaxed)};
}

}  // namespace ssx::test

// Every form is written out: the runtime of a sanitizer brings definitions of each, and memory of
// one family must not end in the other.

using ssx::test::allocate;
using ssx::test::allocate_or_throw;
using ssx::test::release;
using Alignment = std::align_val_t;

void* operator new(std::size_t size) { return allocate_or_throw(size, 0); }
void* operator new[](std::size_t size) { return allocate_or_throw(size, 0); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size, 0); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocate(size, 0); }
void* operator new(std::size_t size, Alignment alignment) {
  return allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, Alignment alignment) {
  return allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, Alignment alignment, const std::nothrow_t&) noexcept {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, Alignment alignment, const std::nothrow_t&) noexcept {
  return allocate(size, static_cast<std::size_t>(alignment));
}

void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { release(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { release(memory); }
void operator delete(void* memory, Alignment) noexcept { release(memory); }
void operator delete[](void* memory, Alignment) noexcept { release(memory); }
void operator delete(void* memory, std::size_t, Alignment) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t, Alignment) noexcept { release(memory); }
void operator delete(void* memory, Alignment, const std::nothrow_t&) noexcept { release(memory); }
void operator delete[](void* memory, Alignment, const std::nothrow_t&) noexcept { release(memory); }
