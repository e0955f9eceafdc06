// The simulated kernel: every function of ssxrver/sys once more, in front of the real ones. Each
// call is counted, asks the fault plan, and else goes to the real kernel.
//
//   sim::FaultPlan plan;                                    // ends with the scope
//   plan.pass(Call::kAccept, 2).fail(Call::kAccept, EMFILE, 3);
//   plan.limit_bytes(Call::kSend, 5, 1).fail(Call::kSend, EAGAIN);   // EAGAIN behind byte 5
//
// What was planned for one call takes its turns in the order written. A call that fails has done
// nothing, with two exceptions: close closes, and connect that "fails" with EINPROGRESS goes on.
//
// How it gets in front: ssxrver_sim_kernel is an OBJECT library, so its definitions are on the link
// line before any archive and the linker never has a reason to open libssxrver_sys.a. Each source
// here includes its namesake of ssxrver/sys under another namespace (SSX_SYS_NAMESPACE) and wraps
// every function of it.
// What keeps a function from being forgotten: a test that uses one which is missing here makes the
// linker open its archive member, and everything else in there is then defined twice: the link
// fails. And the test SimKernel.DefinesEveryFunctionOfSys compares the two symbol tables.
//
// Thread: any thread. The state is relaxed atomics on purpose: a lock here would order the threads
//         under test and hide their races from ThreadSanitizer
// Owner:  the state is static; a FaultPlan switches it on and clears it
// Life:   one FaultPlan at a time; a call under way when it ends may still get its fault
// Bounds: FaultPlan::kRulesMax rules for each call
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "tests/support/sim/calls.h"

namespace ssx::sim {

/// How often `call` was made since the process started, by all threads.
[[nodiscard]] std::uint64_t calls(Call call) noexcept;

/// Counts the calls since it was made: system calls per request.
class CallWatch {
 public:
  CallWatch() noexcept;
  [[nodiscard]] std::uint64_t of(Call call) const noexcept;
  /// All calls together, without those that ask the kernel nothing (environment, thread_id, ...).
  [[nodiscard]] std::uint64_t total() const noexcept;

 private:
  std::array<std::uint64_t, kCallCount> start_;
};

inline constexpr std::uint64_t kForever = std::numeric_limits<std::uint64_t>::max();

/// Odds per thousand calls, for FaultPlan::random.
struct Chances {
  unsigned short_counts = 200;  ///< a read or write moves less than it could
  unsigned again = 100;         ///< EAGAIN from calls on non-blocking sockets
  unsigned failures = 0;        ///< the usual error of the call
};

class FaultPlan {
 public:
  static constexpr std::size_t kRulesMax = 16;

  FaultPlan() noexcept;
  ~FaultPlan();
  FaultPlan(const FaultPlan&) = delete;
  FaultPlan& operator=(const FaultPlan&) = delete;

  /// Lets the next `times` of this call through.
  FaultPlan& pass(Call call, std::uint64_t times);
  /// The next `times` of this call fail; error 0 stands for usual_error(call).
  FaultPlan& fail(Call call, int error = 0, std::uint64_t times = 1);
  /// The next `times` of this call move at most `most` (>= 1) bytes; messages for the batch calls,
  /// events for epoll_wait.
  FaultPlan& limit_bytes(Call call, std::size_t most, std::uint64_t times = kForever);

  /// The n-th call from now (counting from 1) fails, whichever it is. Only calls that the world may
  /// make fail are counted (usual_error is not 0); error 0 stands for the usual one.
  FaultPlan& fail_at_nth(std::uint64_t nth, int error = 0);
  /// Every call draws lots; the same seed and the same order of calls give the same faults.
  FaultPlan& random(std::uint64_t seed, Chances chances = {});
  /// epoll_wait hands out its events in a seeded order.
  FaultPlan& shuffle_events(std::uint64_t seed);
  /// Calls of other threads pass, and do not count for fail_at_nth.
  FaultPlan& only_this_thread();

  /// Failures and short counts that this plan has caused.
  [[nodiscard]] std::uint64_t faults() const noexcept;
  /// Calls that fail_at_nth counts, since the plan was made.
  [[nodiscard]] std::uint64_t calls() const noexcept;
  /// The name of the call that had the latest fault; "" before the first.
  [[nodiscard]] const char* latest_fault() const noexcept;
};

}  // namespace ssx::sim
