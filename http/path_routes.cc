#include "http/path_routes.h"

#include <utility>

namespace ssx::http {

Result<void> PathRoutes::add(const std::vector<Method>& methods,
                             const std::shared_ptr<const Route>& route) {
  if (fallback_ == nullptr && route->fallback) {
    Route fallback{route->fallback, route->limits, route->name};
    fallback.label = route->label;
    fallback_ = std::make_unique<const Route>(std::move(fallback));
  }
  if (methods.empty()) {
    if (any_method_ != nullptr) return fail(ssx::Errc::kInvalidArgument, "route defined twice");
    any_method_ = route;
  }
  for (const Method method : methods) {
    auto& place = by_method_[static_cast<std::size_t>(method)];
    if (place != nullptr) return fail(ssx::Errc::kInvalidArgument, "route defined twice");
    place = route;
  }
  return {};
}

const Route* PathRoutes::find(Method method) const noexcept {
  const auto& own = by_method_[static_cast<std::size_t>(method)];
  if (own != nullptr) return own.get();
  if (method == Method::kHead) {
    const auto& get = by_method_[static_cast<std::size_t>(Method::kGet)];
    if (get != nullptr) return get.get();
  }
  return any_method_.get();
}

MethodSet PathRoutes::allowed() const noexcept {
  MethodSet set = method_bit(Method::kOptions);
  for (std::size_t method = 0; method < by_method_.size(); ++method) {
    if (by_method_[method] != nullptr) set |= method_bit(static_cast<Method>(method));
  }
  return with_head(set);
}

}  // namespace ssx::http
