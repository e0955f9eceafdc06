#include "websocket/route.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "ssxrver/base/assert.h"

namespace ssx::websocket {
namespace {

std::size_t unasked_max_of(const Options& options) noexcept {
  if (options.send_fragment_size > 0 || options.delay_write.enabled) return 0;
  const BackpressureOptions& limits = options.backpressure;
  return std::min({limits.low, limits.high, limits.max});
}

}  // namespace

Route::Route(std::string its_name, Options its_options, Callbacks its_callbacks, Role its_role,
             WhenBlocked its_when_blocked)
    : name(std::move(its_name)),
      label(its_role == Role::kServer ? name.c_str() : "websocket client"),
      role(its_role),
      when_blocked(its_when_blocked),
      options(std::move(its_options)),
      frames{options.frame_max, options.message_max, options.fragments_max,
             options.empty_fragments_max},
      control_rate(options.control_rate),
      unasked_max(unasked_max_of(options)),
      callbacks(std::move(its_callbacks)) {
  SSX_ASSERT(options.subprotocols.size() < std::numeric_limits<std::uint16_t>::max());
}

}  // namespace ssx::websocket
