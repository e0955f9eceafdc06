#include "http/router.h"

#include <algorithm>
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

Router::Router(std::shared_ptr<RouteRegister> shared)
    : any_host_(std::make_unique<RouteTree>()),
      register_(std::move(shared)),
      limits_(register_->limits()) {}
Router::~Router() = default;
Router::Router(Router&&) noexcept = default;
Router& Router::operator=(Router&&) noexcept = default;

Result<void> Router::add(std::string_view host, const std::vector<Method>& methods,
                         std::string_view pattern, Route route) {
  SSX_TRY(const auto entered, register_->enter(std::move(route)));
  return add_shared(host, methods, pattern, entered);
}

Result<void> Router::add_shared(std::string_view host, const std::vector<Method>& methods,
                                std::string_view pattern,
                                const std::shared_ptr<const Route>& route) {
  SSX_TRY(const RoutePattern parsed, RoutePattern::parse(pattern));
  for (const Method method : methods) {
    if (!(method_bit(method) & kEveryMethod))
      return fail(ssx::Errc::kInvalidArgument, "route method");
  }
  auto& tree = host.empty() ? any_host_ : hosts_[std::string(host_name(host))];
  if (tree == nullptr) tree = std::make_unique<RouteTree>();
  SSX_TRY(PathRoutes* const routes, tree->insert(parsed));
  SSX_TRY_VOID(routes->add(methods, route));
  if (methods.empty()) all_methods_ |= kEveryMethod;
  for (const Method method : methods) all_methods_ |= with_head(method_bit(method));
  const auto& known = register_->limits();
  limits_.insert(limits_.end(), known.begin() + static_cast<std::ptrdiff_t>(limits_.size()),
                 known.end());
  ++route_count_;
  return {};
}

bool Router::is_same_host(std::string_view a, std::string_view b) noexcept {
  return ascii_iequals(host_name(a), host_name(b));
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
