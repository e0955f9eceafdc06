// Percent-encoding (RFC 3986 2.1): text becomes what a URL or a form may hold. Decoding is in
// target.h (normalise_path for paths, decode_component for everything else).
//
// Thread: pure functions
// Owner:  -
// Life:   -
// Bounds: at most three bytes for one
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ssx::http {

/// Which bytes stay as they are.
enum class PercentSet : std::uint8_t {
  kComponent,  ///< letters, digits, "-", ".", "_", "~" (RFC 3986 2.3): safe in every part of a URL
  kPath,       ///< pchar and "/" (RFC 3986 3.3): a whole path
  kForm,       ///< as HTML forms do: letters, digits, "*", "-", ".", "_"; a space becomes "+"
};

void append_percent_encoded(std::string& out, std::string_view text, PercentSet set);
[[nodiscard]] std::string percent_encode(std::string_view text, PercentSet set);

}  // namespace ssx::http
