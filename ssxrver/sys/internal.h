// What the sources of this folder share: the namespace they fill, the EINTR loop, and how the
// answer of a system call becomes a Result.
//
// Thread: any thread
// Owner:  -
// Life:   -
// Bounds: retry repeats as long as signals arrive
#pragma once

#include <sys/types.h>

#include <cerrno>
#include <cstddef>

#include "ssxrver/base/result.h"
#include "ssxrver/sys/unique_fd.h"

/// The namespace that the sources define their functions in. tests/support/sim compiles them a
/// second time under another name and puts its own ssx::sys in front.
#ifndef SSX_SYS_NAMESPACE
#define SSX_SYS_NAMESPACE sys
#endif

namespace ssx::SSX_SYS_NAMESPACE {
using namespace ssx::sys;  // the types; the sources' own functions hide those of ssx::sys
}

namespace ssx::sys::internal {

/// Only for calls that did nothing when they report EINTR.
template <class SystemCall>
inline auto retry(SystemCall call) noexcept {
  for (;;) {
    const auto answer = call();
    if (answer != -1 || errno != EINTR) [[likely]]
      return answer;
  }
}

/// Calls that answer 0 or -1.
inline Result<void> done(long answer, const char* where) noexcept {
  if (answer < 0) [[unlikely]]
    return fail_errno(errno, where);
  return {};
}

/// Calls that answer a new descriptor or -1.
inline Result<UniqueFd> own(long fd, const char* where) noexcept {
  if (fd < 0) [[unlikely]]
    return fail_errno(errno, where);
  return UniqueFd(static_cast<int>(fd));
}

/// Calls that answer how much they moved, or -1.
inline Result<std::size_t> moved(ssize_t count, const char* where) noexcept {
  if (count < 0) [[unlikely]]
    return fail_errno(errno, where);
  return static_cast<std::size_t>(count);
}

}  // namespace ssx::sys::internal
