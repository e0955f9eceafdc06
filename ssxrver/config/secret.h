// A password or key, and where it came from, so that -T can print the way to it instead of it.
//
// Thread: a value
// Owner:  the options it belongs to
// Life:   that of the options
// Bounds: 64 KiB
#pragma once

#include <string>

namespace ssx::config {

struct Secret {
  std::string value;
  std::string file;  ///< `{"file": "..."}`; empty when it stands in the configuration itself
  bool operator==(const Secret&) const = default;
};

}  // namespace ssx::config
