// Keys for the frames of a client, which nobody can foresee (RFC 6455 5.3, 10.3).
//
// Thread: loop-only
// Owner:  WorkerState
// Life:   any
// Bounds: one system call for each kKept keys
#pragma once

#include <array>
#include <cstddef>

#include "websocket/frame.h"

namespace ssx::websocket {

class MaskKeys {
 public:
  static constexpr std::size_t kKept = 256;

  /// Of a cryptographic source; aborts when the system has none.
  [[nodiscard]] MaskKey next();

 private:
  std::array<MaskKey, kKept> keys_{};
  std::size_t used_ = kKept;
};

}  // namespace ssx::websocket
