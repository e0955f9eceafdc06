#include "ssxrver/app/routes.h"

#include "ssxrver/app/route_set.h"

namespace ssx {

void RouteGroup::add_route(std::vector<http::Method> methods, std::string pattern,
                           http::Handler handler, RouteSettings settings) {
  set_.add_route(std::move(methods), prefix_ + pattern, std::move(handler),
                 settings_.with(std::move(settings)));
}

void RouteGroup::add_upgrade(std::string pattern, HandlerMaker make, RouteSettings settings) {
  set_.add_upgrade(prefix_ + pattern, std::move(make), settings_.with(std::move(settings)));
}

RouteGroup RouteGroup::make_group(std::string_view prefix, RouteSettings settings) {
  return {set_, prefix_ + std::string(prefix), settings_.with(std::move(settings))};
}

}  // namespace ssx
