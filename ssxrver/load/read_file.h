// A file, as bytes.
//
// Thread: any; blocks as long as the disk does
// Owner:  values
// Life:   one call
// Bounds: the caller's
#pragma once

#include <cstddef>
#include <string>

#include "ssxrver/base/result.h"

namespace ssx::load {

/// From its beginning to its end. EFBIG: it has more than `bytes_max`.
Result<std::string> read_file(const std::string& path, std::size_t bytes_max);

}  // namespace ssx::load
