#include "http/middleware/bearer_token.h"

#include <memory>
#include <optional>
#include <utility>

#include "http/middleware/authorization.h"
#include "ssxrver/base/assert.h"
#include "ssxrver/base/bytes.h"
#include "ssxrver/base/digest.h"

namespace ssx::http {
namespace {

using What = Authorization::What;

std::string challenge_of(const BearerOptions& options, std::string_view error) {
  std::string text;
  const auto add = [&text](std::string_view name, std::string_view value) {
    if (value.empty()) return;
    text.append(text.empty() ? " " : ", ").append(name).append("=").append(quoted(value));
  };
  add("realm", options.realm);
  add("scope", options.scope);
  add("error", error);
  return "Bearer" + text;
}

Response refuse(const BearerOptions& options, Status status, std::string_view error) {
  Response response(status);
  response.set("WWW-Authenticate", challenge_of(options, error));
  return response;
}

/// What is answered without asking anybody.
std::optional<Response> look_at(const Authorization& given, const BearerOptions& options) {
  switch (given.what) {
    case What::kNone:
      return refuse(options, Status::kUnauthorized, {});
    case What::kMalformed:
      return refuse(options, Status::kBadRequest, "invalid_request");
    case What::kToken:
      break;
  }
  return std::nullopt;
}

}  // namespace

Middleware bearer_token(TokenCheck check, const BearerOptions& options) {
  auto before = [check = std::move(check),
                 options](const Request& request) -> std::optional<Response> {
    const auto given = Authorization::of(request, "Bearer");
    if (auto refusal = look_at(given, options)) return refusal;
    if (!check(request, given.token))
      return refuse(options, Status::kUnauthorized, "invalid_token");
    request.set_attribute("token", std::string(given.token));
    return std::nullopt;
  };
  return Middleware::hooks(std::move(before), nullptr);
}

Middleware bearer_token(AsyncTokenCheck check, const BearerOptions& options) {
  auto around = [check = std::move(check), options](const Request& request,
                                                    const AsyncNext& next) -> Task<Response> {
    const auto given = Authorization::of(request, "Bearer");
    if (auto refusal = look_at(given, options)) co_return *std::move(refusal);
    const bool is_good = co_await check(request, given.token);
    if (!is_good) co_return refuse(options, Status::kUnauthorized, "invalid_token");
    request.set_attribute("token", std::string(given.token));
    co_return co_await next(request);
  };
  return Middleware(std::move(around));
}

Middleware bearer_token(const std::vector<std::string>& tokens, const BearerOptions& options) {
  SSX_ASSERT(tokens.size() <= BearerOptions::kTokensMax);
  std::vector<Sha256::Digest> hashes;
  hashes.reserve(tokens.size());
  for (const std::string& token : tokens) hashes.push_back(Sha256::of(as_bytes(token)));
  const auto shared = std::make_shared<const std::vector<Sha256::Digest>>(std::move(hashes));
  return bearer_token(
      [shared](const Request&, std::string_view token) {
        const auto hash = Sha256::of(as_bytes(token));
        unsigned found = 0;
        for (const auto& known : *shared)
          found |= static_cast<unsigned>(equal_in_constant_time(known, hash));
        return found != 0;
      },
      options);
}

}  // namespace ssx::http
