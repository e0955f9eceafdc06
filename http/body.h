// The body of a request, whole: in memory, or in a file when it is long.
//
// Thread: loop-only
// Owner:  the exchange
// Life:   until the response is complete; views die with it
// Bounds: HttpOptions::body_max, body_spool_threshold, upload_tmp_total
#pragma once

#include <cstdint>
#include <string_view>

namespace ssx::http {

struct Body {
  std::string_view text;  ///< the bytes; empty when they are in a file
  int file = -1;          ///< a descriptor to read with pread(), or -1; it closes with the exchange
  std::uint64_t size = 0;  ///< bytes, wherever they are

  [[nodiscard]] bool is_spooled() const noexcept { return file >= 0; }
};

}  // namespace ssx::http
