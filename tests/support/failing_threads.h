// A system that refuses threads. A test gets it by linking ssxrver_failing_threads.
//
//   const test::FailingThreads refused(2);  // the first is started, then none
//
// Thread: made and destroyed by the test; threads started by any thread count
// Owner:  the test
// Life:   until it is destroyed, and one at a time
// Bounds: -
#pragma once

namespace ssx::test {

class FailingThreads {
 public:
  /// The n-th thread from now (counting from 1) and all after it fail with EAGAIN.
  explicit FailingThreads(int nth) noexcept;
  ~FailingThreads();
  FailingThreads(const FailingThreads&) = delete;
  FailingThreads& operator=(const FailingThreads&) = delete;

  /// How many were refused.
  [[nodiscard]] int refused() const noexcept;
};

}  // namespace ssx::test
