// Compiles the real function under a name of its own; that of ssx::sys below stands in front.
#define SSX_SYS_NAMESPACE sys_real
#include "ssxrver/sys/memory.cc"  // NOLINT(bugprone-suspicious-include): see kernel.h

#include "tests/support/sim/gate.h"

namespace ssx::sys {

// A hint cannot fail: it is counted and passes.
void will_write(MutableBytes bytes) noexcept {
  sim::internal::decide(sim::Call::kWillWrite);
  ssx::sys_real::will_write(bytes);
}

}  // namespace ssx::sys
