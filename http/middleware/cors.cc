#include "http/middleware/cors.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/field_rules.h"
#include "ssxrver/base/strings.h"

namespace ssx::http {
namespace {

std::string join(const std::vector<std::string>& words) {
  std::string list;
  for (const std::string& word : words) list.append(list.empty() ? "" : ", ").append(word);
  return list;
}

bool holds(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Those that a page of any origin may use without asking (2.2.1), if no others are named.
CorsOptions with_methods(CorsOptions options) {
  if (options.methods.empty()) options.methods = {"GET", "HEAD", "POST"};
  return options;
}

/// The options, and what is made of them once.
class Policy {
 public:
  explicit Policy(const CorsOptions& options)
      : options_(with_methods(options)),
        any_origin_(holds(options.origins, "*")),
        any_header_(holds(options.headers, "*")),
        methods_(join(options_.methods)),
        headers_(join(options.headers)),
        exposed_(join(options.expose_headers)) {}

  [[nodiscard]] bool is_allowed(std::string_view origin) const {
    return any_origin_ || holds(options_.origins, origin);
  }
  /// With credentials "*" would be taken for a name, so no origin is any origin then (3.2.5).
  [[nodiscard]] bool has_credentials() const noexcept {
    return options_.credentials && !any_origin_;
  }
  /// For every answer, be it for this origin, another or none: caches must not mix them.
  void vary(Response& answer) const {
    if (!any_origin_) answer.vary("Origin");
  }
  void allow_origin(Response& answer, std::string_view origin) const {
    answer.replace("Access-Control-Allow-Origin", any_origin_ ? "*" : origin);
    if (has_credentials()) answer.replace("Access-Control-Allow-Credentials", "true");
  }
  void expose(Response& answer) const {
    if (!exposed_.empty()) answer.replace("Access-Control-Expose-Headers", exposed_);
  }
  [[nodiscard]] Response answer_preflight(const Request& request, std::string_view origin,
                                          std::string_view method) const;

 private:
  [[nodiscard]] bool are_allowed(std::string_view headers) const;

  const CorsOptions options_;
  const bool any_origin_;
  const bool any_header_;
  const std::string methods_;
  const std::string headers_;
  const std::string exposed_;
};

bool Policy::are_allowed(std::string_view headers) const {
  bool all = true;
  for_each_part(headers, ',', [this, &all](std::string_view part) {
    const std::string_view name = trim(part);
    if (name.empty()) return;  // RFC 9110 5.6.1.2
    const auto is_it = [name](const std::string& other) { return ascii_iequals(name, other); };
    all = all && is_token(name) &&
          (any_header_ || std::any_of(options_.headers.begin(), options_.headers.end(), is_it));
  });
  return all;
}

// A browser takes any refusal for one, but 403 also tells the author of the page.
Response Policy::answer_preflight(const Request& request, std::string_view origin,
                                  std::string_view method) const {
  const std::string_view asked =
      request.header(FieldName::kAccessControlRequestHeaders).value_or("");
  const bool is_granted =
      is_allowed(origin) && holds(options_.methods, method) && are_allowed(asked);
  Response answer(is_granted ? Status::kNoContent : Status::kForbidden);
  if (!is_granted) {
    answer.content_type({});  // and no page
  } else {
    allow_origin(answer, origin);
    answer.set("Access-Control-Allow-Methods", methods_);
    // "*" does not cover Authorization, and nothing at all with credentials (3.2.5).
    const std::string_view granted = any_header_ ? asked : std::string_view(headers_);
    if (!granted.empty()) answer.set("Access-Control-Allow-Headers", granted);
    answer.set("Access-Control-Max-Age", std::to_string(options_.max_age.count()));
  }
  vary(answer);
  answer.vary("Access-Control-Request-Method").vary("Access-Control-Request-Headers");
  return answer;
}

}  // namespace

Middleware cors(const CorsOptions& options) {
  const auto policy = std::make_shared<const Policy>(options);
  auto before = [policy](const Request& request) -> std::optional<Response> {
    if (request.method() != Method::kOptions) return std::nullopt;
    const auto origin = request.header(FieldName::kOrigin);
    const auto method = request.header(FieldName::kAccessControlRequestMethod);
    if (!origin || !method) return std::nullopt;
    return policy->answer_preflight(request, *origin, *method);
  };
  auto after = [policy](const Request& request, Response& answer) {
    policy->vary(answer);
    const auto origin = request.header(FieldName::kOrigin);
    if (!origin || !policy->is_allowed(*origin)) return;
    policy->allow_origin(answer, *origin);
    policy->expose(answer);
  };
  return Middleware::hooks(std::move(before), std::move(after));
}

}  // namespace ssx::http
