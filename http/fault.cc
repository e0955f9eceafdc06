#include "http/fault.h"

#include <chrono>
#include <exception>

#include "http/counters.h"
#include "ssxrver/base/log.h"

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

}  // namespace ssx::http
