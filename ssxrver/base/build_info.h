// What this program was built from, and how.
//
// Thread: immutable
// Owner:  -
// Life:   -
// Bounds: -
#pragma once

#include <string_view>

namespace ssx {

struct BuildInfo {
  std::string_view version;   ///< "0.1.0"
  std::string_view revision;  ///< of git, with "+" when the tree had changes; "unknown" without git
  std::string_view compiler;  ///< "GNU 12.2.0"
  std::string_view type;      ///< "Release"
  std::string_view flags;     ///< sanitizers; empty without
};

[[nodiscard]] const BuildInfo& build_info() noexcept;

}  // namespace ssx
