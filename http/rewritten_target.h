// The target that a request has after `rewrite`: its bytes, which are not among those of the head.
//
// Thread: loop-only
// Owner:  Exchange
// Life:   path() and query() until the next set()
// Bounds: ParserLimits: target_max, path_max, segments_max
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "http/error.h"
#include "http/options.h"
#include "http/params.h"
#include "http/target_template.h"

namespace ssx::http {

class RewrittenTarget {
 public:
  /// `params` and `query` may be views of what path() and query() were. kTargetTooLong, and what
  /// check_path_limits() and normalise_path() may say; then nothing has changed.
  [[nodiscard]] Errc set(const TargetTemplate& to, const Params& params, std::string_view query,
                         const ParserLimits& limits);

  /// Decoded and normalised.
  [[nodiscard]] std::string_view path() const noexcept { return path_; }
  [[nodiscard]] std::string_view query() const noexcept { return query_; }

  /// Gives back memory of more than `size` bytes.
  void shrink(std::size_t size) noexcept;

 private:
  std::string text_;
  std::string path_;
  std::string_view query_;
  std::string next_text_;
  std::string next_path_;
};

}  // namespace ssx::http
