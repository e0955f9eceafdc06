#include "http/fault.h"

#include <chrono>
#include <exception>
#include <string>

#include "http/counters.h"
#include "http/error.h"
#include "ssxrver/base/log.h"
#include "ssxrver/net/error.h"

namespace ssx::http {

Counters* counters_of(const Request& request) noexcept { return request.counters_; }

void report_exception(const Request& request) {
  if (Counters* const counters = counters_of(request)) counters->handler_errors.add();
  try {
    throw;
  } catch (const std::exception& error) {
    SSX_LOG_RATED(ERROR, std::chrono::seconds(1), "{}: the handler threw: {}", request.route(),
                  error.what());
  } catch (...) {
    SSX_LOG_RATED(ERROR, std::chrono::seconds(1), "{}: the handler threw", request.route());
  }
}

Response answer_to_exception(const Request& request) {
  report_exception(request);
  return Status::kInternalServerError;
}

Response answer_to_overload(const Request& request) {
  if (Counters* const counters = counters_of(request)) counters->of(Errc::kOverloaded).add();
  Response answer(status_of(Errc::kOverloaded));
  answer.set("Retry-After", std::to_string(kOverloadRetry.count()));
  return answer;
}

Response answer_to_error(const Request& request, const Error& error) {
  if (error == net::Errc::kTaskQueueFull) return answer_to_overload(request);
  if (error.code().category() != http_category()) {
    SSX_LOG_RATED(ERROR, std::chrono::seconds(1), "{}: {}", request.route(), error.message());
    return Status::kInternalServerError;
  }
  const auto code = static_cast<Errc>(error.code().value());
  if (Counters* const counters = counters_of(request)) counters->of(code).add();
  return status_of(code);
}

}  // namespace ssx::http
