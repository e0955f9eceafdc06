// What the Authorization field brings: a scheme and its credentials (RFC 9110 11.6.2). (i)
//
// Thread: pure functions
// Owner:  views into the request
// Life:   not longer than the request
// Bounds: -
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "http/request.h"

namespace ssx::http {

struct Authorization {
  enum class What : unsigned char {
    kNone,       ///< no such field, or another scheme
    kMalformed,  ///< two of them, or credentials that are no token68
    kToken,
  };
  What what = What::kNone;
  std::string_view token = {};

  /// The credentials of this scheme, whose case does not count.
  [[nodiscard]] static Authorization of(const Request& request, std::string_view scheme) noexcept;
};

/// token68 (RFC 9110 11.2), which has the bytes of both base64 alphabets.
[[nodiscard]] bool is_token68(std::string_view text) noexcept;

/// `text` between quotes, those in it escaped (RFC 9110 5.6.4).
[[nodiscard]] std::string quoted(std::string_view text);

}  // namespace ssx::http
