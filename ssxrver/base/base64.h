// Base64 (RFC 4648): bytes as text, and back without leniency.
//
// Thread: pure functions
// Owner:  -
// Life:   -
// Bounds: four characters for three bytes
//
// Every sequence of bytes has exactly one text: decoding refuses white space, bytes of another
// alphabet, missing or superfluous "=", and bits that are set where none belong (RFC 4648 3.5).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "ssxrver/base/bytes.h"
#include "ssxrver/base/result.h"

namespace ssx {

enum class Base64 : std::uint8_t {
  kStandard,  ///< "+", "/", padded with "=" (section 4)
  kUrl,       ///< "-", "_", not padded (section 5), as tokens and cookies want it
};

void append_base64(std::string& out, ByteView bytes, Base64 alphabet);
[[nodiscard]] std::string base64_encode(ByteView bytes, Base64 alphabet);

/// The bytes, as text that may hold any of them. Errc::kMalformed.
[[nodiscard]] Result<std::string> base64_decode(std::string_view text, Base64 alphabet);

}  // namespace ssx
