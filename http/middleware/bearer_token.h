// Tokens in the Authorization field (RFC 6750 2.1); other places for them are not looked at.
//
// Thread: as Middleware; a check is called on every worker at the same time
// Owner:  -
// Life:   -
// Bounds: BearerOptions::kTokensMax fixed tokens; a token is not longer than a field line
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "http/middleware.h"
#include "ssxrver/coro/task.h"

namespace ssx::http {

struct BearerOptions {
  static constexpr std::size_t kTokensMax = 1024;

  std::string realm = {};  ///< of the challenge; empty = none
  std::string scope = {};  ///< the same; RFC 6750 3
};

/// May set attributes, e.g. whose token it is. Compare secrets with equal_in_constant_time.
using TokenCheck = std::function<bool(const Request& request, std::string_view token)>;
/// The token lives as long as the request.
using AsyncTokenCheck = std::function<Task<bool>(const Request& request, std::string_view token)>;

/// What passes has the attribute "token". The rest is answered as RFC 6750 3.1 says: 401 without a
/// token, 401 "invalid_token" when the check says no, 400 "invalid_request" for what is none.
[[nodiscard]] Middleware bearer_token(TokenCheck check, const BearerOptions& options = {});
[[nodiscard]] Middleware bearer_token(AsyncTokenCheck check, const BearerOptions& options = {});
/// One of these, compared in constant time.
[[nodiscard]] Middleware bearer_token(const std::vector<std::string>& tokens,
                                      const BearerOptions& options = {});

}  // namespace ssx::http
