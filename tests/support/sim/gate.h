// What every wrapper of the simulated kernel passes through. Only for the sources of this folder.
//
// Thread: any thread
// Owner:  -
// Life:   -
// Bounds: no allocation while no fault is planned: tests count allocations through here
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "ssxrver/base/result.h"
#include "tests/support/sim/calls.h"

namespace ssx::sim::internal {

inline constexpr std::size_t kNoLimit = static_cast<std::size_t>(-1);

struct Decision {
  int error = 0;
  std::size_t limit = kNoLimit;
};

/// Counts the call and asks the plan. `size`: what it could move at the most; 0 when it moves
/// nothing.
Decision decide(Call call, std::size_t size = 0) noexcept;

/// The plan wants the events of epoll_wait in the order of next_random().
bool shuffled() noexcept;
std::uint64_t next_random() noexcept;

/// An edge-triggered registration gets its edge again. The real kernel answers EAGAIN or a short
/// count only when it will report the next change; after an invented one nothing would change.
void repeat_edge(int fd) noexcept;

inline Unexpected failure(Call call, int error) { return fail_errno(error, name(call)); }

/// Calls that succeed or fail as a whole.
template <class Real>
auto guarded(Call call, Real real) -> decltype(real()) {
  if (const int error = decide(call).error; error != 0) return failure(call, error);
  return real();
}

/// Calls that move up to `size` of something: `real(count)` with the count that is allowed.
template <class Real>
Result<std::size_t> guarded_bytes(Call call, int fd, std::size_t size, Real real) {
  const Decision decision = decide(call, size);
  if (decision.error != 0) {
    if (decision.error == EAGAIN) repeat_edge(fd);
    return failure(call, decision.error);
  }
  auto moved = real(std::min(size, decision.limit));
  if (decision.limit < size) repeat_edge(fd);
  return moved;
}

}  // namespace ssx::sim::internal
