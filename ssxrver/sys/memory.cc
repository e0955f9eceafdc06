#include "ssxrver/sys/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

#include "ssxrver/sys/internal.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23  // of Linux 5.14; Debian 12's headers may be older than its kernel
#endif

namespace ssx::SSX_SYS_NAMESPACE {

void will_write(MutableBytes bytes) noexcept {
  static const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(bytes.data());
  const std::uintptr_t first = (begin + page - 1) / page * page;
  const std::uintptr_t last = (begin + bytes.size()) / page * page;
  if (first >= last) return;
  (void)::madvise(reinterpret_cast<void*>(first), last - first, MADV_POPULATE_WRITE);
}

}  // namespace ssx::SSX_SYS_NAMESPACE
