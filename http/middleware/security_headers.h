// Fields that tell browsers to be careful with what they get.
//
// Thread: as Middleware
// Owner:  -
// Life:   -
// Bounds: -
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "http/middleware.h"

namespace ssx::http {

/// An empty text: no such field. What a handler has set itself stays.
struct SecurityHeaderOptions {
  std::string content_type_options = "nosniff";  ///< X-Content-Type-Options
  std::string frame_options = "DENY";            ///< X-Frame-Options (RFC 7034)
  std::string referrer_policy = "strict-origin-when-cross-origin";
  std::string content_security_policy = {};  ///< what a page may load is for its author to say
  std::string cross_origin_opener_policy = {};
  std::string cross_origin_resource_policy = {};
  std::string permissions_policy = {};
  /// Strict-Transport-Security (RFC 6797): only where every request comes over TLS, be it up to a
  /// proxy. A browser that has seen it takes nothing else for so long.
  std::optional<std::chrono::seconds> hsts_max_age = {};
  bool hsts_include_subdomains = false;
};

[[nodiscard]] Middleware security_headers(const SecurityHeaderOptions& options = {});

}  // namespace ssx::http
