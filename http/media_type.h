// A Content-Type, taken apart (RFC 9110 8.3.1).
//
// Thread: a value
// Owner:  views into the text
// Life:   not longer than that text
// Bounds: Parameters::kMax parameters
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "http/error.h"
#include "http/parameters.h"
#include "ssxrver/base/result.h"

namespace ssx::http {

struct MediaType {
  std::string_view type;     ///< "text"
  std::string_view subtype;  ///< "html"
  Parameters parameters;

  /// kBadMediaType.
  static Result<MediaType> parse(std::string_view text) noexcept;

  /// is("text", "html"), whatever the case; the parameters do not count.
  [[nodiscard]] bool is(std::string_view of_type, std::string_view of_subtype) const noexcept;
};

/// By patterns like "text/css" and "text/*", whatever the case and whatever comes behind ";".
[[nodiscard]] bool is_type_among(std::string_view content_type,
                                 const std::vector<std::string>& patterns) noexcept;

}  // namespace ssx::http
