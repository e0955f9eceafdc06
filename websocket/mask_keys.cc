#include "websocket/mask_keys.h"

#include <span>
#include <utility>

#include "ssxrver/base/assert.h"
#include "ssxrver/sys/process.h"

namespace ssx::websocket {

MaskKey MaskKeys::next() {
  if (used_ == kKept) {
    const auto filled = sys::random_bytes(std::as_writable_bytes(std::span(keys_)));
    SSX_ASSERT(filled, "no random bytes");
    used_ = 0;
  }
  return std::exchange(keys_[used_++], MaskKey{});
}

}  // namespace ssx::websocket
