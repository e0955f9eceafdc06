#include "http/router.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "http/route_tree.h"
#include "ssxrver/base/strings.h"

namespace ssx::http {
namespace {

// The port does not choose a host, nor does the dot that stands for the root of all names.
std::string_view host_name(std::string_view host) noexcept {
  const auto colon = host.rfind(':');
  if (colon != std::string_view::npos && host.back() != ']') host = host.substr(0, colon);
  if (host.ends_with('.')) host.remove_suffix(1);
  return host;
}

}  // namespace

Router::Router() : any_host_(std::make_unique<RouteTree>()) {}
Router::~Router() = default;
Router::Router(Router&&) noexcept = default;
Router& Router::operator=(Router&&) noexcept = default;

Result<void> Router::add(std::string_view host, const std::vector<Method>& methods,
                         std::string_view pattern, Route route) {
  SSX_TRY(const RoutePattern parsed, RoutePattern::parse(pattern));
  for (const Method method : methods) {
    if (!(method_bit(method) & kEveryMethod))
      return fail(ssx::Errc::kInvalidArgument, "route method");
  }
  SSX_TRY(route.limits_id, id_of(route.limits));
  auto& tree = host.empty() ? any_host_ : hosts_[std::string(host_name(host))];
  if (tree == nullptr) tree = std::make_unique<RouteTree>();
  SSX_TRY(PathRoutes* const routes, tree->insert(parsed));
  SSX_TRY_VOID(routes->add(methods, route));
  if (methods.empty()) all_methods_ |= kEveryMethod;
  for (const Method method : methods) all_methods_ |= with_head(method_bit(method));
  ++route_count_;
  return {};
}

Result<LimitsId> Router::id_of(const RouteLimits& limits) {
  const auto found = std::find(limits_.begin(), limits_.end(), limits);
  if (found == limits_.end()) {
    if (limits_.size() == std::numeric_limits<LimitsId>::max())
      return fail(ssx::Errc::kOverflow, "route limits");
    limits_.push_back(limits);
    return static_cast<LimitsId>(limits_.size());
  }
  return static_cast<LimitsId>(found - limits_.begin() + 1);
}

bool Router::HostLess::operator()(std::string_view left, std::string_view right) const noexcept {
  return std::lexicographical_compare(
      left.begin(), left.end(), right.begin(), right.end(),
      [](char a, char b) { return ascii_lower(a) < ascii_lower(b); });
}

Router::Match Router::match(std::string_view host, Method method, std::string_view path,
                            Params& params) const {
  const std::string_view rest = path.empty() ? path : path.substr(1);
  const RouteTree* const own_host = hosts_.empty() ? nullptr : tree_of(host);
  for (const RouteTree* tree : {own_host, static_cast<const RouteTree*>(any_host_.get())}) {
    if (tree == nullptr) continue;
    const PathRoutes* const routes = tree->find(rest, params);
    if (routes == nullptr) continue;
    const Route* route = routes->find(method);
    if (route == nullptr)
      return {Found::kOtherMethods, nullptr, routes->allowed(), routes->fallback()};
    return {Found::kRoute, route, 0, nullptr};
  }
  return {};
}

const RouteTree* Router::tree_of(std::string_view host) const {
  const auto found = hosts_.find(host_name(host));
  return found == hosts_.end() ? nullptr : found->second.get();
}

}  // namespace ssx::http
