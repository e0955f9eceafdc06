// How short of memory the process is, as everybody may ask at any time.
//
// Thread: level() any thread; set() one thread
// Owner:  TcpServer
// Life:   longer than whoever asks
// Bounds: -
#pragma once

#include <atomic>
#include <cstdint>

namespace ssx::net {

/// Each level does what those before it do.
enum class OverloadLevel : std::uint8_t {
  kNone,
  kSave,    ///< connections end with their answer, idle ones after half their time
  kRefuse,  ///< new requests are refused
  kStop,    ///< nobody is accepted
};

class Overload {
 public:
  /// One relaxed load.
  [[nodiscard]] OverloadLevel level() const noexcept {
    return level_.load(std::memory_order_relaxed);
  }
  void set(OverloadLevel level) noexcept { level_.store(level, std::memory_order_relaxed); }

 private:
  std::atomic<OverloadLevel> level_{OverloadLevel::kNone};
};

}  // namespace ssx::net
