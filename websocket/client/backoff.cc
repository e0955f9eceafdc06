#include "websocket/client/backoff.h"

#include <algorithm>

namespace ssx::websocket {

milliseconds backoff_delay(const ReconnectOptions& options, std::uint32_t failures,
                           std::uint32_t random) noexcept {
  const auto most =
      static_cast<std::uint64_t>(std::max(options.delay_max, milliseconds(0)).count());
  auto delay = static_cast<std::uint64_t>(std::max(options.first_delay, milliseconds(1)).count());
  for (std::uint32_t i = 0; i < failures && delay < most; ++i) delay *= 2;
  delay = std::min(delay, most);
  const std::uint64_t by_chance = delay * std::min(options.jitter_percent, 100U) / 100;
  // 2^32 values of chance for by_chance + 1 delays; neither factor comes near 2^32 milliseconds.
  const std::uint64_t drawn = by_chance < UINT32_MAX ? (by_chance + 1) * random >> 32 : by_chance;
  return milliseconds(delay - by_chance + drawn);
}

}  // namespace ssx::websocket
