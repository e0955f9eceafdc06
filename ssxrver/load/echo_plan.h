// What a load of bytes, or of datagrams, does: each message comes back as it is.
//
// Thread: immutable once the Crew runs
// Owner:  the command
// Life:   longer than the Crew
// Bounds: those of LoadPlan
#pragma once

#include <string>

#include "ssxrver/load/load_plan.h"

namespace ssx::load {

struct EchoPlan : LoadPlan {
  std::string message;  ///< one
};

}  // namespace ssx::load
