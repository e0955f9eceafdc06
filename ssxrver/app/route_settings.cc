#include "ssxrver/app/route_settings.h"

#include <utility>

namespace ssx {
namespace {

template <class T>
void inherit(std::optional<T>& own, const std::optional<T>& outer) {
  if (!own) own = outer;
}

}  // namespace

RouteSettings RouteSettings::with(RouteSettings inner) const {
  if (inner.body == http::BodyMode::kWhole) inner.body = body;
  if (inner.run_on == RunOn::kLoop) inner.run_on = run_on;
  if (inner.host.empty()) inner.host = host;
  inherit(inner.body_max, body_max);
  inherit(inner.body_timeout, body_timeout);
  inherit(inner.body_min_rate, body_min_rate);
  inherit(inner.body_min_rate_grace, body_min_rate_grace);
  inherit(inner.write_timeout, write_timeout);
  inherit(inner.write_min_rate, write_min_rate);
  inherit(inner.write_min_rate_grace, write_min_rate_grace);
  inherit(inner.handler_timeout, handler_timeout);
  inherit(inner.decodes_body, decodes_body);
  inner.middleware.insert(inner.middleware.begin(), middleware.begin(), middleware.end());
  return inner;
}

http::RouteLimits RouteSettings::limits(const http::HttpOptions& options) const {
  const http::RouteLimits outer = http::RouteLimits::from(options);
  return {.body_max = body_max.value_or(outer.body_max),
          .body_timeout = body_timeout.value_or(outer.body_timeout),
          .body_min_rate = body_min_rate.value_or(outer.body_min_rate),
          .body_min_rate_grace = body_min_rate_grace.value_or(outer.body_min_rate_grace),
          .write_timeout = write_timeout.value_or(outer.write_timeout),
          .write_min_rate = write_min_rate.value_or(outer.write_min_rate),
          .write_min_rate_grace = write_min_rate_grace.value_or(outer.write_min_rate_grace),
          .handler_timeout = handler_timeout.value_or(outer.handler_timeout),
          .decodes_body = decodes_body.value_or(outer.decodes_body)};
}

}  // namespace ssx
