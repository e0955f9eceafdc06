// What came of a benchmark, for people, for programs and for tables.
//
// Thread: any
// Owner:  -
// Life:   one call
// Bounds: -
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ssxrver/load/crew.h"
#include "ssxrver/load/server_meter.h"

namespace ssx::load {

/// What was measured.
struct Subject {
  std::string kind;  ///< "http"
  std::string url;
  std::uint32_t connections = 0;
  std::uint32_t threads = 0;
  double rate = 0;  ///< asked for; 0 = closed loop
  bool is_idle = false;
  std::optional<ServerUse> server = {};
};

/// Requests, or what is counted in their place, per second of the window.
[[nodiscard]] double per_second(const Outcome& outcome, std::uint64_t count) noexcept;

[[nodiscard]] std::string to_text(const Subject& subject, const Outcome& outcome);
/// Times in microseconds.
[[nodiscard]] std::string to_json(const Subject& subject, const Outcome& outcome);
/// With a line of names before it; the same as the JSON.
[[nodiscard]] std::string to_csv(const Subject& subject, const Outcome& outcome);

}  // namespace ssx::load
