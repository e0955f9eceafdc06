// Whether the loader may be given a file at all. It maps what the head says: a file that is shorter
// than that ends the process with SIGBUS, long after the loader was content.
//
// Thread: any thread
// Owner:  -
// Life:   one call
// Bounds: kElfHeadSize bytes are looked at, and at most as many program headers as fit
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "ssxrver/base/bytes.h"

namespace ssx {

inline constexpr std::size_t kElfHeadSize = 4096;

/// Why a file that begins so and has `file_size` bytes is no shared library, whole and for this
/// word size and byte order; empty when it is one.
[[nodiscard]] std::string object_to_elf(ByteView head, std::uint64_t file_size);

}  // namespace ssx
