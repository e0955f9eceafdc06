// What the kernel can be told about memory.
//
// Thread: any thread
// Owner:  -
// Life:   -
// Bounds: one system call
#pragma once

#include "ssxrver/base/bytes.h"

namespace ssx::sys {

/// These bytes are about to be written, all of them: the whole pages among them are made at once,
/// in place of one fault for each. A hint; a kernel that knows no such thing (before 5.14) is asked
/// in vain.
void will_write(MutableBytes bytes) noexcept;

}  // namespace ssx::sys
