#include "http/route.h"

namespace ssx::http {

RouteLimits RouteLimits::from(const HttpOptions& options) {
  const Timeouts& times = options.timeouts;
  return {options.body_max,           times.body,    times.body_min_rate,
          times.body_min_rate_grace,  times.write,   times.write_min_rate,
          times.write_min_rate_grace, times.handler, options.body_decoding.enabled};
}

}  // namespace ssx::http
