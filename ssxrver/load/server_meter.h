// What a server on this machine uses while it is loaded: CPU time and memory, of its process and of
// those that it has started.
//
// Thread: one
// Owner:  the command
// Life:   create() before the connections, begin() .. end() around the window
// Bounds: reads /proc; a thread that ends meanwhile takes its time with it
#pragma once

#include <cstdint>

#include "ssxrver/base/clock.h"
#include "ssxrver/base/startup_error.h"

namespace ssx::load {

struct ServerUse {
  Duration cpu{};                     ///< in the window, of all cores
  std::uint64_t resident_before = 0;  ///< bytes, when there were no connections
  std::uint64_t resident_after = 0;   ///< at the end of the window
  std::uint64_t resident_peak = 0;    ///< the most it ever had
};

class ServerMeter {
 public:
  /// The error is a sentence: there is no such process, or it cannot be looked at.
  static StartupResult<ServerMeter> create(int process);

  void begin();
  void end();
  [[nodiscard]] const ServerUse& use() const noexcept { return use_; }

 private:
  explicit ServerMeter(int process) noexcept : process_(process) {}

  int process_;
  Duration at_begin_{};
  ServerUse use_;
};

}  // namespace ssx::load
