// Gives every request a name, for logs and for those who ask about an answer.
//
// Thread: as Middleware
// Owner:  -
// Life:   -
// Bounds: kSizeMax bytes of a name that a client gives
#pragma once

#include <cstddef>
#include <string>

#include "http/middleware.h"

namespace ssx::http {

struct RequestIdOptions {
  static constexpr std::size_t kSizeMax = 128;

  std::string field = "X-Request-Id";
  /// The name that came with the request counts: for a server that only its proxies can reach. It
  /// must be 1 .. kSizeMax letters, digits and "-._~+/="; otherwise it gets one of our own.
  bool trust_request = false;
};

/// The attribute "request_id", and the field of the answer. Our own names are 128 random bits in
/// hexadecimal.
[[nodiscard]] Middleware request_id(const RequestIdOptions& options = {});

}  // namespace ssx::http
