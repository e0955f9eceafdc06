// What a server on this machine uses while it is loaded: CPU time and memory, of its process and of
// those that it has started.
//
// Thread: one
// Owner:  the command
// Life:   create() before the connections, begin() .. end() at about both ends of the window
// Bounds: reads /proc; a process that it has started and that ends takes its time with it
#pragma once

#include <cstdint>
#include <map>

#include "ssxrver/base/clock.h"
#include "ssxrver/base/startup_error.h"

namespace ssx::load {

struct ServerUse {
  bool has_ended = false;             ///< there is no such process any more, and no figures
  Duration cpu{};                     ///< of all cores, between begin() and end()
  Duration span{};                    ///< between these two
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
  std::map<int, Duration> at_begin_;  ///< of each process
  TimePoint begun_;
  ServerUse use_;
};

}  // namespace ssx::load
