// Which answers are worth a content coding, and which coding a client gets. (i)
//
// Thread: immutable
// Owner:  the compression middleware
// Life:   that of the middleware
// Bounds: one look at each field line of an answer
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "http/accept_encoding.h"
#include "http/fields.h"
#include "http/options.h"
#include "http/response.h"
#include "ssxrver/compress/coding.h"

namespace ssx::http {

class Compressible {
 public:
  explicit Compressible(const CompressionOptions& options);

  /// Some client could have this answer coded; it depends on Accept-Encoding then. Left alone: what
  /// is encoded already, a part of something, without content, or short; what says no-transform
  /// (RFC 9111 5.2.2.6) or has a digest of its bytes (RFC 9530); types that are not listed.
  [[nodiscard]] bool is_candidate(const Response& answer) const noexcept;
  /// The most wanted of those that are switched on and built; the first of equals, by how short
  /// they make it. Nothing: as it is.
  [[nodiscard]] std::optional<compress::Coding> choose(const Fields& asked) const noexcept;

 private:
  const std::uint64_t min_size_;
  const std::vector<std::string> types_;
  std::vector<compress::Coding> codings_;
};

}  // namespace ssx::http
