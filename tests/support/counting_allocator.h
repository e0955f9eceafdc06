// Counts what operator new and delete do. A test gets it by linking ssxrver_counting_allocator.
//
//   const AllocationCount before = allocations();
//   ...
//   EXPECT_EQ((allocations() - before).news, 0);
//
// Thread: allocations() counts the calling thread, allocations_of_all() every thread
// Owner:  -
// Life:   from the start of the process
// Bounds: operator new only: what C code takes with malloc is not seen
#pragma once

#include <cstdint>

namespace ssx::test {

struct AllocationCount {
  std::int64_t news = 0;
  std::int64_t deletes = 0;
  std::int64_t bytes = 0;  ///< asked for by the news

  friend AllocationCount operator-(AllocationCount left, AllocationCount right) noexcept {
    return {left.news - right.news, left.deletes - right.deletes, left.bytes - right.bytes};
  }
};

[[nodiscard]] AllocationCount allocations() noexcept;
[[nodiscard]] AllocationCount allocations_of_all() noexcept;

}  // namespace ssx::test
