#include "ssxrver/sys/unique_fd.h"

#include <cerrno>

#include "ssxrver/base/assert.h"
#include "ssxrver/sys/file.h"

namespace ssx::sys {

void UniqueFd::reset(int fd) noexcept {
  const int old = std::exchange(fd_, fd);
  if (old < 0) return;
  [[maybe_unused]] const auto closed = close(old);
  SSX_DCHECK(closed || !closed.error().is_errno(EBADF), old);
}

}  // namespace ssx::sys
