#include "http/fallback.h"

#include <chrono>

#include "http/counters.h"
#include "http/router.h"
#include "ssxrver/base/log.h"

namespace ssx::http {

Response answer_without_route(const Request& request) {
  if (request.allowed() == 0) return Status::kNotFound;
  const bool is_question = request.method() == Method::kOptions;
  Response response(is_question ? Status::kNoContent : Status::kMethodNotAllowed);
  response.set("Allow", to_allow(request.allowed()));
  return response;
}

Response answer_endless_rewrite(const Request& request) {
  if (Counters* const counters = counters_of(request)) counters->rewrites_hit.add();
  SSX_LOG_RATED(ERROR, std::chrono::seconds(1), "{}: rewritten {} times, and no end: {}",
                request.route(), Route::kRewritesMax, request.target());
  return Status::kInternalServerError;
}

}  // namespace ssx::http
