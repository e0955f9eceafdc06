// How short of memory, and of room for connections, the process is, as everybody may ask at any
// time.
//
// Thread: any thread asks; one sets
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
  kStop,    ///< nobody is accepted, and what only saves time is given up
};

class Overload {
 public:
  /// One relaxed load.
  [[nodiscard]] OverloadLevel level() const noexcept {
    return level_.load(std::memory_order_relaxed);
  }
  void set(OverloadLevel level) noexcept { level_.store(level, std::memory_order_relaxed); }

  /// There are more connections than WorkerOptions::overload_percent.
  [[nodiscard]] bool is_crowded() const noexcept {
    return crowded_.load(std::memory_order_relaxed);
  }
  void set_crowded(bool crowded) noexcept { crowded_.store(crowded, std::memory_order_relaxed); }

  /// Connections end with their answer.
  [[nodiscard]] bool ends_connections() const noexcept {
    return level() >= OverloadLevel::kSave || is_crowded();
  }

 private:
  std::atomic<OverloadLevel> level_{OverloadLevel::kNone};
  std::atomic<bool> crowded_{false};
};

}  // namespace ssx::net
