#include "ssxrver/app/routes.h"

#include "ssxrver/app/app.h"

namespace ssx {

void RouteGroup::add_route(std::vector<http::Method> methods, std::string pattern,
                           http::Handler handler, RouteSettings settings) {
  app_.add_route(std::move(methods), prefix_ + pattern, std::move(handler),
                 settings_.with(std::move(settings)));
}

RouteGroup RouteGroup::make_group(std::string_view prefix, RouteSettings settings) {
  return {app_, prefix_ + std::string(prefix), settings_.with(std::move(settings))};
}

}  // namespace ssx
