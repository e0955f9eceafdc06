#include "http/middleware/security_headers.h"

#include <string_view>
#include <utility>
#include <vector>

#include "http/field_rules.h"
#include "ssxrver/base/strings.h"

namespace ssx::http {

Middleware security_headers(const SecurityHeaderOptions& options) {
  std::vector<std::pair<std::string_view, std::string>> lines;
  const auto add = [&lines](std::string_view name, std::string value) {
    if (!value.empty()) lines.emplace_back(name, std::move(value));
  };
  add("X-Content-Type-Options", options.content_type_options);
  add("X-Frame-Options", options.frame_options);
  add("Referrer-Policy", options.referrer_policy);
  add("Content-Security-Policy", options.content_security_policy);
  add("Cross-Origin-Opener-Policy", options.cross_origin_opener_policy);
  add("Cross-Origin-Resource-Policy", options.cross_origin_resource_policy);
  add("Permissions-Policy", options.permissions_policy);
  if (options.hsts_max_age) {
    std::string value = "max-age=" + std::to_string(options.hsts_max_age->count());
    add("Strict-Transport-Security",
        options.hsts_include_subdomains ? value.append("; includeSubDomains") : value);
  }
  // A value that cannot be sent goes through set(), which says so with each answer.
  std::string block;
  for (const auto& [name, value] : lines) {
    if (!is_field_value(value)) {
      block.clear();
      break;
    }
    block.append(name).append(": ").append(trim(value)).append("\r\n");
  }
  return Middleware::hooks(nullptr, [lines = std::move(lines), block = std::move(block)](
                                        const Request&, Response& answer) {
    const bool has_none = answer.fields().empty() && answer.prepared_fields().empty();
    if (has_none && !block.empty()) return void(answer.prepared_fields(block));
    for (const auto& [name, value] : lines) {
      if (!answer.has(name)) answer.set(name, value);
    }
  });
}

}  // namespace ssx::http
