// Looks at the memory of the process every kPeriod, and says how short it is.
//
// A level is reached at its watermark, and left kSlack per cent of the maximum below it, so that
// nothing flutters.
//
// Thread: loop-only, the main loop's; the Overload that it sets is for everybody
// Owner:  TcpServer
// Life:   must be destroyed before its loop, on the loop's thread or after the loop has ended
// Bounds: MemoryOptions
#pragma once

#include <cstdint>
#include <functional>

#include "ssxrver/base/result.h"
#include "ssxrver/net/event_loop.h"
#include "ssxrver/net/options.h"
#include "ssxrver/net/overload.h"

namespace ssx::net {

/// Bytes in use now.
using MemoryMeter = std::function<Result<std::uint64_t>()>;

class MemoryWatch {
 public:
  static constexpr Duration kPeriod = std::chrono::milliseconds(250);
  static constexpr unsigned kSlack = 2;

  /// `max` bytes; 0: nothing is watched.
  MemoryWatch(EventLoop& loop, const MemoryOptions& options, std::uint64_t max, MemoryMeter meter,
              Overload& overload);
  ~MemoryWatch();

  void start();
  void stop();

 private:
  void look();
  [[nodiscard]] OverloadLevel level_of(std::uint64_t used) const noexcept;

  EventLoop& loop_;
  const MemoryOptions options_;
  const std::uint64_t max_;
  const MemoryMeter meter_;
  Overload& overload_;
  TimerId timer_;
};

/// What `limits.memory` comes to on this machine; 0 = not watched.
[[nodiscard]] std::uint64_t resolve_memory_max(const MemoryOptions& options);

}  // namespace ssx::net
