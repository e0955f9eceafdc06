#include "http/middleware/rate_limit.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "http/client_rate.h"
#include "http/fault.h"
#include "ssxrver/net/event_loop.h"
#include "ssxrver/sys/process.h"

namespace ssx::http {

Result<Middleware> rate_limit(const RateLimitOptions& options) {
  if (options.addresses_max == 0 || options.addresses_max > RateLimitOptions::kAddressesMax)
    return fail(ssx::Errc::kInvalidArgument, "rate_limit: addresses_max");
  std::uint64_t seed = 0;
  SSX_TRY_VOID(sys::random_bytes(std::as_writable_bytes(std::span(&seed, 1))));
  const auto rate = std::make_shared<ClientRate>(options.rate, seed, options.addresses_max);
  auto before = [rate](const Request& request) -> std::optional<Response> {
    const auto wait = rate->take(request.client(), net::EventLoop::current()->now());
    if (wait.count() == 0) return std::nullopt;
    Response refusal =
        answer_to_error(request, {make_error_code(Errc::kTooManyRequests), "rate_limit"});
    refusal.set("Retry-After", std::to_string(wait.count()));
    return refusal;
  };
  return Middleware::hooks(std::move(before), nullptr);
}

}  // namespace ssx::http
