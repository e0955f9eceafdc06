#include "http/fallback.h"

#include "http/router.h"

namespace ssx::http {

Response answer_without_route(const Request& request) {
  if (request.allowed() == 0) return Status::kNotFound;
  const bool is_question = request.method() == Method::kOptions;
  Response response(is_question ? Status::kNoContent : Status::kMethodNotAllowed);
  response.set("Allow", to_allow(request.allowed()));
  return response;
}

}  // namespace ssx::http
