// Compiles the real function under a name of its own; that of ssx::sys below stands in front.
#define SSX_SYS_NAMESPACE sys_real
#include "ssxrver/sys/name.cc"  // NOLINT(bugprone-suspicious-include): see kernel.h

#include "tests/support/sim/gate.h"

namespace ssx::sys {

Result<std::vector<RawAddress>> resolve_name(const std::string& name, std::size_t most) {
  return sim::internal::guarded(sim::Call::kResolveName,
                                [&] { return ssx::sys_real::resolve_name(name, most); });
}

}  // namespace ssx::sys
