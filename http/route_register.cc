#include "http/route_register.h"

#include <limits>
#include <utility>

namespace ssx::http {

Result<std::shared_ptr<const Route>> RouteRegister::enter(Route route) {
  SSX_TRY(route.limits_id, id_of(route.limits));
  route.label = names_.keep(route.name);
  return std::make_shared<const Route>(std::move(route));
}

Result<LimitsId> RouteRegister::id_of(const RouteLimits& limits) {
  if (const auto known = ids_.find(limits); known != ids_.end()) return known->second;
  if (limits_.size() == std::numeric_limits<LimitsId>::max())
    return fail(ssx::Errc::kOverflow, "route limits");
  limits_.push_back(limits);
  return ids_[limits] = static_cast<LimitsId>(limits_.size());
}

void RouteRegister::take_back(std::size_t count) {
  std::erase_if(ids_, [count](const auto& known) { return known.second > count; });
  limits_.resize(count);
}

}  // namespace ssx::http
