#include "ssxrver/app/route_set.h"

#include <fmt/core.h>

#include "http/fallback.h"
#include "http/files/static_handler.h"
#include "http/route_pattern.h"
#include "ssxrver/base/assert.h"

namespace ssx {

std::string RouteProblems::text() const {
  std::string joined;
  for (const std::string& sentence : sentences) {
    if (!joined.empty()) joined += '\n';
    joined += sentence;
  }
  return joined;
}

void RouteSet::add_route(std::vector<http::Method> methods, std::string pattern,
                         http::Handler handler, RouteSettings settings) {
  SSX_ASSERT(!is_taken_);  // the routes are shared with the workers by now
  routes_.push_back(
      {std::move(methods), std::move(pattern), std::move(handler), std::move(settings)});
}

void RouteSet::add_upgrade(std::string pattern, HandlerMaker make, RouteSettings settings) {
  add_route({http::Method::kGet}, std::move(pattern), nullptr, std::move(settings));
  routes_.back().make = std::move(make);
}

RouteGroup RouteSet::make_group(std::string_view prefix, RouteSettings settings) {
  return {*this, prefix, std::move(settings)};
}

RouteSet& RouteSet::files(std::string_view pattern, std::string root, RouteSettings settings) {
  http::StaticOptions options;
  options.root = std::move(root);
  auto handler = http::make_static_handler(options);
  if (!handler) {
    problems_.push_back(fmt::format("files \"{}\": {}", options.root, handler.error().message()));
    return *this;
  }
  return route({http::Method::kGet}, pattern, *std::move(handler), std::move(settings));
}

RouteSet& RouteSet::rewrite(std::vector<http::Method> methods, std::string_view pattern,
                            std::string_view to, std::string host) {
  using http::TargetTemplate;
  const auto parts = http::RoutePattern::parse(pattern);
  const auto names = parts ? parts->names() : std::vector<std::string>();
  auto target = TargetTemplate::parse(to, names, TargetTemplate::Kind::kPath);
  if (!target) {
    problems_.push_back(
        fmt::format("rewrite \"{}\" to \"{}\": {}", pattern, to, target.error().text()));
    return *this;
  }
  add_route(std::move(methods), std::string(pattern), http::Handler(&http::answer_endless_rewrite),
            {.host = std::move(host)});
  routes_.back().rewrite = std::make_shared<const TargetTemplate>(*std::move(target));
  return *this;
}

}  // namespace ssx
