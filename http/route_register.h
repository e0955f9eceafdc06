// What one table of routes hands on to the next: the numbers of limits, and names for the log.
//
// Thread: one at a time: whoever makes tables
// Owner:  shared by the Routers of a server
// Life:   that of the last of them
// Bounds: 65535 different RouteLimits, over all tables that were used; LastingNames::kMost names
//
// A session remembers the limits of its answer as a number, and has no reason to hold the table
// that it was of. So a number means the same in every later table.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <vector>

#include "http/route.h"
#include "ssxrver/base/lasting_names.h"
#include "ssxrver/base/result.h"

namespace ssx::http {

class RouteRegister {
 public:
  /// The route with its number and its label, for as many tables as it shall be in. kOverflow when
  /// there is no number left.
  Result<std::shared_ptr<const Route>> enter(Route route);

  /// Of a table that nobody was given: numbers behind the first `count` are free again.
  void take_back(std::size_t count);

  /// Number 1 is the first.
  [[nodiscard]] const std::vector<RouteLimits>& limits() const noexcept { return limits_; }

 private:
  Result<LimitsId> id_of(const RouteLimits& limits);

  std::vector<RouteLimits> limits_;
  std::map<RouteLimits, LimitsId> ids_;
  LastingNames names_;
};

}  // namespace ssx::http
