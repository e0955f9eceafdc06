// What came of a load: answers, failures by their kind, times.
//
// Thread: that of its load; others when that has ended
// Owner:  a Load, then the Outcome
// Life:   a window of measuring
// Bounds: that of Histogram
//
// Nothing is lost: begun() == answered + failed() + unfinished.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ssxrver/load/histogram.h"

namespace ssx::load {

enum class Failure : std::uint8_t {
  kConnect,    ///< no connection came about
  kReset,      ///< one broke while an answer was outstanding
  kClosed,     ///< one ended in order while an answer was outstanding
  kMalformed,  ///< what came is no answer
  kTimeout,    ///< no answer in time
  kStatus,     ///< an answer that is neither 2xx nor 3xx
};
inline constexpr std::size_t kFailures = 6;
/// "connect", "reset", ...
[[nodiscard]] std::string_view to_string(Failure failure) noexcept;

struct Tally {
  std::uint64_t carried = 0;     ///< begun before the window
  std::uint64_t requests = 0;    ///< begun in it
  std::uint64_t answered = 0;    ///< in it, as they should be
  std::uint64_t unfinished = 0;  ///< at its end
  std::uint64_t unsent = 0;      ///< of these, those that were due and had no connection
  std::uint64_t connects = 0;    ///< that have come about
  std::uint64_t standing = 0;    ///< connections at its end, of which each could take a request
  std::uint64_t bytes_in = 0;    ///< heads and bodies, as they came
  std::uint64_t bytes_out = 0;   ///< as they were handed to the system
  std::array<std::uint64_t, kFailures> failures{};
  int refusal = 0;  ///< errno of the first connection that did not come about; 0: none
  /// Of what was answered, from the intended start of the request. At a constant rate also of what
  /// was given up or is unfinished, as long as that has waited: or who hangs would look fast.
  Histogram latency;

  void fail(Failure failure, std::uint64_t count = 1) noexcept {
    failures[static_cast<std::size_t>(failure)] += count;
  }
  /// So many that were due, have waited so long, and were never sent.
  void leave_unsent(std::uint64_t count, Duration waited) noexcept {
    if (count == 0) return;
    requests += count;
    unfinished += count;
    unsent += count;
    latency.record(waited, count);
  }
  void note_refusal(int error) noexcept {
    if (refusal == 0) refusal = error;
  }
  void add(const Tally& other) noexcept;
  [[nodiscard]] std::uint64_t begun() const noexcept { return carried + requests; }
  [[nodiscard]] std::uint64_t failed() const noexcept;
};

}  // namespace ssx::load
